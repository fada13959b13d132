"""The contracts of annotators, with trees and without, run once for each of them."""

import pytest
from tokalign.errors import InputError
from tokalign.types import Sentence

TEXT = "The old dogs didn't chase Mary's cat."


class TaggerContract:
    """Inherit and provide a fixture `annotator`: tokens, tags and lemmas."""

    def test_raw_text_gets_tokens_tags_and_lemmas(self, annotator):
        (sentence,) = annotator.annotate([TEXT], trees=False)
        assert sentence.text == TEXT
        assert sentence.tokens == (
            "The", "old", "dogs", "did", "n't", "chase", "Mary", "'s", "cat", ".",
        )  # fmt: skip
        assert sentence.tags[2:6] == ("NNS", "VBD", "RB", "VB")
        assert sentence.lemmas[2] == "dog" and sentence.lemmas[5] == "chase"
        assert sentence.heads is None and sentence.relations is None

    def test_offsets_point_into_the_text(self, annotator):
        text = "  Odd   spacing,\tand (naïve) “quotes”. \n"
        (sentence,) = annotator.annotate([text], trees=False)
        spans = zip(sentence.starts, sentence.ends, strict=True)
        pieces = [text[start:end] for start, end in spans]
        assert "".join(pieces) == "".join(text.split())
        assert all(piece.strip() == piece for piece in pieces)

    def test_marks_are_no_tokens_and_offsets_are_as_sent(self, annotator):
        text = "- The **o\ufb03ce** of Rene\u0301e[4] `is` old.[5] "
        (sentence,) = annotator.annotate([text], trees=False)
        spans = zip(sentence.starts, sentence.ends, strict=True)
        assert sentence.text == text
        assert sentence.tokens == ("The", "office", "of", "Ren\xe9e", "is", "old", ".")
        assert [text[start:end] for start, end in spans] == [
            "The", "o\ufb03ce", "of", "Rene\u0301e", "is", "old", ".",
        ]  # fmt: skip

    def test_given_tokens_are_never_cut_or_joined(self, annotator):
        tokens = ["It", "ca", "n't", "be", "well-known", "U.S.", "$5", "..", "ok"]
        (sentence,) = annotator.annotate([tokens], trees=False)
        assert sentence.tokens == tuple(tokens)
        assert len(sentence.tags) == len(sentence.lemmas) == len(tokens)

    def test_given_columns_are_kept(self, annotator):
        given = Sentence.from_tokens(
            ["Dogs", "bark"], tags=["X", "Y"], heads=[-1, 0], relations=["root", "dep"]
        )
        (sentence,) = annotator.annotate([given], trees=True)
        assert (sentence.tags, sentence.heads) == (("X", "Y"), (-1, 0))
        assert sentence.relations == ("root", "dep")
        assert len(sentence.lemmas) == 2

    def test_a_batch_keeps_its_order(self, annotator):
        batch = [TEXT, ["Birds", "sing", "."], "Yes.", ["A", "cat"], "It rains. It pours."]
        sentences = annotator.annotate(batch, trees=False)
        assert [sentence.tokens[0] for sentence in sentences] == ["The", "Birds", "Yes", "A", "It"]

    @pytest.mark.parametrize("empty", ["", " \n ", []])
    def test_a_sentence_without_tokens_is_refused(self, annotator, empty):
        with pytest.raises(InputError, match="sentence 1 has no token"):
            annotator.annotate(["Fine.", empty], trees=True)
        with pytest.raises(InputError, match="the sentence has no token"):
            annotator.annotate([empty], trees=True)

    def test_an_empty_batch_is_fine(self, annotator):
        assert annotator.annotate([], trees=True) == []


class AnnotatorContract(TaggerContract):
    """Of an annotator that makes trees, too."""

    def test_raw_text_gets_a_tree(self, annotator):
        (sentence,) = annotator.annotate([TEXT], trees=True)
        assert None not in (sentence.tags, sentence.lemmas)
        assert sentence.heads[2] == 5 and sentence.heads[5] == -1
        assert sentence.relations[2] == "nsubj"

    def test_given_tokens_get_a_tree(self, annotator):
        tokens = ["It", "ca", "n't", "be", "well-known", "U.S.", "$5", "..", "ok"]
        (sentence,) = annotator.annotate([tokens], trees=True)
        assert sentence.tokens == tuple(tokens)
        assert len(sentence.heads) == len(tokens)

    def test_a_batch_of_trees_keeps_its_order(self, annotator):
        batch = [TEXT, ["Birds", "sing", "."], "Yes.", ["A", "cat"], "It rains. It pours."]
        sentences = annotator.annotate(batch, trees=True)
        assert [sentence.tokens[0] for sentence in sentences] == ["The", "Birds", "Yes", "A", "It"]
        for sentence in sentences:
            n_tokens = len(sentence)
            assert all(-1 <= head < n_tokens for head in sentence.heads)
            # Building it again checks every column, and that the heads form trees.
            Sentence.from_tokens(
                sentence.tokens, heads=sentence.heads, relations=sentence.relations
            )
