"""Chunks of sentences by their trees: a noun with what stands before it, a verb with its helpers.

The task of interpretable similarity divides sentences so. Training sentences of the project's own
corpus are divided by the trees that the native annotator gives them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokalign.english.annotate import load_annotator
from tokalign.english.annotate.prepared import annotate
from tokalign.types import Sentence
from tokalign.types.relations import TokenChunk

JOINED = frozenset(
    ("det", "amod", "nummod", "compound", "case", "aux", "flat", "fixed", "goeswith", "nmod:poss")
)
"""Relations, most without what follows a colon, of words that are in the chunk of their head."""
NEGATIONS = frozenset(("not", "n't", "nt", "never"))


def with_trees(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences with tags and trees."""
    annotator = load_annotator("native")
    tokens = [sentence.tokens for sentence in sentences]
    return list(annotate(annotator, tokens, trees=True, truncate=False))


def chunks_of(sentence: Sentence) -> list[TokenChunk]:
    """Return the chunks of a sentence that has a tree; they hold every token once, in order."""
    heads = sentence.heads or ()
    joined = [_is_joined(sentence, at) for at in range(len(sentence))]
    tops = []
    for at in range(len(sentence)):
        top, n_steps = at, 0
        while joined[top] and heads[top] >= 0 and n_steps < len(sentence):
            top, n_steps = heads[top], n_steps + 1
        tops.append(top)
    starts = [k for k in range(len(tops)) if k == 0 or tops[k] != tops[k - 1]]
    return [
        tuple(range(start, end))
        for start, end in zip(starts, [*starts[1:], len(tops)], strict=True)
    ]


def _is_joined(sentence: Sentence, at: int) -> bool:
    """Whether a word is in the chunk of its head."""
    relation, head = (sentence.relations or ())[at], (sentence.heads or ())[at]
    tags = sentence.tags or ()
    if head < 0:
        return False
    if relation in JOINED or relation.partition(":")[0] in JOINED:
        return at < head or relation.partition(":")[0] in ("case", "flat", "fixed", "compound")
    if relation in ("cc", "conj"):
        return _is_in_list(sentence, at)
    if relation == "mark":
        return tags[at] == "TO"
    if relation == "advmod":
        is_near = at + 1 == head and tags[head][:2] in ("JJ", "RB", "CD")
        return is_near or sentence.tokens[at].lower() in NEGATIONS
    return relation == "punct" and tags[at] == "HYPH"


def _is_in_list(sentence: Sentence, at: int) -> bool:
    """Whether a word is part of two nouns, numbers or adjectives with "and" or "or" between."""
    relations, heads, tags = sentence.relations or (), sentence.heads or (), sentence.tags or ()
    one, other = (heads[heads[at]], heads[at]) if relations[at] == "cc" else (heads[at], at)
    if one < 0 or relations[other] != "conj":
        return False
    between = [k for k in range(one + 1, other) if heads[k] in (one, other)]
    return (
        tags[one][:1] in "NJCD"
        and tags[other][:1] in "NJCD"
        and "cc" in {relations[k] for k in between}
        and not any(tags[k] in (",", ":") for k in range(one + 1, other))
    )
