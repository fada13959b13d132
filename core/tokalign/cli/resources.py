"""``tokalign resources``: lexical tables, listed, verified and installed."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tokalign.cli.shared_flags import EXISTING_FILE, JSON
from tokalign.errors import ResourceError

if TYPE_CHECKING:
    from tokalign.english.lexicon.lexical_resources import Resource


@click.group("resources")
def command() -> None:
    """List, verify and install lexical tables."""


@command.command("list", short_help="Print every table and its path.")
@click.option("--json", "as_json", **JSON)
def list_command(as_json: bool) -> None:
    """Print version, size, digest, licence and path of every table."""
    from tokalign.english.lexicon.lexical_resources import list_resources

    for resource in list_resources():
        if as_json:
            click.echo(json.dumps({**asdict(resource), "path": str(resource.path)}))
        else:
            click.echo(_line(resource))


@command.command("verify", short_help="Compare tables with their digests.")
@click.argument("names", nargs=-1)
@click.option("--json", "as_json", **JSON)
def verify_command(names: tuple[str, ...], as_json: bool) -> None:
    """Compare the tables called NAMES with their digests; without NAMES, all that are installed."""
    from tokalign.english.lexicon.lexical_resources import find_resource, list_resources

    chosen = [find_resource(name) for name in names] or [
        resource for resource in list_resources() if resource.present
    ]
    n_bad = 0
    for resource in chosen:
        fault = _fault(resource)
        n_bad += bool(fault)
        if as_json:
            click.echo(json.dumps({"name": resource.name, "ok": not fault, "fault": fault}))
        else:
            click.echo(f"{resource.name}: {fault or 'ok'}")
    if n_bad:
        raise ResourceError(f"{n_bad} of {len(chosen)} tables are missing or damaged")


@command.command("install", short_help="Compile an optional table.")
@click.argument("name", type=click.Choice(["ppdb"]))
@click.argument("path", required=False, type=EXISTING_FILE)
@click.option("--nltk", "from_nltk", is_flag=True, help="Take the corpus of NLTK instead of PATH.")
def install_command(name: str, path: Path | None, from_nltk: bool) -> None:
    """Compile an optional table from the file PATH and install it for this user.

    For ppdb, PATH is the file of lexical pairs of PPDB 1.0 XXXL, with two columns. NLTK has it as
    the corpus mwa_ppdb.
    """
    from tokalign.english.lexicon.lexical_resources import install_ppdb

    if (path is None) != from_nltk:
        raise click.UsageError("give either PATH or --nltk")
    click.echo(_line(install_ppdb(path)))


def _fault(resource: "Resource") -> str:
    """Return the fault of a table, in words; empty if it has none."""
    from tokalign.files.tables import Table

    if not resource.present:
        return f"is not installed; run `tokalign resources install {resource.name} PATH`"
    try:
        Table.open(resource.path).verify()
    except ResourceError as error:
        return str(error)
    return ""


def _line(resource: "Resource") -> str:
    from tokalign.english.lexicon.lexical_resources import OPTIONAL

    if not resource.present:
        return f"{resource.name:<18} not installed ({OPTIONAL[resource.name]})"
    return (
        f"{resource.name:<18} {resource.version:<17} {resource.size / 1e3:>8,.1f} kB  "
        f"{resource.digest[:12]}  {resource.license}  {resource.path}"
    )
