"""Evidence for an answer as JSON; ground.schema.json describes it."""

from __future__ import annotations

from typing import Any

from tokalign.types.grounding import (
    Citation,
    GroundedSentence,
    GroundedWord,
    Grounding,
    SourceConflict,
    UnsupportedSpan,
)

DIGITS = 6


def grounding_to_dict(grounding: Grounding) -> dict[str, Any]:
    """Return an answer's evidence as a JSON object, without the answer and the passages."""
    return {
        "model": grounding.model,
        "version": grounding.version,
        "sentences": list(map(sentence_to_dict, grounding.sentences)),
    }


def sentence_to_dict(sentence: GroundedSentence) -> dict[str, Any]:
    """Return a sentence's evidence as a JSON object."""
    value: dict[str, Any] = {
        "start": sentence.start,
        "end": sentence.end,
        "support": None if sentence.support is None else round(sentence.support, DIGITS),
        "words": list(map(_word, sentence.words)),
        "citations": list(map(_citation, sentence.citations)),
        "unsupported": list(map(_unsupported, sentence.unsupported)),
        "conflicts": list(map(_conflict, sentence.conflicts)),
    }
    if sentence.error is not None:
        value["error"] = str(sentence.error)
    return value


def _word(word: GroundedWord) -> dict[str, Any]:
    value: dict[str, Any] = {
        "start": word.start,
        "end": word.end,
        "kind": word.kind.value,
        "support": round(word.support, DIGITS),
        "citation": word.citation,
        "partners": [list(each) for each in word.partners],
    }
    if word.evidence:
        value["evidence"] = [
            {
                "name": each.name,
                "value": round(each.value, DIGITS),
                "weight": round(each.weight, DIGITS),
            }
            for each in word.evidence
        ]
    return value


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "passage": citation.passage,
        "start": citation.start,
        "end": citation.end,
        "cover": round(citation.cover, DIGITS),
        "links": [
            {
                "word": link.word,
                "start": link.start,
                "end": link.end,
                "confidence": round(link.confidence, DIGITS),
            }
            for link in citation.links
        ],
        "says_also": citation.says_also,
    }


def _unsupported(span: UnsupportedSpan) -> dict[str, Any]:
    return {"start": span.start, "end": span.end, "support": round(span.support, DIGITS)}


def _conflict(conflict: SourceConflict) -> dict[str, Any]:
    return {
        "kind": conflict.kind.value,
        "start": conflict.start,
        "end": conflict.end,
        "passage": conflict.passage,
        "passage_start": conflict.passage_start,
        "passage_end": conflict.passage_end,
        "probability": round(conflict.probability, DIGITS),
    }
