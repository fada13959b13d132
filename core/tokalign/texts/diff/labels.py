"""Labels of blocks: numbers of headings, clauses and items, which are numbered anew."""

from __future__ import annotations

import re

from tokalign.texts.diff.text_diff import TextRange

_NAME = (
    r"(?i:section|article|chapter|part|clause|rule|appendix|annex|schedule|step|paragraph"
    r"|subsection|table|figure|sec\.|art\.|\u00a7\u00a7?)\s{0,3}"
)
_DOTTED = r"\d{1,3}(?:\.\d{1,3}){0,5}"
_TITLE = r"\**\s+[*_`\"\u201c(A-Z]"
_LABEL = re.compile(
    rf"[\s>#*_=-]{{0,12}}({_NAME}(?:{_DOTTED}|[A-Z]|[IVXLC]{{1,6}})(?:[.:)](?=[\s*])|(?={_TITLE}|\s*\Z))"
    rf"|\d{{1,3}}(?:\.\d{{1,3}}){{1,5}}(?={_TITLE})"
    rf"|(?:{_DOTTED}|[IVXLC]{{1,6}})[.)](?=[\s*])|\(?(?:[a-z]|[ivxl]{{1,5}}|\d{{1,3}})\)(?=[\s*]))"
)
_REFERENCE = re.compile(rf"{_NAME}\(?\Z")


def label_of(text: str) -> TextRange | None:
    """Return the range of the label with which a block begins, or None.

    Examples
    --------
    >>> text = "## Section 4.2 Fees"
    >>> text[slice(*label_of(text))]
    'Section 4.2'
    >>> label_of("4.2 million people came."), label_of("12 people came.")
    (None, None)
    """
    found = _LABEL.match(text)
    return None if found is None else found.span(1)


def labels_of(old: str, new: str) -> tuple[TextRange, TextRange] | None:
    """Return the ranges of the labels with which both texts of a block begin; None if one lacks."""
    labels = label_of(old), label_of(new)
    return None if labels[0] is None or labels[1] is None else (labels[0], labels[1])


def number_of(label: str) -> str:
    """Return a label without its name and its signs: Section 4.2 is 4.2."""
    return label.split()[-1].strip(".():*§")


def follows_name(text: str, at: int) -> bool:
    """Whether a place of a text stands behind the name of a label, as in "see Section 4"."""
    return _REFERENCE.search(text[max(0, at - 16) : at]) is not None
