"""Document counts and the weights of words."""

import numpy as np
import pytest
from tokalign.english.lexicon.lexical_resources import pack_words
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.errors import ResourceError
from tokalign.files.tables import Table, write_table


def compiled(path, words, counts, n_sentences):
    write_table(
        path,
        {**pack_words(words), "count": np.array(counts, dtype=np.int32)},
        name="counts", version="1", license="", source="", meta={"sentences": n_sentences},
    )  # fmt: skip
    return Table.open(path)


def test_idf_is_relative_to_the_largest(tmp_path):
    frequencies = Frequencies(compiled(tmp_path / "c.table", ["a", "b"], [99, 9], 99))
    assert frequencies.idf("a") == pytest.approx(0.0)  # in every sentence
    assert frequencies.idf("b") == pytest.approx(0.5)  # log(100 / 10) / log(100)
    assert len(frequencies) == 2


def test_an_unknown_lemma_counts_as_if_it_were_in_one_sentence(tmp_path):
    frequencies = Frequencies(compiled(tmp_path / "c.table", ["a", "b"], [99, 1], 99))
    assert frequencies.idf("zyx") == frequencies.idf("b")


@pytest.mark.parametrize(("counts", "n_sentences"), [([1], 9), ([1, 10], 9)])
def test_a_table_whose_arrays_disagree_is_refused(tmp_path, counts, n_sentences):
    table = compiled(tmp_path / "c.table", ["a", "b"], counts, n_sentences)
    with pytest.raises(
        ResourceError, match=r"c\.table: .*; wanted (int32 of 2|none below 0 or above)"
    ):
        Frequencies(table)


def test_the_shipped_counts_know_that_rare_words_say_more():
    frequencies = Frequencies.open_shipped()
    order = ["the", "say", "president", "guitar", "ombudsman"]
    values = [frequencies.idf(word) for word in order]
    assert values == sorted(values)
    assert 0 <= values[0] < 0.1
    assert values[-1] > 0.7
