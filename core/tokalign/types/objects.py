"""Alignments and their parts as JSON: the command line's lines and the server's answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tokalign.types.edits import Edit
from tokalign.types.fields import AlignmentFields, FeatureContribution, LinkExplanation
from tokalign.types.phrases import Phrase
from tokalign.types.relations import Relation
from tokalign.types.sentence import Sentence

FIGURES = ("similarity", "score", "covered", "target_covered", "agreement")
SENTENCE_COLUMNS = ("tags", "lemmas", "heads", "relations")
DIGITS = 6
"""Decimals of numbers."""


def alignment_to_json(
    name: str, alignment: AlignmentFields, *, phrases: bool = False, edits: bool = False
) -> dict[str, Any]:
    """Return a JSON object that tokalign's readers take as gold or predictions, too.

    Parameters
    ----------
    name : str
        Becomes "id".
    alignment : Alignment
    phrases, edits : bool
        Whether these were asked for, so that there is a list of them even if it is empty.
    """
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
    if phrases:
        value["phrases"] = [_phrase(each) for each in alignment.phrases]
    if edits:
        value["edits"] = [_edit(each) for each in alignment.edits]
    return value


def figures_to_json(alignment: AlignmentFields) -> dict[str, float | bool]:
    """Return similarity and score, what they are made of, and whether an encoder read the pair."""
    found: dict[str, float | bool] = {
        name: round(getattr(alignment, name), DIGITS) for name in FIGURES
    }
    if alignment.cosine is not None:
        found["cosine"] = round(alignment.cosine, DIGITS)
    if alignment.encoded is not None:
        found["encoded"] = alignment.encoded
    return found


def conflicts_to_json(alignment: AlignmentFields) -> dict[str, Any]:
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


def truncated_sides(alignment: AlignmentFields) -> dict[str, bool]:
    """Return True under `source_truncated` or `target_truncated` where that sentence was cut."""
    names = ("source_truncated", "target_truncated")
    return {name: True for name in names if getattr(alignment, name)}


def links_to_json(alignment: AlignmentFields) -> list[list[float]]:
    """Return ``[source, target, confidence]`` for each link."""
    return [[link.source, link.target, round(link.confidence, DIGITS)] for link in alignment.links]


def link_columns(alignment: AlignmentFields) -> dict[str, list[Any]]:
    """Return the links column by column: tokens, words, offsets, confidence, kind of relation."""
    sides = (alignment.source, alignment.target)
    indices = [link.source for link in alignment.links], [link.target for link in alignment.links]
    found: dict[str, list[Any]] = {"source": indices[0], "target": indices[1]}
    for name, side, own in zip(("source", "target"), sides, indices, strict=True):
        found[f"{name}_text"] = [side.tokens[k] for k in own]
        found[f"{name}_start"] = [side.starts[k] for k in own]
        found[f"{name}_end"] = [side.ends[k] for k in own]
    found["confidence"] = [link.confidence for link in alignment.links]
    if any(link.relation is not None for link in alignment.links):
        found["relation"] = [
            None if link.relation is None else link.relation.kind.value for link in alignment.links
        ]
    return found


def _phrase(value: Phrase) -> dict[str, Any]:
    found: dict[str, Any] = {
        "source": [value.source_start, value.source_end],
        "target": [value.target_start, value.target_end],
        "confidence": round(value.confidence, DIGITS),
    }
    if value.relation is not None:
        found["relation"] = list(_relation(value.relation))
    return found


def _edit(value: Edit) -> dict[str, Any]:
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


def sentence_to_json(sentence: Sentence) -> list[str] | dict[str, Any]:
    """Return the shortest JSON value that formats.jsonl.sentence_from_json reads back unchanged."""
    tokens = list(sentence.tokens)
    item: dict[str, Any] = {"tokens": tokens}
    if sentence != Sentence.from_tokens(
        tokens, **{name: getattr(sentence, name) for name in SENTENCE_COLUMNS}
    ):
        item = {
            "text": sentence.text,
            "tokens": tokens,
            "offsets": [list(span) for span in zip(sentence.starts, sentence.ends, strict=True)],
        }
    for name in SENTENCE_COLUMNS:
        column = getattr(sentence, name)
        if column is not None:
            item[name] = list(column)
    return tokens if len(item) == 1 else item
