"""Look at alignments: one self-contained page, or a grid in the terminal."""

from tokalign.view.grid import grid_lines
from tokalign.view.page import PagePair, ReportTable, evaluation_tables, page_pairs, render_page

__all__ = [
    "PagePair",
    "ReportTable",
    "evaluation_tables",
    "grid_lines",
    "page_pairs",
    "render_page",
]
