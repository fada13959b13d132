"""Alignments and their scores to look at: one self-contained page, or text in the terminal."""

from tokalign.view.grid import LEGEND, RELATIONS_LEGEND, grid_lines, legend
from tokalign.view.page import PagePair, compared_pairs, page_pairs, render_page
from tokalign.view.text import edit_lines, table_lines

__all__ = [
    "LEGEND",
    "RELATIONS_LEGEND",
    "PagePair",
    "compared_pairs",
    "edit_lines",
    "grid_lines",
    "legend",
    "page_pairs",
    "render_page",
    "table_lines",
]
