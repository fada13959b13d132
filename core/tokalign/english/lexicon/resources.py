"""Lexical tables: those that ship, and those that a user installs.

Of the library, this module alone reads the environment: ``TOKALIGN_HOME`` names the folder of
installed tables, otherwise it is ``tokalign`` in ``XDG_DATA_HOME``, otherwise
``~/.local/share/tokalign``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tokalign.english.lexicon.ppdb import compile_ppdb, read_nltk_pairs, read_pairs
from tokalign.errors import ResourceError, quoted
from tokalign.files.shipped import DATA_DIR
from tokalign.files.tables import Table

OPTIONAL: dict[str, str] = {"ppdb": "lexical paraphrases, never shipped"}
"""Tables that a user installs, and what they hold."""


@dataclass(frozen=True, slots=True)
class Resource:
    """One lexical table.

    Attributes
    ----------
    name, version, license, source : str
        Empty but for the name where the table is missing.
    shipped : bool
        Whether it comes with the package.
    path : Path
        Where it is or would be installed.
    present : bool
    size : int
        Of the file, in bytes; 0 where it is missing.
    digest : str
        SHA-256 of its arrays, in hex.
    """

    name: str
    shipped: bool
    path: Path
    present: bool
    version: str = ""
    license: str = ""
    source: str = ""
    size: int = 0
    digest: str = ""


def home() -> Path:
    """Return the folder of installed tables; it need not exist."""
    if chosen := os.environ.get("TOKALIGN_HOME"):
        return Path(chosen)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "tokalign"


def list_resources() -> list[Resource]:
    """Return all tables by name: those that ship, then the optional ones, present or not."""
    shipped = sorted(path.name.removesuffix(".table") for path in DATA_DIR.glob("*.table"))
    return [
        *(_describe(name, DATA_DIR / f"{name}.table", shipped=True) for name in shipped),
        *(_describe(name, home() / f"{name}.table", shipped=False) for name in sorted(OPTIONAL)),
    ]


def find_resource(name: str) -> Resource:
    """Return one table by name, present or not.

    Raises
    ------
    ResourceError
        If no table is called so.
    """
    resources = {resource.name: resource for resource in list_resources()}
    if name not in resources:
        raise ResourceError(
            f"no resource is called {quoted(name)}; choose one of: {', '.join(resources)}"
        )
    return resources[name]


def open_resource(name: str) -> Table:
    """Map a table by name.

    Raises
    ------
    ResourceError
        If no table is called so, or it is not installed, or damaged.
    """
    resource = find_resource(name)
    if not resource.present:
        raise ResourceError(
            f"the resource {quoted(name)} is not installed in {resource.path.parent}; "
            f"run `tokalign resources install {name} PATH`"
        )
    return Table.open(resource.path)


def install_ppdb(path: Path | None) -> Resource:
    """Compile PPDB's pairs into the user's folder and return the new resource.

    Parameters
    ----------
    path : Path or None
        Two-column file; None takes NLTK's corpus ``mwa_ppdb``.

    Raises
    ------
    FormatError
        If a line has not two columns.
    ResourceError
        If the corpus is missing.
    """
    folder = home()
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "ppdb.table"
    unfinished = target.with_suffix(".part")
    try:
        compile_ppdb(read_nltk_pairs() if path is None else read_pairs(path), unfinished)
        unfinished.replace(target)  # at once: processes that mapped the old table keep it
    finally:
        unfinished.unlink(missing_ok=True)
    return find_resource("ppdb")


def _describe(name: str, path: Path, *, shipped: bool) -> Resource:
    if not path.exists():
        return Resource(name=name, shipped=shipped, path=path, present=False)
    header = Table.open(path).header
    return Resource(
        name=name,
        shipped=shipped,
        path=path,
        present=True,
        version=header["version"],
        license=header["license"],
        source=header["source"],
        size=path.stat().st_size,
        digest=header["sha256"],
    )
