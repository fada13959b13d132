"""Licences of each file of data, and with them the terms that the metadata of a wheel names.

A wheel has the licence expression, the licence texts and the sections of NOTICE of what it holds,
and no others.
"""

import re
import zipfile
from collections.abc import Collection
from email import message_from_string
from pathlib import Path, PurePosixPath

CODE = "Apache-2.0"
RESEARCH = "LicenseRef-research-use"
WORDNET = "LicenseRef-WordNet-3.0"
ORDER = (
    CODE, "CC-BY-SA-4.0", "CC-BY-3.0", "CC0-1.0", "ODC-By-1.0", "PDDL-1.0", WORDNET, RESEARCH,
)  # fmt: skip
"""Licences in the order in which an expression names them."""

OF_FILES: dict[str, tuple[str, ...]] = {
    "conflicts.table": ("CC0-1.0", "ODC-By-1.0", WORDNET),
    "counts.table": (CODE, "CC-BY-SA-4.0", "CC0-1.0", "ODC-By-1.0", WORDNET),
    "edits.table": (CODE, "CC0-1.0", WORDNET),
    "en-neural-large.tokalign": (RESEARCH,),
    "en-neural-open.tokalign": (CODE,),
    "en-neural.tokalign": (RESEARCH,),
    "en-research.tokalign": (RESEARCH,),
    "en-rte2-neural.tokalign": (RESEARCH,),
    "en-rte2.tokalign": (RESEARCH,),
    "en.tokalign": (CODE,),
    "encoder-en-large.table": (CODE, RESEARCH),
    "encoder-en-open.table": (CODE, "CC0-1.0"),
    "encoder-en-rte2.table": (CODE, RESEARCH),
    "encoder-en.table": (CODE, RESEARCH),
    "function_words.txt": (CODE,),
    "gates-open.table": (CODE, "CC0-1.0"),
    "gates.table": (RESEARCH,),
    "parser-en.table": ("CC-BY-SA-4.0",),
    "question-weights.tsv": ("ODC-By-1.0",),
    "relations-research.table": (RESEARCH,),
    "relations.table": (CODE, "CC0-1.0", WORDNET),
    "scales.tsv": ("CC0-1.0",),
    "second-pass.table": (RESEARCH,),
    "short-forms.tsv": ("CC0-1.0",),
    "value-words.tsv": ("CC0-1.0",),
    "support.table": ("CC0-1.0", "ODC-By-1.0"),
    "tagger-en.table": ("CC-BY-SA-4.0",),
    "word-lists.tsv": (CODE,),
    "vectors.table": (CODE, "CC-BY-3.0", "PDDL-1.0", WORDNET),
    "wordnet.table": (WORDNET,),
    "wordpieces.table": (CODE,),
}
"""By the name that a file has in a wheel. NOTICE says from what each is made."""
WITHOUT_TERMS = {"version.txt", "neural-version.txt", "__init__.py"}


def licences(files: Collection[str], *, has_code: bool = False) -> list[str]:
    """Return the licences of files of data, and of the code if it is with them, in order.

    Raises
    ------
    SystemExit
        If a file has none in the table above.
    """
    named = set(files) - WITHOUT_TERMS
    if unknown := sorted(named - OF_FILES.keys()):
        raise SystemExit(f"packaging/terms.py has no licence for {', '.join(unknown)}")
    found = {each for name in named for each in OF_FILES[name]} | ({CODE} if has_code else set())
    return [each for each in ORDER if each in found]


def notice(whole: str, names: Collection[str]) -> str:
    """Return NOTICE with those sections whose heading has one of the names; "" without any."""
    head, *sections = re.split(r"^(?=== )", whole, flags=re.M)
    kept = [each for each in sections if names_of(each) & set(names)]
    return "".join([head, *kept]).rstrip() + "\n" if kept else ""


def names_of(section: str) -> set[str]:
    """Return the names in the heading of a section of NOTICE."""
    return set(section.partition("\n")[0].removeprefix("== ").split(", "))


def text_of(licence: str) -> str:
    """Return where the text of a licence lies, as a wheel's metadata names it."""
    if licence.startswith("LicenseRef-"):
        return "NOTICE"
    return "LICENSE" if licence == CODE else f"packaging/licenses/{licence}.txt"


def choose(info: Path, files: Collection[str], *, has_code: bool = False) -> list[str]:
    """Leave, in a wheel's folder of metadata, only the texts of what the wheel holds.

    Returns
    -------
    list of str
        The lines of METADATA that name them.
    """
    own = licences(files, has_code=has_code)
    folder = info / "licenses"
    shortened = notice((folder / "NOTICE").read_text(), {*files, *own})
    (folder / "NOTICE").write_text(shortened)
    kept = {text_of(each) for each in own} | ({"NOTICE"} if shortened else set())
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(folder).as_posix() not in kept:
            path.unlink()
    lines = [f"License-File: {each}" for each in sorted(kept)]
    return [f"License-Expression: {' AND '.join(own)}", *lines]


def check(wheel: Path) -> str:
    """Return the licence expression of a wheel that carries the terms of exactly what it holds.

    Raises
    ------
    SystemExit
        If it names or carries others, or lacks one.
    """
    with zipfile.ZipFile(wheel) as archive:
        paths = [PurePosixPath(each) for each in archive.namelist()]
        (folder,) = {each.parts[0] for each in paths if each.parts[0].endswith(".dist-info")}
        metadata = message_from_string(archive.read(f"{folder}/METADATA").decode())
        kept = PurePosixPath(folder, "licenses")
        texts = {str(each.relative_to(kept)) for each in paths if kept in each.parents}
        said = archive.read(str(kept / "NOTICE")).decode() if "NOTICE" in texts else ""
    files = {each.name for each in paths if each.parts[:2] == ("tokalign", "data")}
    own = licences(files, has_code=any(each.suffix == ".py" for each in paths))
    expression = str(metadata["License-Expression"])
    headings = {
        name for each in re.split(r"^(?=== )", said, flags=re.M)[1:] for name in names_of(each)
    }
    wanted = {text_of(each) for each in own} | ({"NOTICE"} if files - WITHOUT_TERMS else set())
    faults = {
        "expression": expression != " AND ".join(own),
        "texts": texts != wanted or set(metadata.get_all("License-File", [])) != wanted,
        "notice": (files - WITHOUT_TERMS) - headings or headings - files - set(own),
    }
    if wrong := [name for name, is_wrong in faults.items() if is_wrong]:
        raise SystemExit(
            f"{wheel.name} has terms of more or less than it holds: {', '.join(wrong)}"
        )
    return expression
