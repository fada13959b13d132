"""Annotators: raw text or tokens in, sentences with tags, lemmas and trees out."""

from tokalign.english.annotate.annotator import ANNOTATORS, Annotator, load_annotator

__all__ = ["ANNOTATORS", "Annotator", "load_annotator"]
