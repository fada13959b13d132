"""Output of the evidence for an answer: terminal and HTML page."""

from tokalign.grounding.evidence.evidence_lines import terminal_lines
from tokalign.grounding.evidence.evidence_page import html_page

__all__ = ["html_page", "terminal_lines"]
