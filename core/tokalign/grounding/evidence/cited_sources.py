"""Evidence prepared for readers: numbered sources, the claims that cite them, and styles of marks.

Offsets count code points here, since texts are cut by them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tokalign.showing.painting import Look
from tokalign.types.grounding import (
    Citation,
    GroundedSentence,
    Grounding,
    SourceConflict,
    SourcePassage,
    WordKind,
)
from tokalign.types.relations import ConflictKind

PLAIN = {
    ConflictKind.VALUE: "different value",
    ConflictKind.NAME: "different name",
    ConflictKind.NEGATION: "negation",
    ConflictKind.MODALITY: "modality",
    ConflictKind.QUANTITY: "quantity",
    ConflictKind.OPPOSITE: "opposite",
    ConflictKind.ROLES: "roles exchanged",
    ConflictKind.CONDITION: "condition",
    ConflictKind.CODE: "different code",
}
"""Name of each kind of conflict for people."""
UNSUPPORTED = Look("31;4", ("[?", "?]"), name="unsupported")
CONFLICT = Look("35;1", ("{!", "!}"), name="conflict")
"""Red and underlined, magenta and bold: distinct without colours, too."""
WORD = Look("", ("", ""), name="word")
CITED = Look("", ("", ""), name="cited")
PARTNER = Look("", ("", ""), name="partner")
CHECKED = (WordKind.VALUE, WordKind.NAME, WordKind.CONTENT)
"""Kinds of words that can be unsupported."""


@dataclass(slots=True)
class CitedSource:
    """A sentence of a passage that is cited."""

    number: int  # from 1, in the order in which the answer cites
    passage: SourcePassage
    start: int  # half-open range of the passage's text
    end: int
    # Citations of it, each with the 0-based sentence of the answer
    cited: list[tuple[int, Citation]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]

    @property
    def line(self) -> int:
        """Number of the passage's line where it begins, from 1."""
        return self.passage.text.count("\n", 0, self.start) + 1


def sources_of(grounding: Grounding) -> dict[tuple[str, int], CitedSource]:
    """Return the cited sentences by passage and start, in the order of their numbers."""
    passages = {passage.id: passage for passage in grounding.passages}
    found: dict[tuple[str, int], CitedSource] = {}
    for number, sentence in enumerate(grounding.sentences):
        for citation in sentence.citations:
            key = citation.passage, citation.start
            if key not in found:
                passage = passages[citation.passage]
                found[key] = CitedSource(len(found) + 1, passage, citation.start, citation.end)
            found[key].cited.append((number, citation))
    return found


def conflicts_of(grounding: Grounding) -> list[SourceConflict]:
    """Return all conflicts in the order of the answer."""
    return [conflict for sentence in grounding.sentences for conflict in sentence.conflicts]


def source_of(sources: dict[tuple[str, int], CitedSource], conflict: SourceConflict) -> CitedSource:
    """Return the cited sentence that a conflict is with."""
    return next(
        source
        for source in sources.values()
        if source.passage.id == conflict.passage
        and source.start <= conflict.passage_start
        and conflict.passage_end <= source.end
    )


def uncovered(grounding: Grounding) -> Iterator[tuple[str, GroundedSentence | None]]:
    """Yield the answer in pieces: each sentence, and the text between sentences (None)."""
    at = 0
    for sentence in grounding.sentences:
        yield grounding.answer[at : sentence.start], None
        yield grounding.answer[sentence.start : sentence.end], sentence
        at = sentence.end
    yield grounding.answer[at:], None
