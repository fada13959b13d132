"""Viewers of alignments and their scores: a self-contained page, or text in the terminal."""

from tokalign.view.view_page import (
    LEGEND,
    RELATIONS_LEGEND,
    compared_pairs,
    edit_lines,
    grid_lines,
    legend,
    page_pairs,
    render_page,
    table_lines,
)

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
