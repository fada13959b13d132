"""``tokalign info`` and ``resources``: models, tables, limits, versions and licences."""

import dataclasses
import importlib.metadata
import json
import platform
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tokalign.cli.flags import SectionedCommand, takes
from tokalign.cli.shared_flags import EXISTING_FILE, JSON, Endpoint, absent, echo
from tokalign.errors import AlignError, InputError, ResourceError, quoted

if TYPE_CHECKING:
    from tokalign.english.lexicon.lexical_resources import Resource

RESEARCH = "research use"
OWN = "CC0-1.0"
"""Licence of the lists that were written for this project."""
PLAIN_FILES = {
    "function_words.txt": ("Apache-2.0", "written for this project"),
    "question-weights.tsv": ("ODC-By-1.0", "weights learned from WiCE and the tokalign corpus"),
    "scales.tsv": (OWN, "written for this project"),
    "short-forms.tsv": (OWN, "written for this project"),
    "value-words.tsv": (OWN, "written for this project"),
    "word-lists.tsv": ("Apache-2.0", "written for this project"),
}
"""Licences and sources of the data files that have no header."""


def license_terms() -> list[dict[str, str]]:
    """Return name, license and source of the code, each model, each table and each list."""
    from tokalign.english.lexicon.lexical_resources import list_resources
    from tokalign.model import load_model
    from tokalign.model.shipped import model_path, shipped_models

    code = importlib.metadata.version("tokalign")
    rows = [("code", "Apache-2.0", f"tokalign {code}")]
    for name in shipped_models():
        header = load_model(model_path(name)).header
        rows.append((f"model {name}", header.license, ", ".join(header.corpora)))
    rows += [
        (f"table {each.name}", each.license, each.source)
        for each in list_resources()
        if each.present
    ]
    rows += [(name, *terms) for name, terms in PLAIN_FILES.items()]
    return [dict(zip(("name", "license", "source"), row, strict=True)) for row in rows]


def _license_text(terms: list[dict[str, str]]) -> str:
    return "\n".join(f"{each['name']}\n  {each['license']}\n  {each['source']}" for each in terms)


PACKAGES = ("numpy", "scipy", "grpcio", "protobuf")
_ASKS_FOR = {
    "annotator nltk": "nltk",
    "annotator spacy": "spacy",
    "annotator stanza": "stanza",
    "dedupe": "dedupe",
    "Parquet files": "arrow",
    "serve, and --server": "server",
    "train and crossval": "train",
}
"""Commands and annotators, with the extra that each needs."""


@click.command("info", cls=SectionedCommand)
@click.argument("model", required=False)
@click.option("--json", "as_json", **JSON)
@click.option(
    "--licenses", "shows_terms", is_flag=True, help="Print the terms of code, models and tables."
)
@takes(server=Endpoint)
def info(model: str | None, as_json: bool, shows_terms: bool, server: Endpoint) -> None:
    """Show the models, tables, limits and versions of this installation, or of a server.

    MODEL is the name of a model or a system, or the path of a model: it alone is shown, with the
    settings of its training, and is loaded to see whether it runs here.
    """
    found: Any
    text: Callable[[Any], str] = _text
    if shows_terms:
        found, text = license_terms(), _license_text
    elif server.address:
        found = _of_server(server, model)
    elif model is not None:
        found = _of_model(model)
    else:
        found = _of_installation()
    echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else text(found))


def _of_model(name: str) -> dict[str, Any]:
    """Return the fields of a model's header, and why it cannot run, if it cannot."""
    from tokalign.aligner import Aligner
    from tokalign.model import load_model
    from tokalign.model.shipped import model_path
    from tokalign.systems import SYSTEMS

    if name in SYSTEMS:
        facts = _of_system(name)
    else:
        path = model_path(name)
        facts = {"path": str(path), **dataclasses.asdict(load_model(path).header)}
    facts["fault"] = ""
    try:
        Aligner.load(name)
    except AlignError as error:
        facts["fault"] = str(error)
    return facts


def _of_system(name: str) -> dict[str, Any]:
    from tokalign.systems import load_system, summary

    system = load_system(name)
    return {"name": name, "description": summary(system), "uses_trees": system.uses_trees}


def _text(facts: Mapping[str, Any]) -> str:
    """Return fields as lines for people: a name and a value, or below a name several of these."""
    lines = []
    for name, value in facts.items():
        key = name.replace("_", " ")
        if key == "fault":
            key, value = "runs here", f"no: {value}" if value else "yes"
        if key == "styles":
            lines += [f"{'style ' + each['name']:<19}{each['links']}" for each in value]
        elif isinstance(value, dict):
            lines += [f"{f'{key}: {part}':<19} {each}" for part, each in value.items()]
        elif isinstance(value, list | tuple) and value and isinstance(value[0], dict):
            for each in value:
                lines += ["", key.removesuffix("s"), textwrap.indent(_text(each), "  ")]
        elif isinstance(value, list | tuple):
            lines.append(f"{key:<19}{', '.join(map(str, value))}")
        elif value not in (None, ""):
            lines.append(f"{key:<19}{value}")
    return "\n".join(lines)


def _version(package: str) -> str:
    """Return the version of a package; empty if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _missing(extra: str) -> str:
    """Return how to install what an extra lacks; empty if it lacks nothing."""
    missing = absent(extra)
    return f"needs {', '.join(missing)}; pip install '.[{extra}]'" if missing else ""


def _cannot_run(models: list[dict[str, Any]], tables: set[str]) -> dict[str, str]:
    """Return the features that cannot run here, and how to install what they need."""
    found = {}
    for model in models:
        fault = _missing("neural") if model["encoder"] else ""
        missing = [name for name in model["resources"] if name not in tables]
        if missing:
            fault = f"needs {', '.join(missing)}; see tokalign resources"
        found[model["name"]] = fault
    found |= {name: _missing(extra) for name, extra in _ASKS_FOR.items()}
    return {name: fault for name, fault in found.items() if fault}


_SHOWN = (
    "name", "version", "description", "corpora", "feature_groups", "uses_trees", "encoder",
    "license", "digest", "figures", "resources",
)  # fmt: skip
"""Fields of a model's header that are shown beside its styles and its size."""


def _models() -> list[dict[str, Any]]:
    from tokalign.model import load_model
    from tokalign.model.shipped import model_path, shipped_models
    from tokalign.model.styles import default_style

    models = []
    for name in shipped_models():
        path = model_path(name)
        header = load_model(path).header
        models.append(
            {field: getattr(header, field) for field in _SHOWN}
            | {
                "styles": [
                    {key: style[key] for key in ("name", "links")} for style in header.styles
                ],
                "default_style": default_style(header.styles),
                "bytes": path.stat().st_size,
            }
        )
    return models


def _of_installation() -> dict[str, Any]:
    from tokalign.english.annotate import ANNOTATORS
    from tokalign.english.lexicon.lexical_resources import list_resources
    from tokalign.files.shipped import DATA_DIR
    from tokalign.systems import SYSTEMS
    from tokalign.types.sentence import MAX_CHARACTERS, MAX_TOKENS

    models = _models()
    resources = [
        {key: getattr(each, key) for key in ("name", "version", "license", "source", "digest")}
        | {"bytes": each.size}
        for each in list_resources()
        if each.present
    ]
    return {
        "versions": {
            "tokalign": importlib.metadata.version("tokalign"),
            "python": platform.python_version(),
            **{name: version for name in PACKAGES if (version := _version(name))},
        },
        "location": str(DATA_DIR.parent),
        "annotators": list(ANNOTATORS),
        "limits": {"max_tokens": MAX_TOKENS, "max_characters": MAX_CHARACTERS},
        "cannot_run": _cannot_run(models, {each["name"] for each in resources}),
        "models": models,
        "systems": [_of_system(name) for name in SYSTEMS],
        "resources": resources,
    }


def _of_server(server: Endpoint, model: str | None) -> dict[str, Any]:
    """Return a server's description of itself and its models, or of the named model."""
    with server.client() as client:
        info = client.list_models()
        health = client.health()
    models = [each for each in info.models if model in (None, each.name)]
    if not models and model is not None:
        names = ", ".join(each.name for each in info.models)
        raise InputError(f"{server.address} has no model {quoted(model)}, but {names}")
    return {
        "server": server.address,
        "health": health,
        "versions": {"tokalign": info.server_version},
        "annotators": list(info.annotators),
        "limits": dataclasses.asdict(info.limits),
        "models": [dataclasses.asdict(each) for each in models],
    }


@click.group("resources")
def resources() -> None:
    """List, verify and install lexical tables."""


@resources.command("list", short_help="Print every table and its path.")
@click.option("--json", "as_json", **JSON)
def list_command(as_json: bool) -> None:
    """Print version, size, digest, licence and path of every table."""
    from tokalign.english.lexicon.lexical_resources import list_resources

    for resource in list_resources():
        facts = {**dataclasses.asdict(resource), "path": str(resource.path)}
        click.echo(json.dumps(facts) if as_json else _table_line(resource))


@resources.command("verify", short_help="Compare tables with their digests.")
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
        fault = _table_fault(resource)
        n_bad += bool(fault)
        found = {"name": resource.name, "ok": not fault, "fault": fault}
        click.echo(json.dumps(found) if as_json else f"{resource.name}: {fault or 'ok'}")
    if n_bad:
        raise ResourceError(f"{n_bad} of {len(chosen)} tables are missing or damaged")


@resources.command("install", short_help="Compile an optional table.")
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
    click.echo(_table_line(install_ppdb(path)))


def _table_fault(resource: "Resource") -> str:
    """Return the fault of a table, in words; empty if it has none."""
    from tokalign.files.tables import Table

    if not resource.present:
        return f"is not installed; run `tokalign resources install {resource.name} PATH`"
    try:
        Table.open(resource.path).verify()
    except ResourceError as error:
        return str(error)
    return ""


def _table_line(resource: "Resource") -> str:
    from tokalign.english.lexicon.lexical_resources import OPTIONAL

    if not resource.present:
        return f"{resource.name:<18} not installed ({OPTIONAL[resource.name]})"
    return (
        f"{resource.name:<18} {resource.version:<17} {resource.size / 1e3:>8,.1f} kB  "
        f"{resource.digest[:12]}  {resource.license}  {resource.path}"
    )
