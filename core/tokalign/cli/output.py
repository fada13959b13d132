"""Alignments and similarities as lines."""

from __future__ import annotations

import abc
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import click

from tokalign.cli.flags import flag
from tokalign.errors import FormatError, quoted
from tokalign.formats.jsonl import sentence_to_json
from tokalign.types import Alignment, FeatureContribution, LinkExplanation, Sentence
from tokalign.types.edits import Edit
from tokalign.types.phrases import Phrase
from tokalign.types.relations import Relation

PARQUET = "parquet"
CHUNKS = "ists"
FORMATS = ("pharaoh", "jsonl", "tsv", PARQUET, CHUNKS)
SIMILARITY_FORMATS = ("text", "jsonl", PARQUET)
FIGURES = ("similarity", "score", "covered", "target_covered", "agreement")
SIMILARITY_COLUMNS = ("id", *FIGURES, "error")
ALIGNMENT_COLUMNS = ("id", "source_tokens", "target_tokens", "links", *SIMILARITY_COLUMNS[1:])
_OBJECTS = ("jsonl", PARQUET)
DIGITS = 6
_BREAKS = frozenset("\t\r\n")


class Lines(abc.ABC):
    """How alignments become lines, in the format of the attribute `format`."""

    __slots__ = ()
    format: str
    table_columns: ClassVar[tuple[str, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table that the lines are rows of, as JSON; none where they are text."""
        return self.table_columns if self.format == PARQUET else ()

    @abc.abstractmethod
    def line(self, name: str, alignment: Alignment) -> str:
        """Return the line of an alignment, without its break.

        Raises
        ------
        FormatError
            If the format cannot hold it.
        """

    def bad_line(self, name: str, line: int, error: str) -> str:
        """Return what stands for a pair that could not be aligned."""
        return bad_object(name, line, error) if self.format in _OBJECTS else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout(Lines):
    """How alignments become lines: the format, and what is written besides links."""

    table_columns = ALIGNMENT_COLUMNS
    format: str = flag(
        "What to write. pharaoh: links. tsv: score, links and tokens. jsonl: everything, as JSON "
        "objects. parquet: a table. ists: chunks, in the format of interpretable similarity.",
        type=click.Choice(FORMATS),
        default="pharaoh",
    )
    confidences: bool = flag("Write the confidence of each link, as in 0-0:0.9731.", default=False)
    chunks: bool = flag(
        "Align chunks instead of words: those in brackets, or tokalign's own (ists only).",
        default=False,
    )
    phrases: bool = False
    edits: bool = False

    def line(self, name: str, alignment: Alignment) -> str:
        if self.format in _OBJECTS:
            value = alignment_to_json(name, alignment)
            if self.phrases:
                value["phrases"] = [_phrase(each) for each in alignment.phrases]
            if self.edits:
                value["edits"] = [edit_to_json(each) for each in alignment.edits]
            return json.dumps(value, ensure_ascii=False)
        links = self._links(alignment)
        if self.format == "pharaoh":
            return links
        source, target = (_in_columns(side) for side in (alignment.source, alignment.target))
        return f"{alignment.score:.4f}\t{links}\t{source}\t{target}"

    def _links(self, alignment: Alignment) -> str:
        if not self.confidences:
            return alignment.to_pharaoh()
        return " ".join(
            f"{link.source}-{link.target}:{link.confidence:.4f}" for link in alignment.links
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityLayout(Lines):
    """How similarities become lines: a number each, or objects that hold the score as well."""

    table_columns = SIMILARITY_COLUMNS
    format: str = flag(
        "What to write. text: a number. jsonl, parquet: also its parts, and the score.",
        type=click.Choice(SIMILARITY_FORMATS),
        default="text",
    )

    def line(self, name: str, alignment: Alignment) -> str:
        if self.format == "text":
            return f"{alignment.similarity:.4f}"
        value = {"id": name, **figures_to_json(alignment), **conflicts_to_json(alignment)}
        return json.dumps(value, ensure_ascii=False)


def _in_columns(sentence: Sentence) -> str:
    """Return the tokens between spaces; FormatError where one would break columns or lines."""
    for token in sentence.tokens:
        if not _BREAKS.isdisjoint(token):
            raise FormatError(
                f"token {quoted(token)} holds a tab or a line break, which tsv cannot keep; "
                "write jsonl"
            )
    return " ".join(sentence.tokens)


def bad_object(name: str, line: int, error: str) -> str:
    """Return the line of JSON that stands for a bad line."""
    return json.dumps({"id": name, "line": line, "error": error}, ensure_ascii=False)


def alignment_to_json(name: str, alignment: Alignment) -> dict[str, Any]:
    """Return a JSON object that tokalign's readers take as gold or predictions, too."""
    value: dict[str, Any] = {
        "id": name,
        "source": _sentence(alignment.source),
        "target": _sentence(alignment.target),
        "links": links_to_json(alignment),
        **figures_to_json(alignment),
        "symmetrization": str(alignment.symmetrization),
        "model": alignment.model,
        "version": alignment.version,
    }
    if alignment.style:
        value["style"] = alignment.style
    if alignment.encoded is not None:
        value["encoded"] = alignment.encoded
    if alignment.distance is not None:
        value["distance"] = round(alignment.distance, DIGITS)
    value |= conflicts_to_json(alignment) | truncated_sides(alignment)
    relations = [
        [link.source, link.target, *_relation(link.relation)]
        for link in alignment.links
        if link.relation is not None
    ]
    if relations:
        value["relations"] = relations
    if alignment.posteriors is not None:
        value["posteriors"] = [
            [round(cell, DIGITS) for cell in row] for row in alignment.posteriors.tolist()
        ]
    if alignment.explanations:
        value["explanations"] = [_explanation(each) for each in alignment.explanations]
    return value


def figures_to_json(alignment: Alignment) -> dict[str, float]:
    """Return similarity and score, and what they are made of."""
    found = {name: round(getattr(alignment, name), DIGITS) for name in FIGURES}
    if alignment.cosine is not None:
        found["cosine"] = round(alignment.cosine, DIGITS)
    return found


def conflicts_to_json(alignment: Alignment) -> dict[str, Any]:
    """Return the conflicts under their name, where there are any."""
    found = [
        {
            "kind": each.kind.value,
            "source": each.source,
            "target": each.target,
            "strength": round(each.strength, DIGITS),
        }
        for each in alignment.conflicts
    ]
    return {"conflicts": found} if found else {}


def _relation(value: Relation) -> tuple[str, float]:
    return value.kind.value, round(value.probability, DIGITS)


def truncated_sides(alignment: Alignment) -> dict[str, bool]:
    """Return True under `source_truncated` or `target_truncated` where that sentence was cut."""
    names = ("source_truncated", "target_truncated")
    return {name: True for name in names if getattr(alignment, name)}


def links_to_json(alignment: Alignment) -> list[list[float]]:
    """Return ``[source, target, confidence]`` for each link."""
    return [[link.source, link.target, round(link.confidence, DIGITS)] for link in alignment.links]


def _phrase(value: Phrase) -> dict[str, Any]:
    found: dict[str, Any] = {
        "source": [value.source_start, value.source_end],
        "target": [value.target_start, value.target_end],
        "confidence": round(value.confidence, DIGITS),
    }
    if value.relation is not None:
        found["relation"] = list(_relation(value.relation))
    return found


def edit_to_json(value: Edit) -> dict[str, Any]:
    """Return the object of an edit; one that keeps its tokens has no change."""
    found: dict[str, Any] = {
        "kind": value.kind.value,
        "source": list(value.source),
        "target": list(value.target),
    }
    if value.change is not None:
        found["change"] = value.change.value
    return found


def _sentence(sentence: Sentence) -> Any:
    return sentence_to_json(sentence.replace(tags=None, lemmas=None, heads=None, relations=None))


def _explanation(value: LinkExplanation) -> dict[str, Any]:
    return {
        "source": value.source,
        "target": value.target,
        "direction": str(value.direction),
        "score": round(value.score, DIGITS),
        "runner_up": value.runner_up,
        "margin": round(value.margin, DIGITS),
        "features": contributions_to_json(value.features),
    }


def contributions_to_json(values: Iterable[FeatureContribution]) -> list[dict[str, Any]]:
    """Return the objects of features or of pieces of evidence."""
    return [
        {
            "name": each.name,
            "value": round(each.value, DIGITS),
            "weight": round(each.weight, DIGITS),
        }
        for each in values
    ]
