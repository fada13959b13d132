"""Notes of the project's corpus: reading, errors, agreement, decisions, parts."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import pytest
from tokalign.errors import FormatError
from tokalign.formats import read_gold

from lab.corpus import build
from lab.corpus.agreement import agreement, kappa
from lab.corpus.decisions import decided, items, listing, write_notes
from lab.corpus.notes import notes_of, odd_marks, punctuation_links, read_notes

NOTES = """\
# support/router answer half
S: Why does my router keep restarting, and how can I stop it?
T: The modem can't stop: it reboots because it overheats.
L: keep restarting~reboots; router~modem [w]
P: my~The; Why~because [r]
C: -

# support/pump versions
S: Stop the pump before you clean the filter.
T: Don't stop the pump before you clean the filters.
L: Stop the pump before you clean; the#2; filter~filters
C: negation: ~Don't

# legal/lease claim contradicted
S: The tenant must pay at 9 a.m. on Monday.
T: The tenant may pay at 10 a.m. on Monday.
L: The tenant; must~may [s]; pay at; 9~10 [v]; a.m.; on Monday
C: modality: must~may; value: 9~10
U: may; 10
"""


def noted(tmp_path, text=NOTES, name="notes.txt"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def words(pair):
    source, target = pair.source.tokens, pair.target.tokens
    return {f"{source[i]}~{target[j]}" for i, j in pair.sure}


def test_notes_are_links_of_tokens(tmp_path):
    router, pump, lease = read_notes(noted(tmp_path))
    assert router.id == "support-router-1"
    assert (router.task, router.verdict) == ("answer", "half")
    assert {"keep~reboots", "restarting~reboots", "router~modem"} <= words(router)
    assert sorted(set(router.relations.values())) == ["related", "wider"]
    assert not router.conflicts
    assert {"the~the", "filter~filters", ".~."} <= words(pump)
    (conflict,) = pump.conflicts
    assert (conflict.kind, conflict.source, conflict.target) == ("negation", (), (0, 1))
    assert [lease.target.tokens[at] for at in sorted(lease.unsupported)] == ["may", "10"]
    assert {each.kind for each in lease.conflicts} == {"modality", "value"}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("L: route~modem", "4: 'route' is not in S; its words are Why | does"),
        ("L: it~it", "'it' stands 2 times in T; write it#1 to #2"),
        ("L: it#3~it#1", "'it' stands 1 times in S, so there is no #3"),
        ("L: router~", "an item without words of T"),
        ("L: router~modem [x]", "has relation 'x'; wanted one of n, w, s, r, o, v"),
        ("C: values: a~b", "wanted `kind: words~words`"),
        ("C: value: router", "has no `~`"),
        ("Q: a", "wanted a line of S, T, L, P, C or U"),
        ("S: again", "a second line S; wanted one"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, wanted):
    path = noted(tmp_path, "\n".join([*NOTES.split("\n")[:3], line]))
    with pytest.raises(FormatError) as error:
        read_notes(path)
    assert wanted in str(error.value)
    assert f"{path}:4" in str(error.value)


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        ("# cooking/eggs answer yes", "wanted genre/topic"),
        ("# support/router talk", "task is 'talk'; wanted one of answer, claim"),
        (
            "# support/router answer maybe",
            "verdict is 'maybe'; wanted one of ('yes', 'half', 'no')",
        ),
        ("# support/router versions yes", "verdict is 'yes'; wanted one of none"),
    ],
)
def test_a_bad_head_is_named(tmp_path, head, wanted):
    (fault,) = notes_of(noted(tmp_path, f"{head}\nS: a\nT: b\n"))
    assert wanted in str(fault)


def test_marks_that_look_like_slips_are_told(tmp_path):
    text = "# legal/lease claim partly\nS: The rent is due.\nT: The rent is low.\nL: The; is\n"
    (pair,) = read_notes(noted(tmp_path, text))
    assert list(odd_marks(pair)) == [
        "'rent' stands on both sides and is not linked: is that meant?",
        "partly, but line U names no words",
    ]


def test_a_pair_without_links_has_none_of_marks(tmp_path):
    (pair,) = read_notes(noted(tmp_path, "# chat/x topic\nS: Hi, Ann.\nT: No, Bob.\n"))
    assert punctuation_links(pair) == pair.sure == set()


def test_written_notes_are_read_as_the_same_pairs(tmp_path):
    first = read_notes(noted(tmp_path))
    again = read_notes(noted(tmp_path, "\n".join(write_notes(first)), "again.txt"))
    for a, b in zip(first, again, strict=True):
        for name in ("id", "verdict", "sure", "possible", "relations", "unsupported"):
            assert getattr(a, name) == getattr(b, name), name
        assert set(a.conflicts) == set(b.conflicts)


def test_passes_agree_with_themselves_and_not_with_others(tmp_path):
    first = read_notes(noted(tmp_path))
    found = agreement(first, first)
    assert found[1:] == (1.0,) * 7
    other = NOTES.replace("router~modem [w]", "router~modem").replace("; value: 9~10", "")
    found = agreement(first, read_notes(noted(tmp_path, other, "second.txt")))
    assert found.sure_f1 == 1.0
    assert found.conflicts_f1 == pytest.approx(4 / 5)
    assert kappa([("a", "a"), ("a", "a")]) == 1.0


def test_decisions_take_what_they_name(tmp_path):
    (a, *_) = read_notes(noted(tmp_path))
    second = NOTES.replace("answer half", "answer no").replace(
        "keep restarting~reboots; router~modem [w]", "restarting~reboots; router~modem [s]; stop"
    )
    (b, *_) = read_notes(noted(tmp_path, second, "second.txt"))
    texts = [item.text for item in items(a, b)]
    assert texts == ["keep~reboots A", "stop~stop B", "relation router~modem a=w b=s"]
    assert next(listing([a], [b])) == "# 1 answer"
    found = decided(a, b, "2 3b v=no")
    assert words(found) == {"restarting~reboots", "router~modem", "stop~stop"}
    assert found.verdict == "no"
    link = next(each for each in found.sure if found.source.tokens[each[0]] == "router")
    assert found.relations[link] == "similar"
    assert words(decided(a, b, "")) == {"restarting~reboots", "router~modem"}
    assert len(decided(a, b, "p1").possible) == len(found.possible) + 1
    with pytest.raises(ValueError, match="'7' is no item; there are 1 to 3"):
        decided(a, b, "7")


def test_topics_are_in_one_part_and_files_are_gold(tmp_path):
    blocks = [
        f"# support/topic-{k} topic\nS: A dog barks {k}.\nT: A dog barked.\nL: A dog\n"
        for k in range(40)
        for _ in range(3)
    ]
    (tmp_path / "notes").mkdir()
    noted(tmp_path / "notes", "\n".join(blocks), "support.txt")
    build.main([str(tmp_path)])
    topics = {}
    for part, least in (("train", 78), ("dev", 15), ("test", 15)):
        lines = (tmp_path / f"{part}.jsonl").read_text().splitlines()
        assert len(lines) >= least
        assert len(read_gold(tmp_path / f"{part}.jsonl")) == len(lines)
        topics[part] = {json.loads(line)["topic"] for line in lines}
    assert sum(map(len, topics.values())) == len(set().union(*topics.values())) == 40


CORPUS = Path(__file__).parents[2] / "corpus"


def test_the_committed_parts_are_what_the_notes_say(tmp_path):
    styles = chain.from_iterable(build.read_folder(CORPUS / "styles").values())
    build.write(tmp_path, build.read_folder(CORPUS / "notes"), styles)
    names = [f"{folder}{part}.jsonl" for folder in ("", "ewt/") for part in build.SHARES]
    for name in names:
        assert (tmp_path / name).read_text() == (CORPUS / name).read_text(), "run `make corpus`"


def test_the_datasheet_has_the_tables_of_the_corpus():
    page = (CORPUS / "README.md").read_text()
    for line in build.datasheet(CORPUS):
        assert line in page.split("\n"), line


def test_answers_over_documents_are_marked_inside_their_texts():
    lines = (CORPUS / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    for document in map(json.loads, lines):
        assert document["licence"]
        for answer in document["answers"]:
            assert bool(answer["wrong"]) == bool(answer["error"])
            for text, (start, end) in [
                (document["text"], answer["cited"]),
                *((answer["answer"], each) for each in answer["wrong"]),
            ]:
                assert text[start:end] == text[start:end].strip() != ""
