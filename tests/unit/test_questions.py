"""Questions, what they ask for, and scores of candidates."""

import math

import numpy as np
import pytest
from reference.evidence import fits_of
from tokalign.aligner import Aligner
from tokalign.decoding.evidence import EVIDENCE, pair_evidence
from tokalign.english.questions import asking_clause, ends_as_question, is_polar, is_query
from tokalign.english.values import Kind
from tokalign.errors import ShapeError
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import Lexicons
from tokalign.features.templates import TEMPLATES
from tokalign.files.shipped import data_dir
from tokalign.ranking.answer_types import (
    AnswerType,
    Expected,
    UnitKind,
    expected_answer,
)
from tokalign.ranking.judge import (
    CLAIM_EVIDENCE,
    COSINES,
    WEIGHTS_FILE,
    AnswerWeights,
    Regression,
    added_by_list,
    repetition_of,
    shipped_weights,
    standardised,
    weighed,
)
from tokalign.types import Sentence
from tokalign.types.options import AlignOptions, RankBy
from tokalign.types.ranking import Judgement

from lab.recipes.question_weights import written


def tagged(text):
    """Return a sentence of words written as form/tag; lemmas are the forms in lower case."""
    forms, tags = zip(*(word.rsplit("/", 1) for word in text.split()), strict=True)
    return Sentence.from_tokens(forms, tags=tags, lemmas=[form.lower() for form in forms])


EXPECTED = {
    "Who founded the company ?": AnswerType.PERSON,
    "What actor played the part ?": AnswerType.PERSON,
    "When was it founded ?": AnswerType.DATE,
    "In what year was it founded ?": AnswerType.DATE,
    "Where is it ?": AnswerType.PLACE,
    "What is the capital of France ?": AnswerType.PLACE,
    "Which large U.S. city is it ?": AnswerType.PLACE,
    "How many seats are there ?": AnswerType.NUMBER,
    "What is the population of the town ?": AnswerType.NUMBER,
    "What record company is it ?": AnswerType.NAME,
    "What does a prion do ?": AnswerType.THING,
    "Why is the tale famous ?": AnswerType.OTHER,
    "What is a trivet for ?": AnswerType.OTHER,
    "For what purpose was it built ?": AnswerType.OTHER,
    "What is the reason ?": AnswerType.OTHER,
    "What happens at noon ?": AnswerType.OTHER,
    "What does it stand for ?": AnswerType.THING,
    "What colours does the paint come in ?": AnswerType.COLOUR,
    "What are the three colours of the flag ?": AnswerType.COLOUR,
    "What are the flag 's colours ?": AnswerType.COLOUR,
    "What was the original color of the house ?": AnswerType.COLOUR,
    "Name the colours in the flag .": AnswerType.COLOUR,
    "What is the colour television made of ?": AnswerType.MATERIAL,
    "Who chose the colours ?": AnswerType.PERSON,
    "Which dark color is it ?": AnswerType.COLOUR,
    "What is the table made of ?": AnswerType.MATERIAL,
    "What kind of fabric is it ?": AnswerType.MATERIAL,
    "How often does it run ?": AnswerType.OFTEN,
    "How do I reset it ?": AnswerType.WAY,
    "How did they get in ?": AnswerType.OTHER,
    "What does membership cost ?": AnswerType.NUMBER,
    "What size is it ?": AnswerType.NUMBER,
    "What 's the fee for late payment ?": AnswerType.NUMBER,
    "Whats the minimum order ?": AnswerType.NUMBER,
    "What is its height ?": AnswerType.NUMBER,
    "At what temperature does it fail ?": AnswerType.NUMBER,
    "What do you charge for delivery ?": AnswerType.NUMBER,
    "What is the fee when I pay late ?": AnswerType.NUMBER,
    "How loud is the pump ?": AnswerType.NUMBER,
    "What is the area known for ?": AnswerType.OTHER,
    "What is the best way to cut costs ?": AnswerType.WAY,
    "What should I do if it breaks ?": AnswerType.WAY,
    "How many times a day does it run ?": AnswerType.OFTEN,
    "At what intervals is it checked ?": AnswerType.OFTEN,
    "How many people who came were paid ?": AnswerType.NUMBER,
    "What are the opening hours of the shop ?": AnswerType.DATE,
    "What 's the deadline ?": AnswerType.DATE,
    "Which days is it shut ?": AnswerType.DATE,
    "What is her birthday ?": AnswerType.DATE,
    "Can you tell me when it opens ?": AnswerType.DATE,
    "If it is lost , who pays ?": AnswerType.PERSON,
    "What currency do they use ?": AnswerType.NAME,
    "Which steel is it made of ?": AnswerType.MATERIAL,
    "Does it stop when it is empty ?": AnswerType.ANY,
    "When it is dark , does it stop ?": AnswerType.ANY,
    "What languages does she speak ?": AnswerType.NAME,
    "Is it open ?": AnswerType.ANY,
    "What is a fjord ?": AnswerType.MEANING,
    "what are banana plugs": AnswerType.MEANING,
    "What does the term mean ?": AnswerType.MEANING,
    "What is meant by a soft deadline ?": AnswerType.MEANING,
    "What does it mean in Spanish ?": AnswerType.THING,
    "What is the capital ?": AnswerType.PLACE,
    "What are they ?": AnswerType.THING,
    "What is wrong ?": AnswerType.THING,
    "What are you doing ?": AnswerType.THING,
    "What is it used for ?": AnswerType.THING,
    "What is the difference between them ?": AnswerType.OTHER,
    "How does it differ ?": AnswerType.OTHER,
}


@pytest.mark.parametrize(
    ("text", "clause", "polar"),
    [("When it 's dark , is it safe ?", "is it safe ?", True),
     ("When r we meeting , and where ?", "when r we meeting , and where ?", False),
     ("It gets hot when I use it , is that normal ?", "is that normal ?", True),
     ("Who found it , and when ?", "who found it , and when ?", False),
     ("Could anyone explain to me how it works ?", "how it works ?", False),
     ("Would you know by any chance at what time it closes ?", "at what time it closes ?", False),
     ("Do you know if it rains when it 's hot ?", "do you know if it rains when it 's hot ?", True),
     ("whats the code again ? thx", "what 's the code again ? thx", False),
     ("So what did you find ?", "what did you find ?", False),
     ("I leave on Monday . Should I pay ?", "should i pay ?", True),
     ("Can you name five ships ?", "name five ships ?", False),
     ("You know when it is ?", "you know when it is ?", False),
     ("Give me the address please", "what is the address please", False),
     ("Anyone know the code ?", "what is the code ?", False),
     ("Do you know Ann ?", "do you know ann ?", True),
     ("Does it stop when it 's empty ?", "does it stop when it 's empty ?", True)],
)  # fmt: skip
def test_the_clause_that_asks(text, clause, polar):
    found = asking_clause(Sentence.from_tokens(text.split()))
    assert (found, is_polar(found)) == (clause, polar)


@pytest.mark.parametrize(
    ("text", "answer"),
    [("Max weight?", AnswerType.NUMBER), ("The price?", AnswerType.NUMBER),
     ("Opening hours?", AnswerType.DATE), ("Meaning of the sign?", AnswerType.MEANING),
     ("Any news?", AnswerType.ANY), ("Really?", AnswerType.ANY)],
)  # fmt: skip
def test_a_phrase_asks_what_it_is(text, answer):
    assert expected_answer(Aligner.load().annotate([text])[0]).answer is answer


def test_the_expected_answer():
    found = {text: expected_answer(Sentence.from_tokens(text.split())).answer for text in EXPECTED}
    assert found == EXPECTED


@pytest.mark.parametrize(
    ("text", "time", "until"),
    [("How long does it last ?", True, False), ("How long have you been here ?", True, False),
     ("how long should i wait", True, False), ("How long is the bridge ?", False, True),
     ("How soon will it come ?", False, True)],
)  # fmt: skip
def test_how_long_with_an_auxiliary_asks_for_a_time(text, time, until):
    found = expected_answer(Sentence.from_tokens(text.split()))
    assert found.answer is AnswerType.NUMBER
    assert (found.measures is UnitKind.TIME, Kind.DATE in found.kinds) == (time, until)


def answer_row(question, candidate):
    """Return the evidence of a candidate without a link to the question."""
    row = Aligner.load().rank(question, [candidate], explain=True)[0].judgement.evidence
    return {piece.name: piece.value for piece in row}


@pytest.mark.parametrize(
    ("candidate", "typed"),
    [("A long narrow inlet of the sea.", 1.0), ("It is a deep inlet.", 1.0),
     ("A fjord is an inlet.", 1.0), ("These were once valleys.", 1.0),
     ("The fjord is in the west.", 0.0), ("A fjord is worth two visits.", 0.0),
     ("The fjord freezes each year.", 0.0), ("Ferries cross the fjord.", 1.0)],
)  # fmt: skip
def test_what_something_is_begins_a_sentence_or_follows_is(candidate, typed):
    assert answer_row("What is a fjord?", candidate)["typed"] == typed


def test_a_reason_counts_by_how_much_is_told():
    question = "Why was the bridge closed?"
    told = [
        answer_row(question, candidate)["typed"]
        for candidate in (
            "The bridge was closed.", "The bridge was closed on Tuesday.",
            "The bridge was closed again by police.",
            "Inspectors had found cracks in two of its steel supports.",
        )
    ]  # fmt: skip
    assert told[:2] == [0.0, 0.0]
    assert 0.0 < told[2] < told[3] < 1.0


@pytest.mark.parametrize(
    ("text", "asks"),
    [("Who is it", True), ("In what year", True), ("Is it so ?", True), ("Name it .", False),
     ("The man who came", False), ("so um when do we meet", True), ("hi , is it open", True),
     ("whats the word for it", True), ("any news", True), ("Is it so .", False),
     ("Well", False), ("No eggs , can I use milk ? ty x", True),
     ("Is that so ? Best wishes , Ann", True),
     ("Tell me when it opens .", True), ("List the cards that work", True),
     ("anyone know the code", True), ("Show business is hard .", False),
     ("List prices rose .", False), ("Please pay by Monday .", False),
     ("He thanked me for it .", False)],
)  # fmt: skip
def test_questions_are_recognised(text, asks):
    assert is_query(Sentence.from_tokens(text.split())) is asks


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [("Who built it?", True), ('He said: "Who built it?"', True), ("Who? \U0001f642", True),
     ("Really?!", True), ("Who built it? Ann did.", False), ("It was built.", False)],
)  # fmt: skip
def test_a_question_may_end_in_further_marks(text, is_asked):
    assert ends_as_question(text) is is_asked


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (AnswerType.WAY, [1.0, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0]),
        (AnswerType.OTHER, [0.5, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0]),
        (AnswerType.MEANING, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        (AnswerType.ANY, [0.5, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5]),
        (AnswerType.PLACE, [0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0]),
        (AnswerType.COLOUR, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        (AnswerType.MATERIAL, [0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0]),
        (AnswerType.OFTEN, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
    ],
)
def test_how_words_of_lists_and_places_fit_a_type(answer, expected):
    words = tagged("Paint/VB red/JJ what/WP is/VBZ behind/IN stoves/NNS every/DT winter/NN")
    assert fits_of(words, Expected(answer)) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (AnswerType.PERSON, [1.0, 1.0, 0.0, 0.0, 0.5, 0.0, 0.0]),
        (AnswerType.PLACE, [0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0]),
        (AnswerType.DATE, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        (AnswerType.NUMBER, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25]),  # it is a year
        (AnswerType.THING, [1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
        (AnswerType.OTHER, [0.5, 0.5, 0.5, 0.0, 0.5, 0.0, 0.0]),
    ],
)
def test_how_words_fit_a_type(answer, expected):
    words = tagged("Ada/NNP Smith/NNP worked/VBD in/IN Ulm/NNP in/IN 1908/CD")
    assert (
        fits_of(words, Expected(answer, frozenset({Kind.DATE} if answer == "date" else ())))
        == expected
    )


QUESTION = tagged("Who/WP founded/VBD Acme/NNP ?/.")


@pytest.fixture(scope="module")
def extractor():
    lexicons = Lexicons.for_groups(["vectors"])
    switched_off = np.full(len(TEMPLATES), -1, np.int32)
    return Extractor(
        lexicons.wordnet, switched_off, lexicons.vectors, frequencies=lexicons.frequencies
    )


def found(extractor, question, candidate, links):
    mean = np.zeros((len(candidate), len(question)))
    for i, j in links:
        mean[i, j] = 1.0
    row = pair_evidence(extractor, candidate, question, mean, expected_answer(question), 0.75, 1.0)
    return dict(zip(EVIDENCE, row.tolist(), strict=True))


def test_evidence_of_an_answer(extractor):
    candidate = tagged("Acme/NNP was/VBD founded/VBN by/IN Ada/NNP Smith/NNP ./.")
    seen = found(extractor, QUESTION, candidate, [(0, 2), (2, 1)])
    assert (seen["score"], seen["agreement"], seen["names"]) == (0.75, 1.0, 1.0)
    assert seen["typed"] == 1.0  # Ada Smith
    assert seen["by_verb"] == pytest.approx(6 / 8)  # "Ada" is two tokens from "founded"
    assert seen["neighbours"] == pytest.approx(0.5)  # "founded Acme" in the other order
    # of "Ada" the partners are 2 and 4 tokens away; "Smith" is farther from both
    assert 6 / 10 < seen["name"] < 6 / 8
    assert seen["value"] == 0.0
    # of the partners, one stands first and one third
    assert 4 / 6 < seen["early"] < 1.0
    assert seen["topic"] > 0.5


def test_words_of_the_question_are_no_answers(extractor):
    seen = found(extractor, QUESTION, tagged("Acme/NNP grew/VBD ./."), [(0, 2)])
    assert (seen["typed"], seen["name"], seen["by_verb"]) == (0.0, 0.0, 0.0)
    assert seen["bare"] == seen["early"] > 0.0


@pytest.mark.parametrize(
    ("question", "candidate", "marks"),
    [
        ("Is/VBZ it/PRP old/JJ ?/.", "Yes/UH ,/, very/RB ./.", (1.0, 0.0, 1.0)),
        ("Is/VBZ it/PRP old/JJ ?/.", "If/IN it/PRP is/VBZ old/JJ ,/, go/VB ./.", (0.0, 1.0, 1.0)),
        ("Why/WRB is/VBZ it/PRP old/JJ ?/.", "It/PRP is/VBZ not/RB ./.", (0.0, 0.0, 0.0)),
    ],
)
def test_how_a_candidate_begins(extractor, question, candidate, marks):
    seen = found(extractor, tagged(question), tagged(candidate), [])
    assert (seen["yes_no"], seen["clause"], seen["polar"]) == marks


@pytest.mark.parametrize(
    ("question", "best", "worse"),
    [
        ("How/WRB much/JJ did/VBD it/PRP cost/VB ?/.",
         "It/PRP cost/VBD $/$ 5/CD ./.", "It/PRP cost/VBD them/PRP in/IN 1990/CD ./."),
        ("How/WRB old/JJ is/VBZ it/PRP ?/.",
         "It/PRP is/VBZ 40/CD years/NNS old/JJ ./.", "It/PRP is/VBZ 40/CD feet/NNS old/JJ ./."),
        ("When/WRB was/VBD it/PRP built/VBN ?/.",
         "It/PRP was/VBD built/VBN in/IN 1990/CD ./.",
         "It/PRP was/VBD built/VBN for/IN $/$ 5/CD ./."),
    ],
)  # fmt: skip
def test_values_of_the_expected_kind_fit_best(extractor, question, best, worse):
    question, best, worse = map(tagged, (question, best, worse))
    links = [(1, 4 if len(question) == 6 else 3)]
    assert (
        found(extractor, question, best, links)["typed"]
        > found(extractor, question, worse, links)["typed"]
    )


def test_what_values_a_number_may_be():
    asked = expected_answer(Sentence.from_tokens(["How", "long", "is", "it", "?"]))
    assert asked.answer is AnswerType.NUMBER
    assert Kind.QUANTITY in asked.kinds
    assert asked.measures == UnitKind.SIZE | UnitKind.TIME


def test_links_of_another_shape_are_refused(extractor):
    with pytest.raises(ShapeError, match=r"links have shape \(1, 1\); wanted \(4, 4\)"):
        pair_evidence(
            extractor, QUESTION, QUESTION, np.zeros((1, 1)), expected_answer(QUESTION), 1.0, 1.0
        )


def test_the_score_is_the_sigmoid_of_what_is_explained():
    regression = Regression(("a", "b"), -1.0, (2.0, 0.5))
    pieces = regression.explain((0.5, 0.0))
    assert [(each.name, each.value, each.weight) for each in pieces] == [
        ("bias", 1.0, -1.0),
        ("a", 0.5, 2.0),
        ("b", 0.0, 0.5),
    ]
    assert regression.score((0.5, 0.0)) == pytest.approx(0.5)
    assert Regression(("a",), 0.0, (math.log(3),)).score((1.0,)) == pytest.approx(0.75)


def test_the_shipped_weights_are_written_as_they_are_read():
    weights = shipped_weights()
    pieces = EVIDENCE[:-1]
    assert {of: each.names for of, each in weights.regressions.items()} == {
        "question": pieces,
        "polar": pieces,
        "encoded-question": (*pieces, *COSINES),
        "encoded-polar": (*pieces, *COSINES),
        "claim": CLAIM_EVIDENCE,
    }
    assert weights.prior > 0
    assert written(weights) == (data_dir() / WEIGHTS_FILE).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def aligner():
    return Aligner.load()


def judged(aligner, question, candidates, by=RankBy.ANSWER):
    pairs = aligner._engine.annotate_pairs([(candidate, question) for candidate in candidates])
    return [
        each for _, each in aligner._engine.judge_annotated(pairs, AlignOptions(explain=True), by)
    ]


def test_the_shipped_regression_prefers_an_answer_to_a_repetition(aligner):
    answer, repetition = judged(
        aligner, "Who founded Acme?", ["Acme was founded by Ada Smith.", "Acme was founded."]
    )
    assert answer.score > repetition.score


def test_a_claim_is_answered_by_what_says_it(aligner):
    same, other = judged(
        aligner, "Ada Smith founded Acme.", ["Acme was founded by Ada Smith.", "Ada Smith left."]
    )
    assert {piece.name for piece in same.evidence} == {"bias", *CLAIM_EVIDENCE}
    assert same.by is RankBy.ANSWER
    assert same.score > other.score


def test_auto_ranks_a_claim_by_its_score(aligner):
    (found,) = judged(aligner, "Ada founded Acme.", ["Acme was founded by Ada."], RankBy.AUTO)
    assert (found.by, found.evidence) == (RankBy.SCORE, ())


@pytest.mark.parametrize(
    ("priors", "expected"),
    [
        ([3.0, None, 1.0], [1.0, None, -1.0]),
        ([30.0, None, 10.0], [1.0, None, -1.0]),
        ([-7.0, -9.0], [1.0, -1.0]),
        ([2.0, 2.0], [0.0, 0.0]),
        ([None, None], [None, None]),
        ([0.0], [0.0]),
        ([1e308, -1e308], [1.0, -1.0]),
        ([], []),
    ],
)
def test_priors_are_standardised(priors, expected):
    assert standardised(priors) == pytest.approx(expected)


def test_a_prior_adds_to_the_log_odds():
    weights = AnswerWeights({}, prior=math.log(3))
    added, none = added_by_list([0.5, 0.5], [None, None], [0.0, 0.0], [1.0, None], weights)
    plain = Judgement(RankBy.ANSWER, 0.5)
    assert weighed(plain, added, explain=False) == Judgement(RankBy.ANSWER, pytest.approx(0.75))
    explained = weighed(plain, added, explain=True)
    assert [piece.name for piece in explained.evidence] == ["prior"]
    assert weighed(plain, none, explain=True) is plain
    for score in (0.0, 1.0):
        certain = weighed(Judgement(RankBy.SCORE, score), added, explain=False)
        assert certain.score == pytest.approx(score, abs=1e-6)


REPEATS, LESS, OTHER = 0.5, 0.35, 0.15


@pytest.mark.parametrize(
    ("scores", "repetitions", "raised"),
    [
        ([0.2, 0.3, 0.4], [REPEATS, REPEATS, OTHER], {2}),
        ([0.2, 0.3, 0.4, 0.1], [REPEATS, REPEATS, OTHER, 0.0], {2, 3}),
        ([0.2, 0.3, 0.4], [REPEATS, REPEATS, LESS], set()),
        ([0.2, 0.3, 0.4, 0.1, 0.2], [REPEATS, REPEATS, OTHER, LESS, OTHER], set()),  # too few
        ([0.2, 0.3], [REPEATS, OTHER], set()),  # one alone
        ([0.2, 0.9, 0.4], [REPEATS, REPEATS, OTHER], set()),  # one of them answers
        ([0.2, 0.3, 0.96], [REPEATS, REPEATS, OTHER], {2}),
        ([0.2, 0.3, 0.4, 0.0], [REPEATS, REPEATS, OTHER, None], {2}),
        ([0.2, 0.3, 0.4], [None, None, None], set()),
        ([], [], set()),
    ],
)
def test_an_answer_in_other_words_is_raised_where_most_repeat_the_question(
    scores, repetitions, raised
):
    found = added_by_list(
        scores, repetitions, [0.0] * len(scores), [None] * len(scores), shipped_weights()
    )
    assert {k for k, pieces in enumerate(found) if pieces} == raised
    for k in raised:
        assert [piece.name for piece in found[k]] == ["unrepeated"]
        assert found[k][0].value == pytest.approx(1 - repetitions[k] / 0.3)


def test_how_far_a_candidate_repeats_a_question(aligner):
    def repetition(candidate, question, by=RankBy.ANSWER):
        return repetition_of(aligner.align(candidate, question), by)

    question = "Who repaired the clock?"
    assert repetition("The clock was repaired.", question) == 1.0
    assert repetition("The old clock needs repairs.", question) == pytest.approx(4 / 6)
    assert repetition("A watchmaker.", question) == 0.0
    assert repetition("It was.", "Is it?") == 0.0
    assert repetition("The clock was repaired.", question, RankBy.SCORE) is None
    assert repetition("The clock was repaired.", "She repaired the clock.") is None
