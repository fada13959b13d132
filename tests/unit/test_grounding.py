"""Evidence for answers: passages, offsets, errors, and what adding a passage changes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from reference import support_inputs as twin
from tokalign.aligner import Aligner
from tokalign.codec.grounding import decode_grounded_sentence, encode_grounded_sentence
from tokalign.decoding.evidence import COLUMNS
from tokalign.errors import InputError, LimitError, ResourceError, ServerError
from tokalign.files.tables import Table, write_table
from tokalign.grounding.answer_words import AlignedCandidate, AnswerWords
from tokalign.grounding.ground import ground_sentences
from tokalign.grounding.sources import Sources
from tokalign.grounding.support_inputs import (
    CONTEXT_INPUTS,
    INPUTS,
    context_inputs,
    support_inputs,
)
from tokalign.grounding.support_model import SupportModel
from tokalign.types.grounding import SourcePassage, WordKind
from tokalign.types.options import GroundOptions
from tokalign.types.relations import ConflictKind
from tokalign.types.sentence import MAX_TEXT_SENTENCES
from tokalign.types.texts import SentenceSpan

ANSWER = "The old mill in Ulm was built in 1894 by Marta Lindqvist. It has 40 rooms and a garden."
PASSAGES = [
    SourcePassage("guide", "Ulm lies on the Danube. Its old mill was built in 1894."),
    SourcePassage("report", "The mill has 45 rooms. Nobody lives there."),
]
OTHER = "Bakers knead dough before dawn. Rye bread keeps for weeks."


@pytest.fixture(scope="module")
def found(aligner):
    return aligner.ground(ANSWER, PASSAGES, explain=True)


def text_of(found, word):
    return found.answer[word.start : word.end]


def words(found):
    return {text_of(found, word): word for each in found.sentences for word in each.words}


def test_what_is_said_in_a_passage_has_support_and_what_is_not_has_none(found):
    word = words(found)
    assert min(word[each].support for each in ("mill", "built", "1894")) > 0.75
    assert max(word[each].support for each in ("Marta", "Lindqvist", "40")) < 0.5


def test_the_sentence_that_says_it_is_cited(found):
    texts = {each.id: each.text for each in found.passages}
    cited = [
        texts[each.citations[0].passage][each.citations[0].start : each.citations[0].end]
        for each in found.sentences
    ]
    assert cited == ["Its old mill was built in 1894.", "The mill has 45 rooms."]


def test_citations_have_links_ordered_by_word_and_in_the_passage(found):
    passages = {each.id: each.text for each in found.passages}
    for sentence in found.sentences:
        for citation in sentence.citations:
            assert 0.0 <= citation.cover <= 1.0
            assert list(citation.links) == sorted(citation.links, key=lambda each: each.word)
            for link in citation.links:
                assert citation.start <= link.start < link.end <= citation.end
                assert passages[citation.passage][link.start : link.end].strip()


def test_partners_of_a_word_are_links_of_its_citation(found):
    for sentence in found.sentences:
        for number, word in enumerate(sentence.words):
            if word.citation is None:
                assert word.partners == ()
            else:
                links = sentence.citations[word.citation].links
                assert word.partners == tuple(
                    (link.start, link.end) for link in links if link.word == number
                )


def test_names_that_follow_one_another_are_one_unsupported_span(found):
    texts = [found.answer[each.start : each.end] for each in found.sentences[0].unsupported]
    assert texts == ["Marta Lindqvist"]


def test_another_number_is_a_conflict(found):
    (conflict,) = found.sentences[1].conflicts
    assert conflict.kind is ConflictKind.VALUE
    assert found.answer[conflict.start : conflict.end] == "40"
    report = found.passages[1].text
    assert report[conflict.passage_start : conflict.passage_end] == "45"


def test_sentences_that_say_the_same_are_cited_after_those_that_tell_more(aligner):
    passages = ["Ulm lies on the Danube.", "Ulm is on the Danube.", "It rains in Bern."]
    (sentence,) = aligner.ground("Ulm lies on the Danube.", passages).sentences
    assert [(each.passage, each.says_also) for each in sentence.citations] == [
        ("0", False),
        ("1", True),
    ]


def test_a_passage_that_contradicts_a_supported_answer_is_told(aligner):
    passages = ["The mill in Ulm has 40 rooms.", "The mill in Ulm was never sold."]
    (sentence,) = aligner.ground("The mill in Ulm was sold.", passages).sentences
    assert [(each.kind, each.passage) for each in sentence.conflicts] == [
        (ConflictKind.NEGATION, "1")
    ]


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("Marta Lind wrote the report in 2015.", "Marta Lind was born in 1970."),
        ("The library bought 300 books in March.", "The library lent 500 books in April."),
    ],
)
def test_a_sentence_about_another_event_contradicts_nothing(aligner, answer, passage):
    (sentence,) = aligner.ground(answer, [passage]).sentences
    assert sentence.citations
    assert sentence.conflicts == ()


def test_kinds_of_words(found):
    word = words(found)
    assert word["1894"].kind is WordKind.VALUE
    assert word["Marta"].kind is WordKind.NAME
    assert word["mill"].kind is WordKind.CONTENT
    assert word["in"].kind is WordKind.FUNCTION
    assert word["."].kind is WordKind.MARK


def test_evidence_sums_to_the_log_odds_of_the_support(found):
    for sentence in found.sentences:
        for word in sentence.words:
            log_odds = sum(each.value * each.weight for each in word.evidence)
            assert 1 / (1 + math.exp(-log_odds)) == pytest.approx(word.support, abs=1e-6)
            sizes = [abs(each.value * each.weight) for each in word.evidence]
            assert sizes == sorted(sizes, reverse=True)


def test_evidence_is_given_where_asked_for_alone(aligner):
    found = aligner.ground(ANSWER, PASSAGES)
    assert not any(word.evidence for each in found.sentences for word in each.words)


def test_an_answer_in_other_words_throughout_is_supported(aligner):
    passages = ["The traders were brutal."], ["Bakers knead dough."]
    (said,), (other,) = (
        aligner.ground("Merchants were cruel", each).sentences for each in passages
    )
    assert said.support > 0.5 > other.support
    assert said.citations and not other.citations and not other.conflicts


def test_a_sentence_shorter_than_the_claim_is_read_as_the_models_learned_it(aligner):
    passage = "Orders can be returned within 30 days if unused. Sale items cannot be returned."
    (sentence,) = aligner.ground("You can return sale items within 30 days.", [passage]).sentences
    assert [each.kind for each in sentence.conflicts] == ["negation"]


def test_a_passage_on_something_else_changes_nothing(aligner, found):
    more = aligner.ground(ANSWER, [*PASSAGES, SourcePassage("other", OTHER)], explain=True)
    assert more.sentences == found.sentences


def test_a_passage_that_also_says_it_changes_neither_cover_nor_links(aligner, found):
    again = SourcePassage("again", "Marta Lindqvist built the old mill of Ulm in 1894.")
    more = aligner.ground(ANSWER, [*PASSAGES, again])
    for before, after in zip(found.sentences, more.sentences, strict=True):
        same = {(each.passage, each.start): each for each in before.citations}
        for citation in after.citations:
            known = same.get((citation.passage, citation.start), citation)
            assert (citation.cover, citation.links) == (known.cover, known.links)
    word = words(more)
    assert word["Lindqvist"].support > words(found)["Lindqvist"].support


@pytest.mark.parametrize(("others", "aligned"), [([], [0, 1, 2]), (["Ulm has a mill."], [20])])
def test_of_passages_on_something_else_few_are_aligned(aligner, others, aligned):
    sources = Sources.of([OTHER] * 10 + others)
    (sentence,) = aligner.annotate(["The old mill in Ulm was built in 1894."])
    own = AnswerWords.of(sentence, sources)
    assert sources.candidates(own.holders, own.weights, 3) == aligned


def test_passages_are_texts_pairs_or_values(aligner):
    ids = [
        each.id for each in aligner.ground("", ["a", ("b", "c"), SourcePassage("d", "")]).passages
    ]
    assert ids == ["0", "b", "d"]


@pytest.mark.parametrize("answer", ["", " \n"])
def test_an_empty_answer_has_no_sentences(aligner, answer):
    assert aligner.ground(answer, PASSAGES).sentences == ()


@pytest.mark.parametrize("passages", [[], [""], [" \n "]])
def test_without_a_sentence_in_the_passages_nothing_is_cited(aligner, passages):
    found = aligner.ground(ANSWER, passages)
    assert [each.citations for each in found.sentences] == [(), ()]
    assert all(each.unsupported for each in found.sentences)


@pytest.mark.parametrize("answer", ["It was they.", "No.", "...", "\N{THUMBS UP SIGN}"])
def test_a_sentence_that_claims_nothing_has_no_support(aligner, answer):
    found = aligner.ground(answer, PASSAGES)
    (sentence,) = found.sentences
    assert sentence.support is None
    assert sentence.unsupported == ()
    assert found.to_dict()["sentences"][0]["support"] is None
    assert str(found) == answer
    sent = encode_grounded_sentence(sentence, 0)
    assert decode_grounded_sentence(sent, lambda status: ServerError("")).support is None


@pytest.mark.parametrize(
    ("unit", "encoding", "width"), [("utf-8", "utf-8", 1), ("utf-16", "utf-16-le", 2)]
)
def test_offsets_in_another_unit(aligner, unit, encoding, width):
    answer, passage = "😀 Zoë built the mill in 1894.", "😀 Zoë built the mill in 1895."
    plain = aligner.ground(answer, [passage])
    other = aligner.ground(answer, [passage], offsets=unit)

    def cut(text, start, end):
        return text.encode(encoding)[width * start : width * end].decode(encoding)

    for before, after in zip(plain.sentences, other.sentences, strict=True):
        for one, two in zip(before.words, after.words, strict=True):
            assert cut(answer, two.start, two.end) == answer[one.start : one.end]
            assert [cut(passage, *each) for each in two.partners] == [
                passage[slice(*each)] for each in one.partners
            ]
        for two in after.conflicts:
            assert cut(passage, two.passage_start, two.passage_end) == "1895"
        for one, two in zip(before.unsupported, after.unsupported, strict=True):
            assert cut(answer, two.start, two.end) == answer[one.start : one.end]


@pytest.mark.parametrize(
    ("passages", "field"),
    [
        ("one text", "passages"),
        ([3], "passages[0]"),
        ([("a", "b", "c")], "passages[0]"),
        ([("a", 3)], "passages[0].text"),
        ([(3, "a")], "passages[0].id"),
        (["x", ("0", "y")], "passages[1].id"),
        (["\ud800"], "passages[0].text"),
        ([("\ud800", "a")], "passages[0].id"),
    ],
)
def test_bad_passages_name_their_field(aligner, passages, field):
    with pytest.raises(InputError) as caught:
        aligner.ground(ANSWER, passages)
    assert caught.value.field == field


def test_too_many_sentences_are_refused():
    with pytest.raises(LimitError) as caught:
        Sources.of(["a.\n\n" * (MAX_TEXT_SENTENCES // 2 + 1)] * 2)
    assert caught.value.field == "passages[1].text"


@pytest.mark.parametrize("answer", [3, "\ud800"])
def test_bad_answers_name_their_field(aligner, answer):
    with pytest.raises(InputError) as caught:
        aligner.ground(answer, PASSAGES)
    assert caught.value.field == "answer"


@pytest.mark.parametrize(
    ("name", "value"),
    [("candidates", 0), ("candidates", True), ("threshold", 2), ("threshold", math.nan),
     ("offsets", "words"), ("colour", 1)],
)  # fmt: skip
def test_bad_options_name_their_field(aligner, name, value):
    with pytest.raises(InputError) as caught:
        aligner.ground(ANSWER, PASSAGES, **{name: value})
    assert caught.value.field == f"options.{name}"


def test_a_system_has_no_posteriors():
    with pytest.raises(InputError, match="ask a model") as caught:
        Aligner.load("lemma").ground(ANSWER, PASSAGES)
    assert caught.value.field == "model"


def test_an_error_of_one_sentence_costs_the_others_nothing(aligner):
    sources = Sources.of(PASSAGES)
    spans = [SentenceSpan(0, 8, "The mill"), SentenceSpan(9, 10, "\ud800")]
    one, two = ground_sentences(aligner._engine, spans, sources, GroundOptions())
    assert one.citations
    assert isinstance(two, InputError)


def test_a_stream_yields_a_sentence_when_no_more_text_can_change_it(aligner):
    pieces = iter(["The mill was built in 18", "94. It ", "has 40 rooms.", " It"])
    seen = []

    def watched():
        for piece in pieces:
            seen.append(piece)
            yield piece

    stream = aligner.ground_stream(watched(), PASSAGES)
    first = next(stream)
    assert (first.start, first.end) == (0, 27)
    assert len(seen) == 2
    assert aligner.ground("".join([*seen, *pieces]), PASSAGES).sentences[0] == first


def test_a_piece_that_is_no_text_is_refused(aligner):
    with pytest.raises(InputError) as caught:
        list(aligner.ground_stream([3], PASSAGES))
    assert caught.value.field == "answer"


def test_a_model_of_other_inputs_is_refused(tmp_path):
    path = tmp_path / "support.table"
    shipped = Table.open_shipped("support")
    arrays = {name: shipped[name] for name in shipped.header["arrays"]}
    write_table(
        path,
        arrays | {"inputs": list(INPUTS[1:])},
        name="support", version="1", license="", source="",
    )  # fmt: skip
    with pytest.raises(ResourceError, match="other inputs"):
        SupportModel.of(Table.open(path))


def test_what_another_sentence_says_in_the_same_words_is_no_other_value(aligner):
    passages = [
        "The Eiffel Tower is a lattice tower on the Champ de Mars in Paris.",
        "The company of Gustave Eiffel built the tower from 1887 to 1889.",
    ]
    found = aligner.ground("The Eiffel Tower was built by Gustave Eiffel's company.", passages)
    assert found.sentences[0].conflicts == ()
    found = aligner.ground("The company built the tower from 1887 to 1899.", passages)
    (conflict,) = found.sentences[0].conflicts
    assert found.answer[conflict.start : conflict.end] == "1887 to 1899"
    assert passages[1][conflict.passage_start : conflict.passage_end] == "1887 to 1889"


@pytest.mark.parametrize("n_candidates", [0, 1, 5])
@pytest.mark.parametrize("has_tree", [False, True])
def test_inputs_of_support_are_those_of_the_twin(aligner, n_candidates, has_tree) -> None:
    rng = np.random.default_rng(n_candidates)
    passages = [
        "Mr. Lee bought 20 grey cats in Paris on 3 May 2019. He paid $5 million, in cash.",
        "The cats of Ann Lee, a dentist, sleep all day. Paris is a city in France.",
    ]
    sources = Sources.of(passages)
    texts = ["Ann Lee bought twenty cats, in Paris, for $5 million (2019).", "Of what?", "- ."]
    for sentence in aligner.annotate(texts):
        n = len(sentence)
        heads = tuple(int(rng.integers(-1, k)) if k else -1 for k in range(n))
        given = replace(sentence, heads=heads, relations=("dep",) * n) if has_tree else sentence
        words = AnswerWords.of(given, sources)
        candidates = [
            AlignedCandidate(
                number,
                given,
                None,
                0,
                rng.random((n, len(COLUMNS))).astype(np.float32),
                frozenset([key for keys in words.values.values() for key in keys][:number]),
            )
            for number in rng.permutation(len(sources.sentences)).tolist()[:n_candidates]
        ]
        rows = support_inputs(words, candidates, sources)
        assert rows.shape == (n, len(INPUTS))
        expected = twin.support_inputs(words, candidates, sources)
        np.testing.assert_allclose(rows, expected, rtol=1e-6, atol=1e-7)
        log_odds = rng.normal(scale=4.0, size=n)
        found = context_inputs(words, log_odds)
        assert found.shape == (n, len(CONTEXT_INPUTS))
        np.testing.assert_allclose(found, twin.context_inputs(words, log_odds), rtol=1e-12)


DENIALS = [  # a passage, a claim that it supports, one that it contradicts
    (
        "Contrary to reports, the board did not sell the house in Kiel; it was let to a school "
        "because prices were low. The garden is open.",
        "The house in Kiel was let to a school.",
        "The board sold the house in Kiel.",
    ),
    (
        "Engineers saw no sign that the wall had moved, but said that they could not exclude it "
        "because the gauges had been stolen. The road stays open.",
        "Engineers could not exclude that the wall had moved.",
        "Engineers saw signs that the wall had moved.",
    ),
    (
        "Closing the valve can fail with a hiss; in this case, it is not removed from the line.",
        "If closing the valve fails, it is not removed from the line.",
        "If closing the valve fails, it is removed from the line.",
    ),
    (
        "The poet did not live to see the play performed; he died in March, two months before it "
        "opened. It ran for a year.",
        "The poet died before the play was performed.",
        "The poet lived to see the play performed.",
    ),
    (
        "If the cable has been unplugged for more than an hour, the router must be restarted, but "
        "stored settings are not erased. Keep a copy.",
        "Stored settings are not erased when the cable is unplugged.",
        "Stored settings are erased when the cable has been unplugged for more than an hour.",
    ),
    (
        "The agency denied that it had received any complaint before the bridge failed, and said "
        "that the last test, made in May, had found no faults. An inquiry will follow.",
        "The agency denied having received a complaint.",
        "The agency had received complaints before the bridge failed.",
    ),
    (
        "If you rename a field in a shared table, take care, as the name of the view might change "
        "when new rows arrive, which would break old reports.",
        "Renaming a field in a shared table might break old reports.",
        "Renaming a field in a shared table does not break old reports.",
    ),
    (
        "The device is not intended for use by children under twelve unless they are supervised by "
        "an adult who has read this manual. Keep the packaging.",
        "The device is not intended for use by unsupervised children under twelve.",
        "The device is intended for use by children under twelve.",
    ),
    (
        "You may not copy or lend any part of any recording that identifies the speakers or alters "
        "their voices. You may quote from the notes.",
        "You may not lend any part of a recording that identifies the speakers.",
        "You may lend a part of a recording that identifies the speakers.",
    ),
    (
        "The field may be blank to indicate no preference (guests must have a blank field), or it "
        "may hold a name of any length.",
        "The field may be blank.",
        "The field may not be blank.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("passage", "right", "wrong"), DENIALS)
def test_what_a_long_sentence_denies_is_told_and_what_else_it_says_is_not(
    aligner, passage, right, wrong
):
    def told(claim):
        return [
            conflict for s in aligner.ground(claim, [passage]).sentences for conflict in s.conflicts
        ]

    assert told(right) == []
    assert told(wrong)
