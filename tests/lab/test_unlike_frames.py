"""Pairs that share only a frame, made for training."""

from tokalign.english.lexicon.word_lists import function_words

from lab.recipes.frames import FRAME, LENGTHS, N_CAPTIONS, captions, definitions


def test_captions_are_of_unlike_scenes():
    pairs = list(captions())
    assert len(pairs) == N_CAPTIONS
    assert pairs == list(captions())
    shared = 0
    for one, other in pairs:
        content = [
            set(text.lower().rstrip(".").split()) - set(function_words()) for text in (one, other)
        ]
        shared += len(content[0] & content[1]) > 2
    assert shared < N_CAPTIONS / 10


def test_definitions_begin_alike(tmp_path):
    lines = [
        '00000001 00 n 01 tune 0 000 | the act of playing a tune; "he liked a tune"',
        "00000002 00 n 01 slice 0 000 | (cooking) the act of cutting bread into slices",
        "00000003 00 n 01 pear 0 000 | a sweet fruit of a tree in gardens",
        "00000004 00 n 01 end 0 000 | the end",
    ]
    for name in ("noun", "verb", "adj", "adv"):
        text = "\n".join(["  1 licence", *lines]) if name == "noun" else ""
        (tmp_path / f"data.{name}").write_text(text, encoding="utf-8")
    found = {frozenset(pair) for pair in definitions(tmp_path)}
    assert found == {
        frozenset(("the act of playing a tune", "the act of cutting bread into slices"))
    }
    for pair in found:
        assert len({" ".join(text.split()[:FRAME]) for text in pair}) == 1
        assert all(len(text.split()) in LENGTHS for text in pair)
