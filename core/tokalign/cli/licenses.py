"""Terms of what ships: the code, and each file of data."""

from __future__ import annotations

import importlib.metadata

RESEARCH = "research use"
OWN = "CC0-1.0"
"""Terms of the lists that were written for this project."""
PLAIN_FILES = {
    "function_words.txt": ("Apache-2.0", "written for this project"),
    "question-weights.tsv": (RESEARCH, "weights learned from TrecQA"),
    "scales.tsv": (OWN, "written for this project"),
    "short-forms.tsv": (OWN, "written for this project"),
}
"""Files of data that have no header: their terms, and where they come from."""


def terms() -> list[dict[str, str]]:
    """Return name, license and source of the code, each model, each table and each list."""
    from tokalign.english.lexicon.resources import list_resources
    from tokalign.model import load_model
    from tokalign.model.shipped import model_path, shipped_models

    code = importlib.metadata.version("tokalign")
    found = [{"name": "code", "license": "Apache-2.0", "source": f"tokalign {code}"}]
    for name in shipped_models():
        header = load_model(model_path(name)).header
        found.append(
            {
                "name": f"model {name}",
                "license": header.license,
                "source": ", ".join(header.corpora),
            }
        )
    found += [
        {"name": f"table {each.name}", "license": each.license, "source": each.source}
        for each in list_resources()
        if each.present
    ]
    found += [
        {"name": name, "license": license, "source": source}
        for name, (license, source) in PLAIN_FILES.items()
    ]
    return found


def text() -> str:
    """Return the terms as lines for people."""
    return "\n".join(f"{each['name']}\n  {each['license']}\n  {each['source']}" for each in terms())
