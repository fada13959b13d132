"""Checks of sentences, and the small methods of the plain values."""

import copy
import dataclasses
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.errors import FormatError, InputError, ShapeError
from tokalign.types import Alignment, Link, Sentence
from tokalign.types.inputs import require_pair
from tokalign.types.options import DEFAULT_SYMMETRIZATION, AlignOptions, Direction, Symmetrization

token = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=5)


def test_tokens_are_joined_by_spaces_where_no_text_is_given() -> None:
    sentence = Sentence.from_tokens(["Dogs", "bark", "."])
    assert sentence.text == "Dogs bark ."
    assert sentence.starts == (0, 5, 10)
    assert sentence.ends == (4, 9, 11)
    assert len(sentence) == 3
    assert sentence.tags is sentence.lemmas is sentence.heads is sentence.relations is None


def test_offsets_point_into_the_text() -> None:
    sentence = Sentence.from_tokens(["Don", "'t", "stop", "!"], text="  Don't  stop!")
    assert sentence.starts == (2, 5, 9, 13)
    assert [sentence.text[a:b] for a, b in zip(sentence.starts, sentence.ends, strict=True)] == [
        "Don", "'t", "stop", "!",
    ]  # fmt: skip


@given(
    st.lists(token, min_size=1, max_size=8),
    st.lists(st.text(" \t", max_size=2), min_size=9, max_size=9),
)
def test_offsets_give_back_the_tokens_of_any_text(tokens: list[str], gaps: list[str]) -> None:
    text = "".join(gap + token for gap, token in zip(gaps, tokens, strict=False)) + gaps[-1]
    sentence = Sentence.from_tokens(tokens, text=text)
    spans = list(zip(sentence.starts, sentence.ends, strict=True))
    assert [text[start:end] for start, end in spans] == tokens
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


def test_no_tokens_make_an_empty_sentence() -> None:
    assert len(Sentence.from_tokens([])) == 0


def test_a_sentence_is_a_sequence_of_its_tokens(aligner) -> None:
    made = Sentence.from_tokens(["Dogs", "bark", "."])
    (annotated,) = aligner.annotate(["Dogs bark."])
    for sentence in (made, annotated, aligner.align("Dogs bark.", "Dogs bark.").source):
        assert (sentence[0], sentence[-1], sentence[:2]) == ("Dogs", ".", ("Dogs", "bark"))
        assert list(sentence) == ["Dogs", "bark", "."]
        assert "bark" in sentence and "bar" not in sentence
        with pytest.raises(IndexError):
            sentence[3]


def test_one_sentence_is_no_pair_and_no_candidates(aligner) -> None:
    sentence = Sentence.from_tokens(["Dogs", "bark"])
    with pytest.raises(InputError, match=r"wanted a pair \(source, target\)"):
        require_pair(sentence)
    with pytest.raises(InputError, match="one text; wanted several in a list"):
        aligner.rank("Who barks?", sentence)
    with pytest.raises(InputError, match=r"wanted a pair \(source, target\)"):
        list(aligner.pipe([sentence]))


def test_the_keys_of_a_mapping_are_no_texts(aligner) -> None:
    texts = {"a": "Dogs bark.", "b": "It rains."}
    with pytest.raises(InputError, match="wanted sentences in a list"):
        aligner.rank("Who barks?", texts)
    with pytest.raises(InputError, match="wanted sentences in a list"):
        aligner.similarities("Dogs bark.", texts)
    with pytest.raises(InputError, match="wanted texts in a list"):
        aligner.ground("Dogs bark.", texts)
    assert aligner.ground("Dogs bark.", texts.items()).sentences[0].citations[0].passage == "a"


def test_columns_become_tuples() -> None:
    sentence = Sentence.from_tokens(
        ["Dogs", "bark"],
        tags=["NNS", "VBP"],
        lemmas=["dog", "bark"],
        heads=[1, -1],
        relations=["nsubj", "root"],
    )
    assert sentence.tags == ("NNS", "VBP")
    assert sentence.lemmas == ("dog", "bark")
    assert sentence.heads == (1, -1)
    assert sentence.relations == ("nsubj", "root")


@pytest.mark.parametrize("name", ["tags", "lemmas", "heads", "relations"])
def test_a_column_of_another_length_is_refused(name: str) -> None:
    tree = {"heads": [-1, 0], "relations": ["root", "obj"]}
    with pytest.raises(ShapeError, match=f"1 {name} for 2 tokens; give one per token") as caught:
        Sentence.from_tokens(["a", "b"], **(tree | {name: ["x"]}))
    assert caught.value.field == name


@pytest.mark.parametrize(
    ("columns", "missing"), [({"heads": [-1]}, "relations"), ({"relations": ["root"]}, "heads")]
)
def test_heads_and_relations_come_together(columns: dict[str, list[object]], missing: str) -> None:
    with pytest.raises(InputError, match="heads and relations come together") as caught:
        Sentence.from_tokens(["a"], **columns)
    assert caught.value.field == missing


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([-1, 2], r"token 1 has head 2; wanted another token of 0\.\.1 or -1"),
        ([-2, 0], "token 0 has head -2"),
        ([-1, 1], "token 1 has head 1"),
    ],
)
def test_a_head_outside_the_sentence_is_refused(heads: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Sentence.from_tokens(["a", "b"], heads=heads, relations=["x", "y"])
    assert caught.value.field == "heads"


@pytest.mark.parametrize("heads", [[1, 0], [-1, 2, 3, 1], [1, 2, 0], [3, 3, -1, 4, 5, 3]])
def test_a_cycle_of_heads_is_refused(heads: list[int]) -> None:
    words = [f"w{k}" for k in range(len(heads))]
    with pytest.raises(InputError, match=r"token \d is part of a cycle of heads"):
        Sentence.from_tokens(words, heads=heads, relations=["x"] * len(heads))


@given(st.lists(st.integers(-1, 7), min_size=1, max_size=8))
def test_exactly_the_forests_are_accepted(heads: list[int]) -> None:
    def reaches_root(node: int) -> bool:
        for _ in heads:
            if heads[node] == -1:
                return True
            node = heads[node]
        return heads[node] == -1

    inside = all(head < len(heads) and head != k for k, head in enumerate(heads))
    is_forest = inside and all(map(reaches_root, range(len(heads))))
    words, relations = [f"w{k}" for k in range(len(heads))], ["x"] * len(heads)
    if is_forest:
        sentence = Sentence.from_tokens(words, heads=heads, relations=relations)
        assert sentence.heads == tuple(heads)
    else:
        with pytest.raises(InputError):
            Sentence.from_tokens(words, heads=heads, relations=relations)


@pytest.mark.parametrize(
    ("tokens", "text", "message"),
    [
        (["a", ""], None, "token 1 is empty"),
        (["a", "b"], "b a", "token 1 'b' does not occur in the text after offset 3"),
        (["aa", "aa"], "aaa", "token 1 'aa' does not occur in the text after offset 2"),
        (["A"], "a", "token 0 'A' does not occur"),
        (["x" * 20_000], "y", "token 0 .x{20,30}\\.\\.\\.x{20,30}. does not occur"),
    ],
)
def test_tokens_that_are_not_in_the_text_are_refused(
    tokens: list[str], text: str | None, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Sentence.from_tokens(tokens, text=text)
    assert caught.value.field == "tokens"


def test_replace_changes_only_the_named_columns() -> None:
    sentence = Sentence.from_tokens(["a"], tags=["DT"])
    other = sentence.replace(lemmas=("a",))
    assert other.lemmas == ("a",)
    assert other.tags == ("DT",)
    assert sentence.lemmas is None
    with pytest.raises(TypeError):
        sentence.replace(colour="red")


def test_values_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Link(0, 0).source = 1  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        Sentence.from_tokens(["a"]).text = "b"  # type: ignore[misc]


def test_an_alignment_survives_pickling_and_writes_itself_in_pharaoh_format() -> None:
    source, target = Sentence.from_tokens(["a", "b"]), Sentence.from_tokens(["b"])
    alignment = Alignment(
        source, target, (Link(0, 0, 0.25), Link(1, 0)), 0.5, 0.4, "m", "1", Symmetrization.UNION
    )
    assert alignment.to_pharaoh() == "0-0 1-0"
    assert pickle.loads(pickle.dumps(alignment)) == alignment
    assert dataclasses.replace(alignment, links=()).to_pharaoh() == ""


def test_symmetrizations_are_their_names_and_hold_the_directions() -> None:
    assert set(Direction) <= set(Symmetrization)
    assert Symmetrization("grow-diag-final-and") is Symmetrization.GROW_DIAG_FINAL_AND
    assert f"{DEFAULT_SYMMETRIZATION}" in set(Symmetrization)


def test_errors_carry_where_they_arose() -> None:
    assert InputError("x", field="source.tags").field == "source.tags"
    error = FormatError("bad link", path="a/b.txt", line=14)
    assert str(error) == "a/b.txt:14: bad link"
    assert (error.path, error.line) == ("a/b.txt", 14)
    assert str(FormatError("bad", line=3)) == "3: bad"
    assert str(FormatError("bad")) == "bad"
    assert isinstance(error, ValueError)


@pytest.mark.parametrize("error", [InputError("x", field="f"), FormatError("x", path="p", line=2)])
def test_errors_survive_pickling(error: InputError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


@pytest.mark.parametrize("symmetrization", Symmetrization)
def test_options_take_a_symmetrization_by_its_name(symmetrization) -> None:
    assert AlignOptions(symmetrization=symmetrization.value).symmetrization is symmetrization


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("symmetrization", "sideways"),
        ("symmetrization", None),
        ("min_confidence", -0.01),
        ("min_confidence", 1.01),
        ("min_confidence", float("nan")),
        ("min_confidence", "0.5"),
        ("min_confidence", None),
        ("effort", -0.01),
        ("effort", 1.01),
        ("effort", float("nan")),
        ("effort", "0.5"),
        ("colour", "red"),
    ],
)
@pytest.mark.parametrize("options", [None, AlignOptions(explain=True)])
def test_an_option_out_of_range_is_refused_and_named(options, name, value) -> None:
    with pytest.raises(InputError, match="wanted") as caught:
        AlignOptions.of(options, {name: value})
    assert caught.value.field == f"options.{name}"


def test_options_are_the_given_ones_changed() -> None:
    options = AlignOptions(symmetrization=Symmetrization.UNION, explain=True)
    assert AlignOptions.of(None, {}) == AlignOptions()
    assert AlignOptions.of(options, {}) is options
    assert AlignOptions.of(options, {"explain": False}) == AlignOptions(
        symmetrization=Symmetrization.UNION
    )


def test_links_of_an_alignment_have_words_and_offsets():
    source = Sentence.from_tokens(["Dogs", "bark"], text="Dogs  bark")
    target = Sentence.from_tokens(["barking"])
    free = Link(1, 0, 0.5)
    alignment = Alignment(source, target, (free,), 0.5, 0.4, "m", "1", Symmetrization.UNION)
    for each in (alignment, pickle.loads(pickle.dumps(alignment)), copy.deepcopy(alignment)):
        (link,) = each.links
        assert (link.source_text, link.target_text) == ("bark", "barking")
        assert (link.source_span, link.target_span) == ((6, 10), (0, 7))
    assert dataclasses.asdict(link).keys() == {"source", "target", "confidence", "relation"}
    assert pickle.loads(pickle.dumps(link)).source_text == "bark"
    other = dataclasses.replace(alignment, source=Sentence.from_tokens(["a", "b"]))
    assert (other.links[0].source_text, alignment.links[0].source_text) == ("b", "bark")


def test_a_link_of_no_alignment_has_no_words():
    for link in (Link(0, 0), pickle.loads(pickle.dumps(Link(0, 0)))):
        with pytest.raises(InputError, match="knows no words"):
            link.target_text  # noqa: B018


def test_words_have_their_links_and_the_chance_of_none():
    source = Sentence.from_tokens(["Dogs", "bark"])
    target = Sentence.from_tokens(["Barking", "dogs", "here"])
    links = (Link(0, 1, 0.5), Link(1, 0, 0.9))
    posteriors = np.array([[0.0, 0.5, 0.0], [0.75, 0.5, 0.0]], np.float32)
    alignment = Alignment(source, target, links, 0.5, 0.4, "m", "1", Symmetrization.UNION)
    assert [each.unlinked for each in alignment.source_words] == [None, None]
    alignment = dataclasses.replace(alignment, posteriors=posteriors)
    dogs, bark = alignment.source_words
    assert (dogs.text, dogs.start, dogs.end, dogs.links) == ("Dogs", 0, 4, links[:1])
    assert [dogs.unlinked, bark.unlinked] == [0.5, 0.125]
    assert [each.unlinked for each in alignment.target_words] == [0.25, 0.25, 1.0]
    assert [each.links for each in alignment.target_words] == [links[1:], links[:1], ()]


def test_what_is_no_options_says_so():
    with pytest.raises(InputError, match=r"the options are \['a'\]; wanted AlignOptions") as caught:
        AlignOptions.of(["a"], {})  # type: ignore[arg-type]
    assert caught.value.field == "options"
