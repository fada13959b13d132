import sys

import pytest
from tokalign.english.annotate import ANNOTATORS, load_annotator
from tokalign.errors import ResourceError


def test_an_unknown_name_gets_the_list_of_known_ones():
    with pytest.raises(ResourceError, match="'corenlp'; choose one of: native, nltk, spacy"):
        load_annotator("corenlp")


def test_the_native_annotator_takes_no_model():
    with pytest.raises(ResourceError, match="'large' cannot be chosen"):
        load_annotator("native:large")


@pytest.mark.parametrize("name", sorted(set(ANNOTATORS) - {"native"}))
def test_a_missing_package_is_named_with_its_extra(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ResourceError, match=rf"pip install '\.\[{name}\]'"):
        load_annotator(name)
