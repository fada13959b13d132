"""``tokalign info``: models, tables, limits and versions, installed or of a server."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import platform
from typing import Any

import click

from tokalign.cli.flags import takes
from tokalign.cli.options import JSON, Endpoint
from tokalign.model.styles import AUTO

PACKAGES = ("numpy", "scipy", "grpcio", "protobuf", "PyStemmer")


@click.command("info", short_help="Show models, tables, limits and versions.")
@click.option("--json", "as_json", **JSON)
@takes(server=Endpoint)
def command(as_json: bool, server: Endpoint) -> None:
    """Show the models, tables, limits and versions of this installation, or of a server."""
    facts = _of_server(server) if server.address else _of_installation()
    click.echo(json.dumps(facts, ensure_ascii=False, indent=2) if as_json else _text(facts))


def _of_installation() -> dict[str, Any]:
    from tokalign.annotate import ANNOTATORS
    from tokalign.files.tables import DATA_DIR
    from tokalign.lexicon.resources import list_resources
    from tokalign.model import load_model
    from tokalign.model.shipped import model_path, shipped_models
    from tokalign.model.styles import default_style, related_style
    from tokalign.systems import SYSTEMS, load_system, summary
    from tokalign.types.lengths import MAX_CHARACTERS, MAX_TOKENS

    models = []
    for name in shipped_models():
        path = model_path(name)
        model = load_model(path).header
        models.append(
            {
                "name": model.name,
                "version": model.version,
                "description": model.description,
                "corpora": model.corpora,
                "feature_groups": model.feature_groups,
                "uses_trees": model.uses_trees,
                "styles": [
                    {"name": style["name"], "links": style["links"]} for style in model.styles
                ],
                "default_style": default_style(model.styles),
                "related_style": related_style(model.styles),
                "license": model.license,
                "digest": model.digest,
                "figures": model.figures,
                "resources": model.resources,
                "bytes": path.stat().st_size,
            }
        )
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
            **{name: importlib.metadata.version(name) for name in PACKAGES},
        },
        "location": str(DATA_DIR.parent),
        "models": models,
        "systems": [
            {
                "name": name,
                "description": summary(system),
                "uses_trees": system.uses_trees,
            }
            for name, system in ((name, load_system(name)) for name in SYSTEMS)
        ],
        "annotators": list(ANNOTATORS),
        "resources": resources,
        "limits": {"max_tokens": MAX_TOKENS, "max_characters": MAX_CHARACTERS},
    }


def _of_server(server: Endpoint) -> dict[str, Any]:
    with server.client() as client:
        info = client.list_models()
        health = client.health()
    return {
        "server": server.address,
        "health": health,
        "versions": {"tokalign": info.server_version},
        "models": [dataclasses.asdict(model) for model in info.models],
        "annotators": list(info.annotators),
        "limits": dataclasses.asdict(info.limits),
    }


def _text(facts: dict[str, Any]) -> str:
    lines = []
    for key in ("server", "health", "location"):
        if key in facts:
            lines.append(f"{key:<19}{facts[key]}")
    lines += [f"{name:<19}{version}" for name, version in facts["versions"].items()]
    lines.append(f"{'annotators':<19}{', '.join(facts['annotators'])}")
    lines += [f"{name:<19}{value}" for name, value in facts["limits"].items()]
    lines += ["", "models"]
    for model in facts["models"]:
        if model.get("is_system"):
            lines += _system(model)
            continue
        lines += [
            f"  {model['name']} {model['version']}, {_trees(model)}, sha256 {model['digest'][:12]}",
            f"    {model['description'] or 'no description'}",
            f"    corpora: {', '.join(model['corpora']) or 'none named'}",
        ]
        if model["default_style"] == AUTO:
            lines.append(f"    style {AUTO} (default): one of the next for each pair")
        for style in model["styles"]:
            notes = [
                note
                for note, key in (("default", "default_style"), ("related pairs", "related_style"))
                if model[key] == style["name"]
            ]
            shown = f" ({', '.join(notes)})" if notes else ""
            lines.append(f"    style {style['name']}{shown}: {style['links']}")
        if "resources" in model:
            lines.append(f"    needs: {', '.join(model['resources'])}")
        lines += [f"    {name}: {value}" for name, value in model.get("figures", {}).items()]
    if not facts["models"]:
        lines.append("  none")
    if "systems" in facts:
        lines += ["", "systems, to be named as models are"]
        for system in facts["systems"]:
            lines += _system(system)
    if "resources" in facts:
        lines += ["", "resources"]
        lines += [
            f"  {each['name']} {each['version']}, {each['bytes'] / 1e6:.1f} MB, "
            f"{each['license']}, sha256 {each['digest'][:12]}"
            for each in facts["resources"]
        ]
    return "\n".join(lines)


def _system(facts: dict[str, Any]) -> list[str]:
    return [f"  {facts['name']}, {_trees(facts)}", f"    {facts['description']}"]


def _trees(facts: dict[str, Any]) -> str:
    return "with trees" if facts["uses_trees"] else "without trees"
