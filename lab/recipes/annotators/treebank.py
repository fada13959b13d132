"""Treebank sentences as training data: reading, joining hyphenated words, quotes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from tokalign.english.annotate.tags_and_relations import PENN_TAGS
from tokalign.errors import FormatError
from tokalign.formats import open_document
from tokalign.formats.conllu import read_sentences
from tokalign.types import Sentence


def read_trees(path: str | os.PathLike[str]) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U file, each with Penn tags and a tree.

    Raises
    ------
    FormatError
        If the file is not CoNLL-U, or a sentence lacks its tree or a Penn tag.
    """
    known = frozenset(PENN_TAGS)
    for number, (_, sentence) in enumerate(read_sentences(open_document(Path(path))), 1):
        others = sorted(set(sentence.tags or ("_",)) - known)
        if others:
            raise FormatError(f"sentence {number}: tag {others[0]!r}; wanted Penn tags", path=path)
        if sentence.heads is None:
            raise FormatError(f"sentence {number} has no heads; wanted a tree", path=path)
        # Words with spaces ("1 000") have none in text that is tokenised.
        yield sentence.replace(tokens=tuple(token.replace(" ", "") for token in sentence.tokens))


def tree_columns(
    sentence: Sentence,
) -> tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...]]:
    """Return tags, heads and relations of a sentence that has them."""
    assert sentence.tags is not None
    assert sentence.heads is not None and sentence.relations is not None
    return sentence.tags, sentence.heads, sentence.relations


def penn_tokens(tokens: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Return the tokens with straight quotes written as in the Penn Treebank."""
    return [
        tag if tag in ("``", "''") and token == '"' else token
        for token, tag in zip(tokens, tags, strict=True)
    ]


def join_hyphens(tree: Sentence) -> Sentence | None:
    """Return the tree with words joined over hyphens, as the Penn Treebank writes them.

    UD English splits ``15-year`` into three tokens; the Penn Treebank has one. The joined word
    keeps the arc that leaves the group. Its tag is the last part's, or JJ where the group
    modifies what follows it. None if nothing can be joined.
    """
    tags, heads, relations = tree_columns(tree)
    group_of = list(range(len(tree)))
    for index in range(1, len(tree) - 1):
        if (
            tags[index] == "HYPH"
            and tree.starts[index] <= tree.ends[index - 1]
            and tree.starts[index + 1] <= tree.ends[index]
            and tree.tokens[index - 1][-1].isalnum()
            and tree.tokens[index + 1][0].isalnum()
        ):
            group_of[index] = group_of[index + 1] = group_of[index - 1]
    members: dict[int, list[int]] = {}
    for index, group in enumerate(group_of):
        members.setdefault(group, []).append(index)
    if len(members) == len(tree):
        return None
    position = {group: number for number, group in enumerate(members)}
    words: list[tuple[str, int, int, str, int, str]] = []
    for indices in members.values():
        inside = set(indices)
        leaving = [index for index in indices if heads[index] not in inside]
        if len(leaving) != 1:
            return None
        top, first, last = leaving[0], indices[0], indices[-1]
        head, tag, relation = heads[top], tags[last], relations[top]
        if len(indices) > 1 and head > last and not tag.startswith("NNP"):
            tag = "JJ" if relation in ("amod", "compound", "nummod", "obl") else tag
        words.append((
            "".join(tree.tokens[index] for index in indices),
            tree.starts[first],
            tree.ends[last],
            tag,
            position[group_of[head]] if head >= 0 else -1,
            "amod" if tag == "JJ" and relation == "compound" else relation,
        ))  # fmt: skip
    tokens, starts, ends, joined_tags, joined_heads, joined_relations = zip(*words, strict=True)
    return Sentence(
        tree.text, tokens, starts, ends,
        tags=joined_tags, heads=joined_heads, relations=joined_relations,
    )  # fmt: skip
