"""Answers that show evidence or a difference, as structs of which schemas are made.

They describe what `Grounding.to_dict`, `TextDiff.to_dict` and `Summary.to_dict` return; the command
line and the server write it. docs/schemas.py writes the schemas beside the pages.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from tokalign.server.http.json_answers import JsonAnswer, JsonContribution
from tokalign.server.http.json_bodies import JsonIndex, JsonRange, Share, about
from tokalign.texts.diff.alarms import KINDS
from tokalign.texts.diff.summary import CHANGES
from tokalign.texts.diff.text_diff import FORMAT, FORMAT_VERSION, BlockKind
from tokalign.types.edits import CONFLICTING
from tokalign.types.grounding import WordKind
from tokalign.types.relations import ConflictKind

JsonText = Annotated[str, Meta(min_length=1)]
JsonLine = Annotated[int, Meta(ge=1)]


class JsonWord(JsonAnswer):
    """A token of the answer."""

    start: JsonIndex
    end: JsonIndex
    kind: Annotated[
        WordKind,
        about(
            "Only values (numbers, money, dates, times), names and content words can be "
            "unsupported."
        ),
    ]
    support: Annotated[Share, about("Probability that the passages support it.")]
    citation: Annotated[
        JsonIndex | None,
        about(
            "Position, among the sentence's citations, of the one that supports it best; null "
            "where none has a partner of it."
        ),
    ]
    partners: Annotated[
        list[JsonRange],
        about("Ranges of that citation's passage: the words that it is linked with."),
    ]
    evidence: (
        Annotated[
            list[JsonContribution],
            about(
                "Of explain: what the support is made of. Value times weight, summed, is its log "
                "odds."
            ),
        ]
        | UnsetType
    ) = UNSET


class JsonCitationLink(JsonAnswer):
    """A link between a word of the answer and one of the passage."""

    word: Annotated[JsonIndex, about("Position among the words of the answer's sentence.")]
    start: Annotated[JsonIndex, about("Of its partner, in the passage's text.")]
    end: JsonIndex
    confidence: Share


class JsonCitation(JsonAnswer):
    """A sentence of a passage."""

    passage: Annotated[str, about("Id of the passage: yours, or its position as text.")]
    start: Annotated[JsonIndex, about("In the passage's text.")]
    end: JsonIndex
    cover: Annotated[
        Share,
        about(
            "Share of the answer's sentence that it supports; words are weighed by how rare they "
            "are."
        ),
    ]
    links: list[JsonCitationLink]
    says_also: Annotated[
        bool,
        about(
            "Whether it adds nothing to the citations before it, which support what it supports, "
            "too."
        ),
    ]


class JsonUnsupported(JsonAnswer):
    """A run of words that the passages do not support."""

    start: JsonIndex
    end: JsonIndex
    support: Annotated[Share, about("Mean of its values, names and content words.")]


class JsonSourceConflict(JsonAnswer):
    """A place where the answer and a passage say unlike things."""

    kind: ConflictKind
    start: JsonIndex
    end: JsonIndex
    passage: str
    passage_start: JsonIndex
    passage_end: JsonIndex
    probability: Share


class JsonGroundedSentence(JsonAnswer):
    """A sentence of the answer."""

    start: JsonIndex
    end: JsonIndex
    support: Annotated[
        Share | None,
        about(
            "Mean support of its values, names and content words, weighed by how rare they are; "
            "null of a sentence without any: there is nothing to support."
        ),
    ]
    words: Annotated[list[JsonWord], about("All tokens in order.")]
    citations: Annotated[
        list[JsonCitation],
        about("The best first, each for what it covers beyond those before it."),
    ]
    unsupported: Annotated[
        list[JsonUnsupported], about("Runs of words below the threshold, in order.")
    ]
    conflicts: Annotated[
        list[JsonSourceConflict],
        about("With sentences that are cited, in the order of the answer."),
    ]
    error: (
        Annotated[str, about("From a server: why there is no evidence for the sentence.")]
        | UnsetType
    ) = UNSET


class JsonGrounding(JsonAnswer, kw_only=True):
    """Evidence for an answer: where the passages support each word of it.

    It is no verdict on truth. Ranges are half-open and count Unicode code points where no other
    unit was asked for.
    """

    id: (
        Annotated[
            str,
            about(
                "The input's, its line number, or the name of the answer's file; from the command "
                "line."
            ),
        ]
        | UnsetType
    ) = UNSET
    model: Annotated[str, about("Name of the model that aligned.")]
    version: Annotated[str, about("Version of the model.")]
    sentences: Annotated[list[JsonGroundedSentence], about("Of the answer, in order.")]


class JsonBadLine(JsonAnswer):
    """What stands for a bad line of many answers; from the command line."""

    id: str
    line: Annotated[JsonLine, about("Its number in the input.")]
    error: Annotated[JsonText, about("Its fault.")]


JsonChange = Annotated[
    str,
    Meta(
        description="What changed. The meaning: number, negation, modality, opposite, quantity, "
        "condition, name, roles, code, wording, content. The form: order, inflection, spelling, "
        "case, punctuation. markup: signs of mark-up, citation marks and labels alone. space: "
        "white space alone.",
        extra_json_schema={"enum": list(map(str, CHANGES))},
    ),
]
JsonMove = Annotated[
    int,
    Meta(
        ge=1,
        description="Number of the move: what has one stands at another place than its neighbours. "
        "Neighbours that move together share it.",
    ),
]


class JsonSegment(JsonAnswer, tag_field="kind", kw_only=True):
    """Base of segments."""

    old: JsonRange
    new: JsonRange
    move: JsonMove | UnsetType = UNSET


class JsonEqual(JsonSegment, tag="EQ"):
    """The same in both texts."""

    text: str


class JsonReplaced(JsonSegment, tag="SUB"):
    """Words that stand for others."""

    change: JsonChange
    old_text: JsonText
    new_text: JsonText


class JsonMoved(JsonReplaced, tag="MOV"):
    """The same words at another place."""


class JsonDeleted(JsonSegment, tag="DEL"):
    """What only the old text has."""

    change: JsonChange
    old_text: JsonText


class JsonInserted(JsonSegment, tag="INS"):
    """What only the new text has."""

    change: JsonChange
    new_text: JsonText


class JsonBlock(JsonAnswer, kw_only=True):
    """Sentences of both texts that correspond."""

    kind: Annotated[
        BlockKind,
        about(
            "What became of the sentences. In one that is the same, white space may differ; one "
            "that moved, was split or was merged may have changed, too."
        ),
    ]
    old: JsonRange
    new: JsonRange
    old_sentences: list[JsonRange]
    new_sentences: list[JsonRange]
    move: JsonMove | UnsetType = UNSET
    segments: list[JsonEqual | JsonReplaced | JsonMoved | JsonDeleted | JsonInserted]


class JsonWordCounts(JsonAnswer):
    """How many words changed."""

    deleted: JsonIndex
    inserted: JsonIndex
    moved: JsonIndex


class JsonPlace(JsonAnswer):
    """A place where words changed."""

    block: JsonIndex
    segment: JsonIndex
    paragraph: JsonLine
    sentence: Annotated[
        str,
        about("What else became of the sentence, such as moved; empty where nothing did."),
    ]
    old_line: JsonLine
    new_line: JsonLine
    row: Annotated[
        str,
        about("What stands in the first cell of its row of a table; empty outside of tables."),
    ]


class JsonAlarm(JsonAnswer):
    """A change of meaning."""

    change: Annotated[str, Meta(extra_json_schema={"enum": list(map(str, CONFLICTING))})]
    kind: Annotated[
        str,
        Meta(
            description="What changed, the most important first; of sentences that come or go, "
            "what they do: prohibition, obligation, permission, denial.",
            extra_json_schema={"enum": list(KINDS)},
        ),
    ]
    old: Annotated[str, about("What it was; empty where there was nothing.")]
    new: Annotated[str, about("What it is; empty where there is nothing.")]
    places: Annotated[
        list[JsonPlace],
        Meta(
            min_length=1,
            description="Each place where the same words changed, in the order of the new text.",
        ),
    ]
    is_minor: Annotated[bool, about("Whether few changes of its like matter to a reader.")]


class JsonRenumbered(JsonAnswer):
    """A label of a heading, clause or item that was numbered anew."""

    old: str
    new: str
    old_line: JsonLine
    new_line: JsonLine


class JsonSummary(JsonAnswer):
    """What changed at a glance."""

    blocks: Annotated[dict[BlockKind, JsonIndex], about("Blocks by kind.")]
    changes: Annotated[
        dict[JsonChange, JsonIndex], about("Segments by change, those of the meaning first.")
    ]
    words: JsonWordCounts
    alarms: Annotated[
        list[JsonAlarm],
        about(
            "Changes of meaning, by importance: one for the same old and new words, with all of "
            "its places."
        ),
    ]
    renumbered: list[JsonRenumbered]


class JsonDifference(JsonAnswer, forbid_unknown_fields=False, kw_only=True):
    """What changed from one text to another.

    Blocks, and the segments of a block, stand in the order of the new text and cover it without a
    gap; by their old ranges, they cover the old text so. The new text is the text or new_text of
    all segments, joined in order; the old text is their text or old_text, joined in the order of
    old. Ranges are half-open and count Unicode code points.
    """

    format: Annotated[str, Meta(extra_json_schema={"const": FORMAT})]
    format_version: Annotated[
        int,
        Meta(
            description="Rises if a reader of the version before would go wrong.",
            extra_json_schema={"const": FORMAT_VERSION},
        ),
    ]
    model: Annotated[
        str, about("Name of the model that aligned the texts; empty where they are equal.")
    ]
    version: Annotated[str, about("Version of the model.")]
    old_name: Annotated[str, about("Of the old file; from the command line.")] | UnsetType = UNSET
    new_name: Annotated[str, about("Of the new file; from the command line.")] | UnsetType = UNSET
    blocks: list[JsonBlock]
    summary: Annotated[JsonSummary, about("Not of to_dict.")] | UnsetType = UNSET
