"""Treebank sentences as training data: reading, joining hyphenated words, lower-casing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokalign.errors import FormatError

_BRACKET_TAGS = {"(": "-LRB-", ")": "-RRB-", "{": "-LRB-", "}": "-RRB-"}


@dataclass(slots=True)
class Tree:
    """One gold sentence.

    Attributes
    ----------
    tokens, tags, relations : list of str
    heads : list of int
        0-based, -1 for the root.
    spaces : list of bool
        Whether a space follows each token in the text.
    """

    tokens: list[str]
    tags: list[str]
    heads: list[int]
    relations: list[str]
    spaces: list[bool]


def read_trees(path: str | os.PathLike[str]) -> Iterator[Tree]:
    """Yield the syntactic words of each sentence of a CoNLL-U file with their gold trees.

    Raises
    ------
    FormatError
        If a word line does not have ten columns, a Penn tag and a head.
    """
    tree = Tree([], [], [], [], [])
    span_end = 0
    with Path(path).open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if not line:
                if tree.tokens:
                    yield tree
                tree, span_end = Tree([], [], [], [], []), 0
                continue
            if line.startswith("#"):
                continue
            columns = line.split("\t")
            if len(columns) != 10:
                raise FormatError(f"{len(columns)} columns; wanted 10", path=path, line=number)
            if "." in columns[0]:
                continue
            space = "SpaceAfter=No" not in columns[9]
            if "-" in columns[0]:
                span_end, span_space = int(columns[0].split("-")[1]), space
                continue
            if not columns[6].isdigit() or columns[4] == "_":
                raise FormatError("a word without head or Penn tag", path=path, line=number)
            word_id = int(columns[0])
            if word_id <= span_end:
                space = span_space if word_id == span_end else False
            tree.tokens.append(columns[1].replace(" ", ""))
            tree.tags.append(columns[4])
            tree.heads.append(int(columns[6]) - 1)
            tree.relations.append(columns[7])
            tree.spaces.append(space)
    if tree.tokens:
        yield tree


def penn_tokens(tokens: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Return the tokens with straight quotes written as in the Penn Treebank."""
    return [
        tag if tag in ("``", "''") and token == '"' else token
        for token, tag in zip(tokens, tags, strict=True)
    ]


def join_hyphens(tree: Tree) -> Tree | None:
    """Return the tree with words joined over hyphens, as the Penn Treebank writes them.

    UD English splits ``15-year`` into three tokens; the Penn Treebank has one. The joined word
    keeps the arc that leaves the group. Its tag is the last part's, or JJ where the group
    modifies what follows it. None if nothing can be joined.
    """
    n_tokens = len(tree.tokens)
    group_of = list(range(n_tokens))
    for index in range(1, n_tokens - 1):
        if (
            tree.tags[index] == "HYPH"
            and not tree.spaces[index - 1]
            and not tree.spaces[index]
            and tree.tokens[index - 1][-1].isalnum()
            and tree.tokens[index + 1][0].isalnum()
        ):
            group_of[index] = group_of[index + 1] = group_of[index - 1]
    if group_of == list(range(n_tokens)):
        return None
    members: dict[int, list[int]] = {}
    for index, group in enumerate(group_of):
        members.setdefault(group, []).append(index)
    position = {group: number for number, group in enumerate(members)}
    joined = Tree([], [], [], [], [])
    for indices in members.values():
        inside = set(indices)
        leaving = [index for index in indices if tree.heads[index] not in inside]
        if len(leaving) != 1:
            return None
        top, last = leaving[0], indices[-1]
        head = tree.heads[top]
        tag = tree.tags[last]
        if len(indices) > 1 and head > last and not tag.startswith("NNP"):
            tag = "JJ" if tree.relations[top] in ("amod", "compound", "nummod", "obl") else tag
        relation = tree.relations[top]
        joined.tokens.append("".join(tree.tokens[index] for index in indices))
        joined.tags.append(tag)
        joined.heads.append(position[group_of[head]] if head >= 0 else -1)
        joined.relations.append("amod" if tag == "JJ" and relation == "compound" else relation)
        joined.spaces.append(tree.spaces[last])
    return joined
