"""One text written in several ways, and what is compared of the answers."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable

from tokalign.types import Alignment, Sentence

PAIRS = (
    (
        "The old bakery in Lyon was founded by Ms. Renée Holm in 1921, and it doesn't sell bread.",
        "Renée Holm founded the bakery of Lyon in 1921. It sells no bread on Mondays.",
    ),
    (
        "The council approved the new budget of 40 million euros.",
        "A budget of 40 million euros was approved by the council.",
    ),
    (
        "Who painted the ceiling of the chapel?",
        "The ceiling of the chapel was painted by Michelangelo.",
    ),
    (
        "She can't come on Friday, because her train was cancelled.",
        "Her train has been cancelled, so she cannot come on Friday.",
    ),
    (
        "The museum's fee is 12 euros; it isn't open at 9.",
        "Visitors pay 15 euros and the museum opens at 9.",
    ),
)
_MARKED = re.compile(r"\b(bakery|budget|ceiling|train|museum|1921|12)\b")
_LINKED = re.compile(r"\b(bakery|budget|ceiling|train|museum|1921)\b")  # [12] is a citation

FORMS: dict[str, Callable[[str], str]] = {
    "bullet": lambda text: "- " + text,
    "number": lambda text: "1. " + text,
    "heading": lambda text: "## " + text,
    "quoted": lambda text: "> " + text,
    "strong words": lambda text: _MARKED.sub(r"**\1**", text),
    "strong text": lambda text: f"**{text}**",
    "code": lambda text: _MARKED.sub(r"`\1`", text),
    "link": lambda text: _LINKED.sub(r"[\1](https://a.example/12)", text),
    "html": lambda text: "<p>" + _MARKED.sub(r"<b>\1</b>", text) + "</p>",
    "latex": lambda text: _MARKED.sub(r"\\emph{\1}", text),
    "citation": lambda text: text + "[4]",
    "note": lambda text: text + "[^note]",
    "raised": lambda text: text + "\u00b2",
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "byte order mark": lambda text: "\ufeff" + text,
    "trailing space": lambda text: text + " \n",
    "curly": lambda text: text.replace("'", "\u2019"),
    "modifier": lambda text: text.replace("'", "\u02bc"),
    "bare negation": lambda text: text.replace("n't", "nt"),
    "soft hyphen": lambda text: text.replace("budget", "bud\u00adget"),
    "wrapped": lambda text: "\n".join(textwrap.wrap(text, 30)),
}
"""Ways to write what says the same, by name."""


def without_stop(text: str) -> str:
    """Return a text without its final mark."""
    return text.rstrip(".?!")


def links_of(alignment: Alignment) -> set[tuple[int, int]]:
    """Return the links between words, by their numbers among the words of a side."""
    source, target = _words(alignment.source), _words(alignment.target)
    return {
        (source[link.source], target[link.target])
        for link in alignment.links
        if link.source in source and link.target in target
    }


def _words(sentence: Sentence) -> dict[int, int]:
    words = [k for k, token in enumerate(sentence.tokens) if any(map(str.isalnum, token))]
    return {token: number for number, token in enumerate(words)}
