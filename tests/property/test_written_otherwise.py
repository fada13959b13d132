"""Invariance: what a text is written with changes nothing of what is said of it, by all ways in."""

from __future__ import annotations

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.rewritten import FORMS, PAIRS, links_of, without_stop
from tokalign import Aligner
from tokalign.texts.diff import diff_of
from tokalign.texts.diff.summary import summarize
from tokalign.types.grounding import Grounding

ALIGNER = Aligner("en")
ANSWER = (
    "The bakery in Lyon was founded in 1921. It doesn't sell bread on Mondays, and it was bought "
    "by a train company. Renée Holm can't come on Friday."
)
PASSAGES = [
    "Renée Holm founded the old bakery of Lyon in 1921. It sells no bread on Mondays.",
    "Her train has been cancelled, so Renée Holm cannot come on Friday. The budget grew.",
]
QUESTION = "Who founded the bakery in Lyon?"
CANDIDATES = [
    "The bakery opened in May and sells bread in Lyon.",
    "Renée Holm founded the bakery of Lyon in 1921.",
    "The council approved a budget.",
    "Michelangelo didn't found the bakery in Lyon.",
]
TEXT = (
    "The old bakery in Lyon was founded by Renée Holm in 1921. It doesn't sell bread on Mondays. "
    "The budget is 12 million euros."
)
forms = st.sampled_from(sorted(FORMS))
sides = st.sampled_from(["source", "target", "both"])
several = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])


def written(pair: tuple[str, str], form: str, side: str) -> tuple[str, str]:
    source, target = pair
    write = FORMS[form]
    return (
        source if side == "target" else write(source),
        target if side == "source" else write(target),
    )


@several
@given(st.sampled_from(PAIRS), forms, sides)
def test_the_links_of_a_pair(pair, form, side) -> None:
    plain = ALIGNER.align(*pair, edits=True)
    found = ALIGNER.align(*written(pair, form, side), edits=True)
    assert links_of(found) == links_of(plain)
    assert abs(found.similarity - plain.similarity) <= 0.02
    assert [each.kind for each in found.conflicts] == [each.kind for each in plain.conflicts]


@several
@given(forms, sides)
def test_links_of_many_pairs_and_similarities(form, side) -> None:
    pairs = [written(pair, form, side) for pair in PAIRS]
    for found, plain in zip(ALIGNER.pipe(pairs), ALIGNER.pipe(PAIRS), strict=True):
        assert links_of(found) == links_of(plain)
    for (source, target), (plain_source, plain_target) in zip(pairs, PAIRS, strict=True):
        found = ALIGNER.similarity(source, target)
        assert abs(found - ALIGNER.similarity(plain_source, plain_target)) <= 0.02


def supports(grounding: Grounding) -> list[float]:
    return [
        word.support
        for sentence in grounding.sentences
        for word in sentence.words
        if word.support is not None
    ]


@several
@given(forms, sides)
def test_the_support_of_an_answer(form, side) -> None:
    answer = ANSWER if side == "target" else FORMS[form](ANSWER)
    passages = PASSAGES if side == "source" else list(map(FORMS[form], PASSAGES))
    found, plain = ALIGNER.ground(answer, passages), ALIGNER.ground(ANSWER, PASSAGES)
    assert len(found.sentences) == len(plain.sentences)
    assert all(abs(a - b) <= 0.05 for a, b in zip(supports(found), supports(plain), strict=True))


@given(st.sampled_from([ANSWER, *(target for _, target in PAIRS)]))
def test_the_final_stop_of_an_answer(answer) -> None:
    found, plain = (ALIGNER.ground(each, PASSAGES) for each in (without_stop(answer), answer))
    marks = len(supports(plain)) - len(supports(found))
    assert marks in (0, 1)
    both = zip(supports(found), supports(plain)[: len(supports(found))], strict=True)
    assert all(abs(a - b) <= 0.05 for a, b in both)


@several
@given(forms, st.lists(st.booleans(), min_size=4, max_size=4), st.booleans(), st.booleans())
@example("bullet", [True, False, False, False], False, False)
def test_the_order_of_candidates(form, which, is_asked_so, has_no_stop) -> None:
    def other(text: str) -> str:
        return FORMS[form](without_stop(text) if has_no_stop else text)

    candidates = [other(c) if is_so else c for c, is_so in zip(CANDIDATES, which, strict=True)]
    question = FORMS[form](QUESTION) if is_asked_so else QUESTION
    found, plain = ALIGNER.rank(question, candidates), ALIGNER.rank(QUESTION, CANDIDATES)
    assert [each.index for each in found] == [each.index for each in plain]


@several
@given(forms, st.booleans())
def test_a_difference_raises_no_alarm(form, is_new) -> None:
    old, new = (TEXT, FORMS[form](TEXT)) if is_new else (FORMS[form](TEXT), TEXT)
    texts = ALIGNER.align_texts(old, new, edits=True)
    assert all(block.old and block.new and not block.moved for block in texts.blocks)
    found = diff_of(texts)
    assert found.rebuild_new(old) == new
    assert summarize(found).alarms == ()
