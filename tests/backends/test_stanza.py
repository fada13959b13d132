import pytest

pytest.importorskip("stanza")

from support.annotator_contract import AnnotatorContract
from tokalign.english.annotate import load_annotator
from tokalign.english.annotate.stanza import StanzaAnnotator
from tokalign.errors import InputError, ResourceError

pytestmark = [
    pytest.mark.backends,
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture(scope="module")
def annotator(stanza_dir):
    return StanzaAnnotator(stanza_dir)


class TestStanza(AnnotatorContract):
    pass


def test_folder_follows_the_name(stanza_dir):
    assert load_annotator(f"stanza:{stanza_dir}").name == "stanza"


def test_text_of_two_sentences_has_two_roots(annotator):
    (sentence,) = annotator.annotate(["It rains. It pours."], trees=True)
    assert sentence.heads.count(-1) == 2
    assert sentence.heads[3] == 4


def test_missing_models_are_named(tmp_path):
    with pytest.raises(ResourceError, match=r"no Stanza models for 'en' in .*stanza.download"):
        StanzaAnnotator(tmp_path)


def test_a_language_without_models_is_refused(stanza_dir):
    with pytest.raises(ResourceError, match="no Stanza models for 'de'"):
        StanzaAnnotator(stanza_dir, language="de")


def test_a_changed_number_of_words_is_refused(annotator, monkeypatch):
    process = annotator._pipeline.process

    def joins_two(document, **options):
        answer = process(document, **options)
        answer.sentences[0].words.pop()
        return answer

    monkeypatch.setattr(annotator._pipeline, "process", joins_two)
    with pytest.raises(InputError, match="Stanza made 1 words of 2 tokens"):
        annotator.annotate([["Dogs", "bark"]], trees=False)
