"""Readers and writers on small files written here, and their complaints about bad lines."""

from __future__ import annotations

import bz2
import gzip
import lzma
from dataclasses import replace

import pytest
from tokalign.errors import FormatError
from tokalign.formats import (
    FORMATS,
    Options,
    clashing_ids,
    get_format,
    read_gold,
    repeated_ids,
    write_gold,
)
from tokalign.types import GoldPair, Sentence

MSR = """\
# sentence pair 1
The cat sat down .
NULL ({ / / }) A ({ p1 / / }) cat ({ 2 / / }) sat ({ 3 p4 / / }) . ({ 5 / / })
"""
GIZA = """\
# Sentence pair (7) source length 3 target length 2 alignment score : 0.01
the cat sat
NULL ({ 1 }) cat ({ 2 }) sits ({ 3 })
"""
JACANA = """\
[
  {"id": "1", "name": "1", "source": "The cat sat down .", "target": "A cat sat .",
   "sureAlign": "1-1 2-2 4-3", "possibleAlign": "0-0 3-2 1-1"}
]
"""
MWA = "1\tThe cat sat down .\tN/A\tA cat sat .\tN/A\t1\t1\t4-3 1-1 2-2\t0-0 3-2\t\t \n"
PARALLEL = "The cat sat down . ||| A cat sat . ||| 1-1 2-2 4-3 0p0 3?2\n"
PARALLEL_TSV = "The cat sat down .\tA cat sat .\t1-1-1.0 2-2:0.5 4-3 0p0 3?2\n"
JSONL = (
    '{"id": 1, "source": ["The", "cat", "sat", "down", "."], "target": {"tokens": ["A", "cat", '
    '"sat", "."]}, "links": [[1, 1, 0.9], [2, 2], [4, 3]], "possible": [[0, 0], [3, 2]]}\n'
)
CONLLU = """\
# pair_id = 1
# side = target
# links = 1-1 2-2 4-3 0p0 3p2
1\tA\t_\t_\t_\t_\t_\t_\t_\t_
2\tcat\t_\t_\t_\t_\t_\t_\t_\t_
3\tsat\t_\t_\t_\t_\t_\t_\t_\t_
4\t.\t_\t_\t_\t_\t_\t_\t_\t_

# pair_id = 1
# side = source
1\tThe\t_\t_\t_\t_\t_\t_\t_\t_
2\tcat\t_\t_\t_\t_\t_\t_\t_\t_
3\tsat\t_\t_\t_\t_\t_\t_\t_\t_
4\tdown\t_\t_\t_\t_\t_\t_\t_\t_
5\t.\t_\t_\t_\t_\t_\t_\t_\t_
"""
PHARAOH = "1-1 2-2 4-3 0p0 3p2\n"

CAT = GoldPair(
    "1",
    Sentence.from_tokens(["The", "cat", "sat", "down", "."]),
    Sentence.from_tokens(["A", "cat", "sat", "."]),
    frozenset({(1, 1), (2, 2), (4, 3)}),
    frozenset({(0, 0), (3, 2)}),
)


@pytest.fixture
def write(tmp_path):
    def save(text: str, name: str = "file"):
        path = tmp_path / name
        path.write_bytes(text.encode("utf-8"))
        return path

    return save


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (MSR, "msr"),
        (JACANA, "jacana"),
        (MWA, "mwa"),
        (PARALLEL, "parallel"),
        (PARALLEL_TSV, "parallel"),
        (JSONL, "jsonl"),
        (CONLLU, "conllu"),
    ],
)
def test_every_complete_format_is_recognised_and_gives_the_same_pair(write, text, name):
    path = write(text)
    assert read_gold(path) == [CAT]
    assert read_gold(path, name) == [CAT]


def test_link_formats_take_one_or_two_text_files(write):
    links = write(PHARAOH)
    joined = write("The cat sat down .|||A cat sat .\n", "joined")
    tabbed = write("The cat sat down .\tA cat sat .\n", "tabbed")
    source, target = write("The cat sat down .\n", "s"), write("A cat sat .\r\n", "t")
    for paths in ((joined,), (tabbed,), (source, target)):
        assert read_gold(links, options=Options(text=paths)) == [CAT]


def test_giza_without_slashes_is_read_and_null_gives_no_links(write):
    [pair] = read_gold(write(GIZA))
    assert pair.id == "7"
    assert pair.target.tokens == ("cat", "sits")
    assert pair.sure == {(1, 0), (2, 1)}


@pytest.mark.parametrize("text", ['{"source": ["a"], "target": ["b"]}\n', CONLLU])
def test_unrelated_pairs_need_no_links(write, text):
    [pair] = read_gold(write(text.replace("# links", "# lynx")), options=Options(needs_links=False))
    assert not pair.sure


def test_ids_that_come_back_are_found_once_each():
    assert repeated_ids([CAT, CAT, replace(CAT, id="2"), CAT]) == ["1"]


def test_only_unlike_sentences_of_one_id_clash():
    vote = replace(CAT, sure=frozenset())
    other = replace(CAT, target=CAT.source)
    assert clashing_ids([CAT, vote, replace(other, id="2")]) == []
    assert clashing_ids([CAT, vote, other, CAT, other]) == ["1"]


def test_sure_wins_over_possible(write):
    [pair] = read_gold(write("a b ||| a b ||| 0-0 0p0 1p1\n"))
    assert (pair.sure, pair.possible) == ({(0, 0)}, {(1, 1)})


def test_one_based_and_reversed_links(write):
    options = Options(one_based=True, reverse=True)
    [pair] = read_gold(write("a b ||| c ||| 1-2\n"), options=options)
    assert pair.sure == {(1, 0)}


def test_an_empty_line_of_links_is_a_pair_without_links(write):
    text = write("a ||| b\nc ||| c\n", "text")
    pairs = read_gold(write("\n0-0\n"), "pharaoh", options=Options(text=(text,)))
    assert [len(pair.sure) for pair in pairs] == [0, 1]


def test_byte_order_mark_and_dos_line_ends_are_dropped(write):
    assert read_gold(write("\ufeff" + MSR.replace("\n", "\r\n"))) == [CAT]


def test_unicode_line_separators_do_not_end_lines(write):
    [pair] = read_gold(write("a\u2028b c ||| c\u00a0d ||| 1-0\n"))
    assert pair.source.tokens == ("a\u2028b", "c")
    assert pair.target.tokens == ("c\u00a0d",)


@pytest.mark.parametrize(
    ("text", "format", "line", "message"),
    [
        ("", None, None, "no text"),
        ("what is this\n", None, 1, "starts none of"),
        ("# sentence pair 1\na b\n", "msr", 2, "ends early"),
        ("# sentence pair 1\na b\nc ({ 1 / / })\n", "msr", 3, "NULL"),
        (
            "# sentence pair 1\na\nNULL ({ / / }) c ({ 2 / / })\n",
            "msr",
            3,
            "link 1-0 but the source",
        ),
        ("# sentence pair 1\na\nNULL ({ / / }) c ({ x / / })\n", "msr", 3, "link 'x'"),
        ("# sentence pair 1\na\nNULL ({ / / }) c ({ 0 / / })\n", "msr", 3, "link '0'"),
        ("# sentence pair 1\na\nNULL ({ / / }) c ({ / 1 / })\n", "msr", 3, "only the first"),
        ("# sentence pair 1\na\nNULL ({ / / }) c 1\n", "msr", 3, "saw ' c 1'"),
        ("oops\n", "msr", 1, "wanted a header"),
        ("{}", "jacana", 1, r"wanted one of '\['"),
        ('[\n{"id": "1"}]', "jacana", 2, "'source' is None"),
        ('[\n{"id": "1",}]', "jacana", 2, "not JSON"),
        ("[\n\n3]", "jacana", 3, "saw int"),
        (
            '[{"id": "1", "source": "a", "target": "b", "sureAlign": "0-0"}',
            "jacana",
            1,
            "end of the",
        ),
        (
            '[{"id": "1", "source": "a", "target": "b", "sureAlign": "0-0"}] 3',
            "jacana",
            1,
            "after the",
        ),
        ("1\ta\tN/A\n", "mwa", 1, "saw 3 tab-separated"),
        ("1\ta\tN/A\tb\tN/A\t1\t1\t0-1\n", "mwa", 1, "link 0-1 but the target has 1"),
        ("a ||| b ||| 0-0\n\n", "parallel", 2, "empty line"),
        ("a ||| b\n", "parallel", 1, "saw 2 fields; wanted 3"),
        ("a ||| b ||| 0_0\n", "parallel", 1, "'0_0' is not a link"),
        (" ||| b ||| \n", "parallel", 1, "the source sentence has no tokens"),
        ("{]\n", "jsonl", 1, "not JSON"),
        ("[]\n", "jsonl", 1, "saw list"),
        ('{"source": "a", "target": ["b"]}\n', "jsonl", 1, "'source' is str"),
        ('{"source": {"tokens": [1]}, "target": ["b"]}\n', "jsonl", 1, "not a list of str"),
        ('{"source": {"text": ""}, "target": ["b"]}\n', "jsonl", 1, "tokens' is missing"),
        (
            '{"source": ["a"], "target": {"tokens": ["b"], "tags": []}}\n',
            "jsonl",
            1,
            "0 tags for 1",
        ),
        ('{"source": ["a"], "target": ["b"], "links": [[0]]}\n', "jsonl", 1, r"holds \[0\]"),
        ('{"source": ["a"], "target": ["b"], "links": [[0, true]]}\n', "jsonl", 1, "True"),
        ('{"source": ["a"], "target": ["b"], "links": 3}\n', "jsonl", 1, "is int; wanted a list"),
        (
            '{"source": {"tokens": ["a"], "text": "a", "offsets": [[0, 2]]}, "target": ["b"]}\n',
            "jsonl",
            1,
            r"holds \[0, 2\]",
        ),
        ('{"source": ["a", "\\ud800"], "target": ["b"]}\n', "jsonl", 1, "'source.tokens' holds"),
        ('{"id": "\\udfff", "source": ["a"], "target": ["b"]}\n', "jsonl", 1, "half a surrogate"),
        (
            '{"source": ["a"], "target": {"tokens": ["b"], "text": "b \\ud800"}}\n',
            "jsonl",
            1,
            "'target.text' holds",
        ),
        (
            '[{"id": "1", "source": "a \\ud800", "target": "b", "sureAlign": "0-0"}]',
            "jacana",
            1,
            "'source' holds",
        ),
        ('{"source": ["a"], "target": ["b"]}\n', "jsonl", 1, "'links' is missing"),
        ('{"source": ["a"], "target": ["b"], "Link": [[0, 0]]}\n', "jsonl", 1, "'Link' is unknown"),
        (
            '{"source": ["a"], "target": ["b"], "links": [], "posible": [[0, 0]]}\n',
            "jsonl",
            1,
            "'posible' is unknown; wanted 'possible'",
        ),
        (CONLLU.replace("# links", "# lynx"), "conllu", 9, "has no comment '# links"),
        ("1\ta\n", "conllu", 1, "saw 2 tab-separated columns"),
        ("# pair_id = 1\n# side = x\n1" + "\t_" * 9 + "\n", "conllu", 1, "side 'x'"),
        (
            "# pair_id = 1\n# side = source\n1" + "\t_" * 9 + "\n",
            "conllu",
            1,
            "source sentence only",
        ),
        ("# only = comments\n", "conllu", 1, "comments without a sentence"),
    ],
)
def test_bad_input_is_reported_with_its_line(write, text, format, line, message):
    path = write(text)
    with pytest.raises(FormatError, match=message) as caught:
        read_gold(path, format)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{path}:{line}: " if line else f"{path}: ")


def test_bytes_that_are_not_utf8_are_reported_with_their_line(tmp_path):
    path = tmp_path / "latin1"
    path.write_bytes(b"a ||| b ||| 0-0\ncaf\xe9 ||| b ||| 0-0\n")
    with pytest.raises(FormatError, match="UTF-8") as caught:
        read_gold(path, "parallel")
    assert caught.value.line == 2


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_corpora_are_unpacked(tmp_path, pack):
    path = tmp_path / "gold"
    path.write_bytes(pack(JSONL.encode()))
    assert read_gold(path) == [CAT]
    path.write_bytes(pack(JSONL.encode())[:-9])
    with pytest.raises(FormatError, match="gold: damaged compressed data: "):
        read_gold(path)


def test_links_without_text_ask_for_it(write):
    with pytest.raises(FormatError, match="give the parallel text"):
        read_gold(write(PHARAOH))


@pytest.mark.parametrize(
    ("links", "text", "message"),
    [
        ("0-0\n0-0\n", "a ||| b\n", "only 1 pairs"),
        ("0-0\n", "a ||| b\na ||| b\n", "more pairs"),
        ("0-0\n", "a b\n", "saw 1 fields; wanted 2"),
    ],
)
def test_text_and_links_must_have_as_many_lines(write, links, text, message):
    path, text_path = write(links), write(text, "text")
    with pytest.raises(FormatError, match=message):
        read_gold(path, "pharaoh", options=Options(text=(text_path,)))


@pytest.mark.parametrize(("source", "target"), [("a\na\n", "b\n"), ("a\n", "b\nb\n")])
def test_two_text_files_must_have_as_many_lines(write, source, target):
    options = Options(text=(write(source, "s"), write(target, "t")))
    with pytest.raises(FormatError, match="more lines"):
        read_gold(write("\n\n"), "pharaoh", options=options)


def test_index_zero_in_a_one_based_file_is_an_error(write):
    with pytest.raises(FormatError, match="start at 1"):
        read_gold(write("a ||| b ||| 0-1\n"), options=Options(one_based=True))


def test_an_unknown_format_lists_the_known_ones():
    with pytest.raises(FormatError, match="msr, jacana"):
        get_format("xml")


@pytest.mark.parametrize("name", ["msr", "jacana", "mwa", "parallel"])
def test_a_token_with_white_space_is_refused_by_white_space_formats(tmp_path, name):
    place = Sentence.from_tokens(["New York"])
    pair = GoldPair("1", place, place, frozenset({(0, 0)}))
    with pytest.raises(FormatError, match="convert to jsonl or conllu"):
        write_gold([pair], tmp_path / "out", name)


@pytest.mark.parametrize("name", ["jsonl", "conllu"])
def test_a_token_with_white_space_survives_where_it_can(tmp_path, name):
    place = Sentence.from_tokens(["New York"])
    pair = GoldPair("1", place, place, frozenset({(0, 0)}))
    write_gold([pair], tmp_path / "out", name)
    assert read_gold(tmp_path / "out") == [pair]


def test_no_pairs_make_a_valid_jacana_file(tmp_path):
    write_gold([], tmp_path / "out", "jacana")
    assert read_gold(tmp_path / "out", "jacana") == []


def test_formats_are_registered_under_their_names():
    assert all(name == each.name for name, each in FORMATS.items())
    assert set(FORMATS) == {
        "msr", "jacana", "mwa", "jsonl", "conllu", "parallel", "pharaoh",
    }  # fmt: skip
