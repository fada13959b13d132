"""Output of the evidence for an answer: JSON, terminal and HTML page."""

from tokalign.grounding.evidence.evidence_json import grounding_to_dict, sentence_to_dict
from tokalign.grounding.evidence.evidence_lines import terminal_lines
from tokalign.grounding.evidence.evidence_page import html_page

__all__ = ["grounding_to_dict", "html_page", "sentence_to_dict", "terminal_lines"]
