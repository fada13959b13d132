"""Keywords of options, as type checkers see them, are the options that there are."""

from __future__ import annotations

import typing
from dataclasses import fields

import pytest
from tokalign.types import keywords
from tokalign.types.constraints import NAMES
from tokalign.types.grounding import GroundOptions
from tokalign.types.options import AlignOptions, RankOptions


def test_keywords_are_the_fields_of_the_options() -> None:
    def names(kind: type) -> set[str]:
        return set(typing.get_type_hints(kind))

    align = {each.name for each in fields(AlignOptions)}
    assert names(keywords.AlignKeywords) == align
    assert names(keywords.PairKeywords) == align | set(NAMES)
    assert names(keywords.GroundKeywords) == {each.name for each in fields(GroundOptions)}
    ranking = {each.name for each in fields(RankOptions)}
    assert names(keywords.RankKeywords) == align | ranking


@pytest.mark.parametrize("name", ["symmetrization", "offsets", "detail", "priority"])
def test_words_for_an_option_are_the_values_of_its_kind(name: str) -> None:
    hint = typing.get_type_hints(keywords.AlignKeywords)[name]
    kind, literal = typing.get_args(hint)
    assert set(typing.get_args(literal)) == {str(each) for each in kind}
