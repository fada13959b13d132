import pytest
from support.annotator_contract import AnnotatorContract
from tokalign import Aligner
from tokalign.english.annotate import load_annotator


@pytest.fixture(scope="module")
def annotator():
    return load_annotator("native")


class TestNative(AnnotatorContract):
    """The tests are in the base class."""


def test_it_is_what_annotates_unless_another_is_asked_for(annotator):
    assert type(Aligner("lemma").annotator) is type(annotator)
