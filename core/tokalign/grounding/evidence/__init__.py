"""Evidence for an answer to look at: as JSON, in a terminal, and as a page."""

from tokalign.grounding.evidence.form import grounding_to_dict, sentence_to_dict
from tokalign.grounding.evidence.page import html_page
from tokalign.grounding.evidence.terminal import terminal_lines

__all__ = ["grounding_to_dict", "html_page", "sentence_to_dict", "terminal_lines"]
