"""Keywords of options, as type checkers see them, are the options that there are."""

from __future__ import annotations

import inspect
import typing
from dataclasses import fields

import pytest
import tokalign
from tokalign.types import keywords
from tokalign.types.constraints import NAMES
from tokalign.types.options import AlignOptions, GroundOptions, RankOptions


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


COMPLETED = {
    "tokalign.align('a', 'b', symm": "symmetrization=",
    "tokalign.rank('a', ['b'], top": "top_k=",
    "tokalign.ground('a', ['b'], thr": "threshold=",
    "tokalign.pipe([], n_p": "n_process=",
}


@pytest.mark.parametrize("uses_jedi", [True, False])
def test_options_are_completed_where_one_types(uses_jedi: bool) -> None:
    shells = pytest.importorskip("IPython.core.interactiveshell")
    completing = pytest.importorskip("IPython.core.completer")
    shell = shells.InteractiveShell(user_ns={"tokalign": tokalign})
    shell.Completer.use_jedi = uses_jedi
    for typed, wanted in COMPLETED.items():
        with completing.provisionalcompleter():
            found = [each.text for each in shell.Completer.completions(typed, len(typed))]
        assert found == [wanted]


@pytest.mark.parametrize("name", ["align", "pipe", "similarities", "rank", "ground", "diff"])
def test_help_explains_every_option(name: str) -> None:
    function = getattr(tokalign, name)
    options = {"ground": GroundOptions}.get(name, AlignOptions)
    parameters = inspect.signature(function).parameters
    for each in fields(options):
        assert each.name in parameters
        assert f"\n{each.name} : " in function.__doc__
