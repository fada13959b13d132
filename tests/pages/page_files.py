"""The pages that are tested, each as its command writes it."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner
from tokalign.cli.main import main

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests" / "data" / "sample.jsonl"
GOLDEN = ROOT / "tests" / "golden"
LONG = ("the quick brown fox jumps over a lazy dog and " * 8).split()


def run(*arguments, exit_code=0):
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code == exit_code, result.output


def related(folder):
    """Write pairs with confidences and relations, one of them long; return the file."""
    path = folder / "related.jsonl"
    lines = [
        {"id": "car", "source": ["A", "car", "stopped"], "target": ["A", "vehicle", "left"],
         "links": [[0, 0, 0.9], [1, 1, 0.8], [2, 2, 0.3]],
         "relations": [[0, 0, "same", 0.9], [1, 1, "narrower", 0.8], [2, 2, "opposite", 0.6]]},
        {"id": "long", "source": LONG, "target": LONG, "links": [[k, k, 0.9] for k in range(80)]},
        {"id": "none", "source": ["Yes"], "target": ["No"], "links": []},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return path


def write_pages(folder):
    """Write each page to a folder; return them by name."""
    pages = {name: folder / f"{name}.html" for name in ("view", "evaluate", "compare", "links")}
    first, second = GOLDEN / "sample.joint.pharaoh", GOLDEN / "sample.s2t.pharaoh"
    judged = "--gold", SAMPLE, "--against", second, "--edits"
    scored = "--gold", SAMPLE, "--samples", 100
    run("view", related(folder), "--html", pages["links"])
    run("view", first, *judged, "--html", pages["view"])
    run("evaluate", *scored, "--model", "en", "--html", pages["evaluate"])
    run("compare", f"joint={first}", f"s2t={second}", "en", *scored, "--html", pages["compare"])
    texts = {
        "old": "The plant opened in 1990. It has 40 workers.",
        "new": "It now has 45 workers. The plant opened in 1990.",
        "answer": "The old mill in Ulm was built in 1894 by Marta Lindqvist. It has 40 rooms.",
        "guide": "Ulm lies on the Danube. Its old mill was built in 1894. The mill has 45 rooms.",
    }
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    pages["diff"], pages["ground"] = folder / "diff.html", folder / "ground.html"
    sides = folder / "old.txt", folder / "new.txt"
    run("diff", *sides, "--html", pages["diff"], exit_code=1)  # 1: the texts differ
    sides = folder / "answer.txt", folder / "guide.txt"
    run("ground", *sides, "--html", pages["ground"])
    return pages
