"""The table of recipes in the docstring of their package."""

import re
from pathlib import Path

from lab import recipes

FOLDER = Path(recipes.__file__).parent


def test_every_recipe_that_is_run_is_in_the_table():
    run = {
        path.parent.name if path.stem == "__main__" else path.stem
        for path in FOLDER.rglob("*.py")
        if path.stem == "__main__" or '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    }
    assert run == set(re.findall(r"^``(\w+)`` ", recipes.__doc__, re.MULTILINE))
