"""First guesses of people: functions without an aligner, names, and rows as they have them."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tokalign
from support.guesses import GUESSES, SETUP
from tokalign import Aligner, Constraints, InputError, functions
from tokalign.types.inputs import SIDE_NAMES, require_pair

PAIR = ("Dogs bark.", "The dogs bark.")
LINKS = "0-1 1-2 2-3"


@pytest.fixture(scope="module")
def aligner() -> Aligner:
    return functions.default_aligner()


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what an interpreter that has just been started shows of each guess."""
    program = (
        f"{SETUP}\nimport json\n"
        f"print(json.dumps({{each: repr(eval(each)) for each in {list(GUESSES)}}}))"
    )
    folder: Path = tmp_path_factory.mktemp("new-user")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("guess", GUESSES)
def test_a_first_guess_works(shown, guess):
    assert re.fullmatch(GUESSES[guess], shown[guess]), shown[guess]


CALLS: dict[str, Callable[[Any], Any]] = {
    "align": lambda of: of.align(*PAIR).to_pharaoh(),
    "similarity": lambda of: of.similarity(*PAIR),
    "similarities": lambda of: of.similarities(PAIR[0], [PAIR[1], "It rained."]).tolist(),
    "similarity_matrix": lambda of: of.similarity_matrix(PAIR, ["It rained."]).tolist(),
    "near_duplicates": lambda of: list(of.near_duplicates(PAIR)),
    "rank": lambda of: [each.index for each in of.rank("Who barks?", ["It rained.", PAIR[0]])],
    "ground": lambda of: of.ground(PAIR[0], [PAIR[1]]).sentences,
    "ground_stream": lambda of: list(of.ground_stream([PAIR[0]], [PAIR[1]])),
    "align_chunks": lambda of: of.align_chunks(*PAIR).links,
    "align_texts": lambda of: of.align_texts(*PAIR).blocks,
    "diff": lambda of: of.diff(*PAIR),
    "pipe": lambda of: list(of.pipe([PAIR])),
    "explain": lambda of: of.explain(*PAIR, 0, 1),
    "split": lambda of: of.split("It rains. Dogs bark."),
}


def test_what_is_misspelt_or_mistaken_is_refused(aligner):
    mistakes: dict[str, Callable[[], Any]] = {
        "no option 'stlye'; wanted one of symm": lambda: tokalign.align(*PAIR, stlye="free"),
        "no style 'fre'; the model en has auto": lambda: aligner.align(*PAIR, style="fre"),
        "posteriors is 'yes'; wanted True or": lambda: aligner.align(*PAIR, posteriors="yes"),
        "truncate is None; wanted True or": lambda: aligner.align(*PAIR, truncate=None),
        "explain is 'no'; wanted True or": lambda: tokalign.ground("a", ["a"], explain="no"),
        "every token has white space": lambda: tokalign.similarity(PAIR[0], [*PAIR]),
        "text is None; wanted text": lambda: tokalign.split(None),  # type: ignore[arg-type]
        "the passages are None; wanted": lambda: tokalign.ground(PAIR[0], None),
        "the question is None; wanted": lambda: tokalign.rank(None, [PAIR[0]]),
        "candidates is None; wanted": lambda: tokalign.rank("Who?", None),
        "many is 3; wanted": lambda: tokalign.similarities(PAIR[0], 3),
        "the model is None; wanted a name": lambda: Aligner(None),  # type: ignore[arg-type]
        "pairs is {'source'": lambda: list(aligner.pipe({"source": "a", "target": "b"})),
        "pairs is 'Dogs bark.'": lambda: list(aligner.pipe(PAIR[0])),
        "pairs is 3; wanted pairs": lambda: list(aligner.pipe(3)),
        "batch_size is '8'": lambda: list(aligner.pipe([PAIR], batch_size="8")),
        "n_process is 1.5": lambda: list(aligner.pipe([PAIR], n_process=1.5)),
    }
    for message, mistaken in mistakes.items():
        with pytest.raises(InputError, match=re.escape(message)):
            mistaken()


def test_tokens_may_have_white_space_where_some_have_none_or_a_sentence_is_made(aligner):
    assert aligner.align(["New York", "grew"], PAIR[0]).source[0] == "New York"
    assert aligner.align(tokalign.Sentence.from_tokens(["New York"]), PAIR[0]).source.tokens


def test_pairs_may_be_read_by_index(aligner):
    class Rows:  # as PyTorch's map-style data sets are
        def __getitem__(self, number: int) -> tuple[str, str]:
            return (PAIR, PAIR)[number]

    assert [each.to_pharaoh() for each in aligner.pipe(Rows(), batch_size=np.int64(1))] == [
        LINKS, LINKS,
    ]  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_function_gives_what_the_method_of_its_name_gives(aligner, name):
    if name == "near_duplicates":
        pytest.importorskip("rensa")
    assert CALLS[name](tokalign) == CALLS[name](aligner)


def test_all_methods_of_these_names_have_a_function():
    assert set(CALLS) == set(tokalign._NAMES["functions"].split())


def test_threads_share_the_default_aligner(monkeypatch):
    monkeypatch.setattr(functions, "_loaded", [])
    found: list[Aligner] = []
    threads = [
        threading.Thread(target=lambda: found.append(functions.default_aligner())) for _ in range(8)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert len(found) == 8 and len({id(each) for each in found}) == 1


def test_the_version_is_that_of_the_package():
    assert tokalign.__version__ == importlib.metadata.version("tokalign")


def test_an_aligner_is_made_by_a_name(aligner):
    made = Aligner("en")
    assert made.header == aligner.header == Aligner().header == Aligner.load("en").header
    assert made(*PAIR) == made.align(*PAIR)


def test_styles_are_listed(aligner):
    assert aligner.styles == ("strict", "paraphrase", "free", "edits", "questions")
    for style in aligner.styles:
        assert aligner.align(*PAIR, style=style).style == style
    assert Aligner("lemma").styles == ()


@pytest.mark.parametrize("model", ["en", "lemma"])
def test_a_device_is_refused_where_nothing_could_run_on_it(model):
    with pytest.raises(InputError, match=f"'cuda', but {model} has no encoder") as caught:
        Aligner(model, device="cuda")
    assert caught.value.field == "device"


@pytest.mark.parametrize("names", [*SIDE_NAMES, ("Sentence_A", "sentence B")])
def test_pairs_may_be_mappings(aligner, names):
    row = {"id": "a7", "label": 1, **dict(zip(names, PAIR, strict=True))}
    (found,) = aligner.pipe([row])
    assert found.to_pharaoh() == LINKS
    assert (found.source.text, found.target.text) == PAIR


def test_a_mapping_may_hold_constraints(aligner):
    row = {"source": PAIR[0], "target": PAIR[1], "constraints": Constraints(anchors=[(0, 0)])}
    (found,) = aligner.pipe([row])
    assert (0, 0) in {(link.source, link.target) for link in found.links}


def test_mappings_and_pairs_share_a_batch(aligner):
    row = {"premise": PAIR[0], "hypothesis": PAIR[1]}
    named = [(PAIR, 1), (row, 2)]
    found = [(each.to_pharaoh(), n) for each, n in aligner.pipe(named, as_tuples=True)]
    assert found == [(LINKS, 1), (LINKS, 2)]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"source": "a", "goal": "b"}, "saw the keys 'source', 'goal'; wanted"),
        ({}, "saw the keys none; wanted"),
        ({"sentence1": "a", "sentence2": "b", "premise": "c", "hypothesis": "d"}, "saw the keys"),
        ({"source": "a", "target": None}, "the target is None"),
        ({"a", "b"}, r"saw \{.*\}; wanted a pair"),
        (frozenset("ab"), "wanted a pair"),
        (({"a", "b"}, "c"), "the source is"),
        ({"source": "a", "target": "b", "constraints": "0-0"}, "wanted one Constraints"),
    ],
)
def test_what_is_no_pair_says_so(aligner, bad, message):
    with pytest.raises(InputError, match=message):
        require_pair(bad)
    first, second = aligner.pipe([bad, PAIR], errors="return")
    assert isinstance(first, InputError) and second.to_pharaoh() == LINKS


def test_strings_and_arrays_of_numpy_are_taken(aligner):
    one, other = map(np.str_, PAIR)
    assert aligner.align(one, other).to_pharaoh() == LINKS
    assert aligner.align(np.array(["Dogs", "bark", "."]), other).to_pharaoh() == LINKS
    (found,) = aligner.pipe(np.array([PAIR]))
    assert found.to_pharaoh() == LINKS
    assert tokalign.split(np.str_("It rains. Dogs bark."))[1].text == "Dogs bark."
    ranked = aligner.rank(np.str_("Who barks?"), np.array(PAIR))
    assert sorted(each.index for each in ranked) == [0, 1]
    assert aligner.diff(*map(np.str_, PAIR)).rebuild_new(PAIR[0]) == PAIR[1]
    assert aligner.ground(one, [np.str_(PAIR[1])]).sentences


def test_passages_may_be_mappings(aligner):
    rows = [{"text": "It rained."}, {"id": "b", "text": PAIR[1], "score": 3.0}]
    found = aligner.ground(PAIR[0], rows)
    assert [each.id for each in found.passages] == ["0", "b"]
    assert [each.passage for each in found.sentences[0].citations] == ["b"]
    with pytest.raises(InputError, match=r"passages\[0\] is {'body': 'x'}; wanted text"):
        aligner.ground(PAIR[0], [{"body": "x"}])
