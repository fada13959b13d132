"""Links between the tokens of two spaCy docs, from any pipeline.

Needs the extra ``spacy``.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tokalign.aligner import Aligner
from tokalign.errors import MissingPackageError
from tokalign.files.shipped import DEFAULT_MODEL
from tokalign.types import Alignment, Sentence

try:
    from spacy.tokens import Doc, Token
except ImportError as error:
    raise MissingPackageError.of("tokalign.integrations.spacy", error, "spacy") from None


class DocLink(NamedTuple):
    """Two tokens that mean the same.

    Attributes
    ----------
    source, target : spacy.tokens.Token
        Tokens of the first doc and of the second.
    confidence : float
        In [0, 1].
    """

    source: Token
    target: Token
    confidence: float


class DocAligner:
    """Links the tokens of two docs.

    The tokens are spaCy's; the model makes tags and trees, so that a blank pipeline suffices.

    Parameters
    ----------
    model : str
        A model's name or path.
    **options
        Fields of AlignOptions, such as ``style="strict"``.
    """

    def __init__(self, model: str = DEFAULT_MODEL, **options: Any) -> None:
        self._aligner, self._options = Aligner.load(model), options

    def __call__(self, source: Doc, target: Doc) -> list[DocLink]:
        """Return the links of two docs, by source.

        InputError is raised if a doc has only white space tokens, or an option is bad.
        """
        pair = _sentence(source), _sentence(target)
        return _links(source, target, self._aligner.align(*pair, **self._options))

    def pipe(self, pairs: Iterable[tuple[Doc, Doc]]) -> Iterator[list[DocLink]]:
        """Yield the links of many pairs in order, faster than one call per pair."""
        docs = list(pairs)
        sentences = ((_sentence(source), _sentence(target)) for source, target in docs)
        found = self._aligner.pipe(sentences, **self._options)
        for (source, target), alignment in zip(docs, found, strict=True):
            yield _links(source, target, alignment)

    def extend(self, name: str = "links_to") -> None:
        """Add the method ``doc._.links_to(other)`` to all docs, which calls this object."""
        Doc.set_extension(name, method=self, force=True)


def _words(doc: Doc) -> list[Token]:
    return [token for token in doc if not token.is_space]


def _sentence(doc: Doc) -> Sentence:
    return Sentence.from_tokens([token.text for token in _words(doc)], text=doc.text)


def _links(source: Doc, target: Doc, alignment: Alignment) -> list[DocLink]:
    words, others = _words(source), _words(target)
    return [
        DocLink(words[link.source], others[link.target], link.confidence)
        for link in alignment.links
    ]
