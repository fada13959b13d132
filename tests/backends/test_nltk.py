"""NLTK's tools on data that the test makes, which NLTK's own training writes."""

import json

import hypothesis
import pytest
from hypothesis import strategies

pytest.importorskip("nltk")

import nltk.corpus
import nltk.data
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.corpus.util import LazyCorpusLoader
from nltk.tag.perceptron import PerceptronTagger
from nltk.tokenize.punkt import PunktTrainer, save_punkt_params
from nltk.translate import AlignedSent
from nltk.translate import Alignment as NltkAlignment
from support.annotator_contract import TaggerContract
from tokalign import Aligner, InputError, Sentence
from tokalign.english.annotate import load_annotator
from tokalign.english.reading.text_reading import without_marks
from tokalign.errors import ResourceError
from tokalign.types import GoldPair

TAGGED = """The/DT old/JJ dogs/NNS did/VBD n't/RB chase/VB Mary/NNP 's/POS cat/NN ./.
The/DT cats/NNS chased/VBD an/DT old/JJ dog/NN ./.
Mary/NNP did/VBD n't/RB (/( often/RB )/) chase/VB dogs/NNS ./.
Dr./NNP Smith/NNP saw/VBD the/DT cat/NN ./."""
TAGGER = "averaged_perceptron_tagger_eng"
WORDS = {
    "noun": ("n", "dog", "cat", "goose"),
    "verb": ("v", "chase", "do"),
    "adj": ("a", "old"),
    "adv": ("r",),
}
EXCEPTIONS = {"noun": "geese goose\n", "verb": "did do\n", "adj": "", "adv": ""}


def write_wordnet(folder):
    """Write index files of a few words, in WordNet's format, and no synsets."""
    folder.mkdir(parents=True)
    (folder / "index.sense").touch()
    (folder / "cntlist.rev").touch()
    (folder / "lexnames").write_text("00\tadj.all\t3\n")
    for name, (pos, *words) in WORDS.items():
        lines = [f"{word} {pos} 1 0 1 0 {k:08}  \n" for k, word in enumerate(words, 1)]
        (folder / f"index.{name}").write_text("".join(lines))
        (folder / f"data.{name}").write_text("")
        (folder / f"{name}.exc").write_text(EXCEPTIONS[name])


def write_tagger(folder):
    tagger = PerceptronTagger(load=False)
    sentences = [
        [tuple(word.rsplit("/", 1)) for word in line.split()] for line in TAGGED.splitlines()
    ]
    tagger.train(sentences, nr_iter=20)
    folder.mkdir(parents=True)
    parts = {
        "weights": tagger.model.weights,
        "tagdict": tagger.tagdict,
        "classes": sorted(tagger.classes),
    }
    for name, value in parts.items():
        (folder / f"{TAGGER}.{name}.json").write_text(json.dumps(value))


@pytest.fixture(scope="module")
def nltk_data(tmp_path_factory):
    """A folder of NLTK's data, in the place of all others."""
    folder = tmp_path_factory.mktemp("nltk_data")
    lazy = LazyCorpusLoader("wordnet", WordNetCorpusReader, "no other languages")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nltk.data, "path", [str(folder)])
        patch.setattr(nltk.corpus, "wordnet", lazy)
        yield folder


@pytest.fixture(scope="module")
def annotator(nltk_data):
    packages = {
        "punkt_tab": nltk_data / "tokenizers" / "punkt_tab" / "english",
        TAGGER: nltk_data / "taggers" / TAGGER,
        "wordnet": nltk_data / "corpora" / "wordnet",
    }
    for package, folder in packages.items():
        with pytest.raises(ResourceError, match=rf"'{package}' is missing.*downloader {package}`"):
            load_annotator("nltk")
        if package == "punkt_tab":
            folder.parent.mkdir(parents=True)
            trained = PunktTrainer("Dr. Smith came. Dr. Jones went. Dr. Who ran.").get_params()
            trained.abbrev_types.add("dr")
            save_punkt_params(trained, str(folder))
        elif package == TAGGER:
            write_tagger(folder)
        else:
            write_wordnet(folder)
    return load_annotator("nltk")


class TestNltk(TaggerContract):
    pass


def test_damaged_data_are_named(annotator, nltk_data):
    weights = nltk_data / "taggers" / TAGGER / f"{TAGGER}.weights.json"
    kept = weights.read_text()
    try:
        weights.write_text(kept[:-5])
        with pytest.raises(ResourceError, match=f"'{TAGGER}' cannot be read.*--force {TAGGER}"):
            load_annotator("nltk")
    finally:
        weights.write_text(kept)


def test_each_sentence_of_a_text_is_tokenised_by_itself(annotator):
    (sentence,) = annotator.annotate(["Dr. Smith saw dogs. The cat ran."], trees=False)
    assert sentence.tokens == (
        "Dr.", "Smith", "saw", "dogs", ".", "The", "cat", "ran", ".",
    )  # fmt: skip


def test_lemmas_are_those_of_wordnet_in_lower_case(annotator):
    words = Sentence.from_tokens(
        ["Mary", "DID", "chase", "Geese", "Birds", "I", "The"],
        tags=["NNP", "VBD", "VB", "NNS", "NNS", "PRP", "DT"],
    )
    (sentence,) = annotator.annotate([words], trees=False)
    assert sentence.lemmas == ("Mary", "do", "chase", "goose", "birds", "I", "the")


def test_quotation_marks_and_brackets_are_those_of_the_penn_treebank(annotator):
    text = """"Dogs" (the 'old' ''cat'') ``did''."""
    (sentence,) = annotator.annotate([text], trees=False)
    seen = [
        (token, text[a:b])
        for token, a, b in zip(sentence.tokens, sentence.starts, sentence.ends, strict=True)
        if token != text[a:b]
    ]
    assert seen == [("``", '"'), ("''", '"'), ("``", "''")]
    assert sentence.tags[sentence.tokens.index("(")] == "-LRB-"


@hypothesis.given(
    strategies.text(strategies.sampled_from("ab '\"`’“.,;-()[] \n\t\u2009é"), max_size=40)
)
def test_offsets_cover_every_text(annotator, text):
    if not text.strip():
        return
    (sentence,) = annotator.annotate([text], trees=False)
    spans = zip(sentence.starts, sentence.ends, strict=True)
    words = without_marks(text)
    kept = words if any(map(str.isalnum, words)) else text
    assert "".join(text[start:end] for start, end in spans) == "".join(kept.split())


def test_trees_are_refused_where_they_are_not_given(annotator):
    with pytest.raises(InputError, match=r"nltk annotator makes no trees.*such as native"):
        annotator.annotate(["The dogs chase."], trees=True)
    with pytest.raises(InputError, match="makes no trees"):
        Aligner("sultan", annotator=annotator).align("The dogs chase.", "The cats chase.")


def test_it_aligns_by_name(annotator):
    found = Aligner("en", annotator="nltk").align("The old dogs did it.", "Old dogs did it.")
    assert found.to_pharaoh() == "1-0 2-1 3-2 4-3 5-4"


def test_an_alignment_becomes_an_aligned_sentence_and_gold():
    found = Aligner("en").align("Dogs bark.", "The dogs bark.")
    aligned = found.to_nltk()
    assert (aligned.words, aligned.mots) == (["Dogs", "bark", "."], ["The", "dogs", "bark", "."])
    assert str(aligned.alignment) == found.to_pharaoh() == "0-1 1-2 2-3"
    gold = GoldPair.from_nltk(aligned, id="7")
    assert gold == GoldPair(
        "7",
        Sentence.from_tokens(aligned.words),
        Sentence.from_tokens(aligned.mots),
        frozenset({(0, 1), (1, 2), (2, 3)}),
    )


def test_a_word_of_nltk_that_is_linked_to_none_has_no_link():
    aligned = AlignedSent(["a", "b"], ["c"], NltkAlignment([(0, 0), (1, None)]))
    assert GoldPair.from_nltk(aligned).sure == {(0, 0)}
