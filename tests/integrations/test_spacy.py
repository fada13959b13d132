"""Links between docs of spaCy are those of the library for spaCy's tokens."""

import pytest
import tokalign
from tokalign.errors import InputError

spacy = pytest.importorskip("spacy", reason="make test-integrations has the package")

from tokalign.integrations.spacy import DocAligner  # noqa: E402

# What others' packages warn of is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")

PAIRS = [
    ("Marta  opened a\nbakery.", "The bakery was opened by Marta."),
    ("Dogs don't bark.", "The dogs do not bark."),
]


@pytest.fixture(scope="module")
def docs():
    nlp = spacy.blank("en")
    return [(nlp(source), nlp(target)) for source, target in PAIRS]


def shown(links):
    return [(link.source.text, link.target.text) for link in links]


def test_links_hold_the_tokens_of_the_docs(docs):
    source, target = docs[0]
    assert any(token.is_space for token in source)
    links = DocAligner()(source, target)
    assert {("Marta", "Marta"), ("opened", "opened"), ("bakery", "bakery")} <= set(shown(links))
    assert all(link.source.doc is source and link.target.doc is target for link in links)
    words = [[token.text for token in doc if not token.is_space] for doc in docs[0]]
    expected = tokalign.align(*words).links
    assert [link.confidence for link in links] == [link.confidence for link in expected]


def test_many_pairs_have_the_links_of_each(docs):
    aligner = DocAligner()
    assert list(aligner.pipe(docs)) == [aligner(*each) for each in docs]
    assert ("n't", "not") in shown(aligner(*docs[1]))


def test_options_change_the_links(docs):
    style = DocAligner(style="strict")
    words = [[token.text for token in doc if not token.is_space] for doc in docs[0]]
    expected = tokalign.align(*words, style="strict").links
    assert len(style(*docs[0])) == len(expected)


def test_docs_get_a_method(docs):
    aligner = DocAligner()
    aligner.extend()
    aligner.extend()
    source, target = docs[0]
    assert source._.links_to(target) == aligner(source, target)


def test_a_doc_of_white_space_is_refused(docs):
    with pytest.raises(InputError):
        DocAligner()(spacy.blank("en")("  "), docs[0][1])
