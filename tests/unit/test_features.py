"""Feature rows of small pairs that can be checked by eye."""

from tokalign.features._extract import Extractor
from tokalign.features.table import GROUP_NAMES, FeatureTable
from tokalign.lexicon._wordnet import WordNet
from tokalign.types import Sentence

TABLE = FeatureTable(GROUP_NAMES)
EXTRACTOR = Extractor(WordNet.open_shipped(), TABLE.base)


def sentence(*words: str) -> Sentence:
    """Words as form/tag, with the form as lemma."""
    forms, tags = zip(*(word.split("/") for word in words), strict=True)
    return Sentence.from_tokens(forms, tags=tags, lemmas=[form.lower() for form in forms])


def row(source: Sentence, target: Sentence, i: int, j: int) -> dict[str, float]:
    start, slot, value = EXTRACTOR.rows(source, target)
    cell = i * len(target) + j
    span = slice(start[cell], start[cell + 1])
    return dict(zip(map(TABLE.name, slot[span].tolist()), value[span].tolist(), strict=True))


def test_words_of_one_stem_count_as_the_same() -> None:
    features = row(sentence("nations/NNS"), sentence("nation/NN"), 0, 0)
    assert "lexical_class[stem content-content noun-noun]" in features
    assert "position_bin[<0.02 same]" in features


def test_a_gap_that_equals_an_edge_is_above_it() -> None:
    # the stem's strength 0.9 minus the stem prefix's 0.7 is 0.2, though not in float32
    features = row(sentence("nations/NNS"), sentence("nation/NN", "nationwide/JJ"), 0, 1)
    assert "lexical_class[stem-prefix content-content noun-adjective]" in features
    assert "row_gap[0.2..0.5 content-content related]" in features
