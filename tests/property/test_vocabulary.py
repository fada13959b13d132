"""Words found among landmarks against a dictionary of all."""

import random
from pathlib import Path

import pytest
from tokalign.english.lexicon.lexical_resources import pack_words
from tokalign.english.lexicon.lexical_tables import Vocabulary
from tokalign.files.tables import Table, write_table


def random_words(rng: random.Random, n_words: int) -> set[str]:
    """Words with ends and beginnings in common, of one to some twenty bytes."""
    parts = [
        "a",
        "b",
        "aa",
        "inter",
        "internat",
        "ional",
        "z",
        "\u00e9",
        "\u4e2d",
        "\U0001f600",
        "\x7f",
    ]
    return {"".join(rng.choices(parts, k=rng.randint(1, 5))) for _ in range(n_words)}


def vocabulary_of(words: list[str], path: Path) -> Vocabulary:
    write_table(path, pack_words(words), name="words", version="1", license="", source="", meta={})
    return Vocabulary(Table.open(path))


@pytest.mark.parametrize("n_words", [1, 2, 31, 32, 33, 64, 65, 200, 3_000])
def test_every_word_is_found_and_no_other(n_words: int, tmp_path: Path) -> None:
    rng = random.Random(n_words)
    words = sorted(random_words(rng, n_words), key=str.encode)
    vocabulary = vocabulary_of(words, tmp_path / "words.table")
    number = {word: k for k, word in enumerate(words)}
    for word in [*words, *random_words(rng, 2_000), "", "\x00", "a\x00", "zzzzzzzzzzzz", "\ud800"]:
        assert vocabulary.find(word) == number.get(word, -1), word


def test_a_table_without_words_holds_none(tmp_path: Path) -> None:
    assert vocabulary_of([], tmp_path / "words.table").find("a") == -1
