"""Viewers of alignments and their scores: a self-contained page, or text in the terminal."""

from tokalign.view.grid_lines import (
    LEGEND,
    RELATIONS_LEGEND,
    edit_lines,
    grid_lines,
    legend,
    table_lines,
)
from tokalign.view.view_page import compared_pairs, page_pairs, render_page

__all__ = [
    "LEGEND",
    "RELATIONS_LEGEND",
    "compared_pairs",
    "edit_lines",
    "grid_lines",
    "legend",
    "page_pairs",
    "render_page",
    "table_lines",
]
