"""Accessibility of a page in Chromium, judged by axe-core, and its width."""

from __future__ import annotations

from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "build/pages/node_modules/axe-core/axe.min.js"


def check_page(page, width):
    """Assert that axe-core finds no violation and that nothing runs off the edge."""
    page.execute_script(SCRIPT.read_text(encoding="utf-8"))
    found = page.execute_async_script("axe.run(document).then(arguments[arguments.length - 1])")
    said = [
        (each["id"], [node["html"][:90] for node in each["nodes"]]) for each in found["violations"]
    ]
    assert said == []
    assert len(found["passes"]) > 10
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
