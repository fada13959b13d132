"""The citation of the software."""

from __future__ import annotations

import importlib.metadata

TITLE = "tokalign: word alignment of English sentence pairs"
AUTHOR = "The tokalign authors"
YEAR = 2026
PAPER = """\
@inproceedings{yao-etal-2013-lightweight,
  title = {A Lightweight and High Performance Monolingual Word Aligner},
  author = {Yao, Xuchen and Van Durme, Benjamin and Callison-Burch, Chris and Clark, Peter},
  booktitle = {Proceedings of ACL 2013 (Short Papers)},
  year = {2013},
}"""
"""The aligner that tokalign's models follow."""


def bibtex() -> str:
    """Return the entries of this version and of the paper that it follows."""
    version = importlib.metadata.version("tokalign")
    return f"""\
@software{{tokalign,
  title = {{{TITLE}}},
  author = {{{{{AUTHOR}}}}},
  version = {{{version}}},
  year = {{{YEAR}}},
}}
{PAPER}"""
