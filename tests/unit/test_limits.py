"""docs/limits.md: each example has an answer that is wanted, and the page shows another.

tests/rpc/test_docs.py compares what the page shows with what is printed, so an example that begins
to work changes the page, and then fails here: take it off the page.
"""

import ast
import doctest
import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "limits.md").read_text("utf-8")
SESSIONS = "".join(re.findall(r"^```pycon\n(.*?)^```", PAGE, re.M | re.S))


def test_what_the_page_shows_is_not_what_is_wanted():
    wanted = [
        (found[1], example.want)
        for example in doctest.DocTestParser().get_examples(SESSIONS)
        if (found := re.search(r"# wanted: (.+)", example.source))
    ]
    assert len(wanted) == SESSIONS.count("# wanted") >= 8
    works = [one for one, shown in wanted if ast.literal_eval(one) == ast.literal_eval(shown)]
    assert works == [], "an example works now: run `make docs`, and take it off the page"
