"""The option `markup`: what texts are read as, in every way in."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from tokalign import Aligner, InputError
from tokalign.cli.main import main
from tokalign.english.reading.text_reading import marks_of

ALIGNER = Aligner("en")
BOLD, PLAIN = "The **boat** is red.[1]", "The boat is red."
SIGNS = {
    "markdown": "The **boat** is `red`.",
    "html": "The <b>boat</b> is red.",
    "latex": r"The \emph{boat} is red.",
    "rst": "The :term:`boat` is red.",
}


@pytest.mark.parametrize("language", SIGNS)
@pytest.mark.parametrize("markup", SIGNS)
def test_each_language_has_its_signs(language, markup):
    tokens = ALIGNER.annotate([SIGNS[language]], markup=markup)[0].tokens
    reads = {
        "markdown": {"markdown", "html"},
        "html": {"html"},
        "latex": {"latex"},
        "rst": {"rst"},
    }
    if language in reads[markup]:
        assert tokens == ("The", "boat", "is", "red", ".")
    elif language in ("html", "latex"):
        assert tokens != ("The", "boat", "is", "red", ".")


def test_all_signs_are_read_by_default_and_none_if_asked():
    for text in SIGNS.values():
        assert marks_of(text) and marks_of(text, "none") == []
        assert ALIGNER.annotate([text])[0].tokens == ("The", "boat", "is", "red", ".")
    assert ALIGNER.annotate(["1. Go [4]"], markup="none")[0].tokens == (
        "1.", "Go", "[", "4", "]",
    )  # fmt: skip


def test_every_task_of_the_library_takes_it():
    assert ALIGNER.align(BOLD, PLAIN).similarity > 0.99
    assert ALIGNER.align(BOLD, PLAIN, markup="none").similarity < 0.9
    assert ALIGNER.similarity(BOLD, PLAIN, markup="none") < 0.9
    (piped,) = ALIGNER.pipe([(BOLD, PLAIN)], markup="none")
    assert "**boat**" in piped.source.tokens
    assert ALIGNER.similarities(PLAIN, [BOLD, PLAIN], markup="none")[0] < 0.9
    (ranked,) = ALIGNER.rank(PLAIN, [BOLD], markup="none")
    assert "**boat**" in ranked.alignment.source.tokens
    grounding = ALIGNER.ground(BOLD, [PLAIN], markup="none")
    assert len(grounding.sentences[0].words) > len(ALIGNER.ground(BOLD, [PLAIN]).sentences[0].words)
    assert "**boat**" in str(ALIGNER.diff(PLAIN, BOLD, markup="none"))
    aligned = ALIGNER.align_texts(BOLD, PLAIN, markup="none")
    assert "**boat**" in aligned.blocks[0].alignment.source.tokens


def test_another_context_is_not_changed():
    ALIGNER.align(BOLD, PLAIN, markup="none")
    assert ALIGNER.align(BOLD, PLAIN).source.tokens == ("The", "boat", "is", "red", ".")


def test_an_unknown_markup_is_refused():
    for call in (ALIGNER.align, ALIGNER.similarity, ALIGNER.diff):
        with pytest.raises(InputError, match="markup is 'wiki'; wanted one of auto, none"):
            call(BOLD, PLAIN, markup="wiki")
    with pytest.raises(InputError, match="markup is 'wiki'; wanted one of auto"):
        marks_of(BOLD, "wiki")


def test_the_command_line_says_what_was_read():
    command = ["align", "--format", "jsonl", "--explain"]
    line = f"caf\u00e9 {BOLD} ||| {PLAIN}\n"
    for unit, start in (("code-points", 9), ("utf-8", 10)):
        found = CliRunner().invoke(main, [*command, "--offsets", unit], input=line)
        marks = json.loads(found.stdout)["marks"]
        assert [start, start + 2, "markup"] in marks["source"]
        assert marks["source"][-1][2] == "citation"
        assert marks["target"] == []
    found = CliRunner().invoke(main, [*command, "--markup", "none"], input=line)
    assert json.loads(found.stdout)["marks"] == {"source": [], "target": []}
    found = CliRunner().invoke(main, [*command, "--tokenized"], input=line)
    assert json.loads(found.stdout)["marks"] == {"source": [], "target": []}
