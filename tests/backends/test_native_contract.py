import pytest
from support.annotator_contract import AnnotatorContract
from tokalign.annotate import load_annotator


@pytest.fixture(scope="module")
def annotator():
    return load_annotator("native")


class TestNative(AnnotatorContract):
    pass
