"""A spaCy pipeline behind the annotator protocol: the extra ``spacy``."""

from collections.abc import Sequence
from typing import Any

from tokalign.english.annotate.annotator import filled, require_tokens, sentence_at, with_tokens
from tokalign.english.reading.text_reading import words_of
from tokalign.errors import MissingPackageError, ResourceError, quoted
from tokalign.types import Sentence, SentenceLike

DEFAULT_MODEL = "en_core_web_sm"
BATCH_SIZE = 256


class SpacyAnnotator:
    """Penn tags, lemmas and ClearNLP-style trees from an installed spaCy model, or its folder.

    Raises ResourceError if spaCy or the model is missing, or the model is for another language.
    """

    name = "spacy"

    def __init__(self, model: str = DEFAULT_MODEL, *, language: str = "en") -> None:
        try:
            import spacy
        except ImportError as error:
            raise MissingPackageError.of("the spacy annotator", error, "spacy") from error
        try:
            self._pipeline = spacy.load(model, exclude=["ner"])
        except (OSError, ValueError) as error:
            raise ResourceError(
                f"spaCy cannot load {quoted(model)}: {error}; run `python -m spacy download "
                f"{model}` or name an installed model, as in spacy:MODEL"
            ) from error
        if self._pipeline.lang != language:
            raise ResourceError(
                f"spaCy model {quoted(model)} is for language {quoted(self._pipeline.lang)}; "
                f"wanted {quoted(language)}"
            )
        missing = {"tagger", "parser", "lemmatizer"} - set(self._pipeline.pipe_names)
        if missing:
            raise ResourceError(f"spaCy model {quoted(model)} has no {', '.join(sorted(missing))}")

    def annotate(self, sentences: Sequence[SentenceLike], *, trees: bool) -> list[Sentence]:
        """Return the sentences with tags and lemmas and, if `trees`, heads and relations.

        See `annotator.Annotator.annotate`. spaCy's white space tokens are dropped.
        """
        given = [each if isinstance(each, str) else with_tokens(each) for each in sentences]
        documents = [
            self._pipeline.make_doc(words_of(each))
            if isinstance(each, str)
            else self._document(each)
            for each in given
        ]
        disabled = [] if trees else ["parser"]
        answers = self._pipeline.pipe(documents, batch_size=BATCH_SIZE, disable=disabled)
        annotated = []
        for sentence, document in zip(given, answers, strict=True):
            words = list(document)
            if isinstance(sentence, str):
                words = [token for token in words if not token.is_space]
                spans = ((token.idx, token.idx + len(token.text)) for token in words)
                sentence = sentence_at(sentence, [token.text for token in words], spans)
            annotated.append(
                filled(
                    sentence,
                    tags=tuple(token.tag_ for token in words),
                    lemmas=tuple(token.lemma_ or token.text for token in words),
                    heads=_heads(words) if trees else None,
                    relations=tuple(token.dep_ for token in words) if trees else None,
                )
            )
        require_tokens(annotated)
        return annotated

    def _document(self, sentence: Sentence) -> Any:
        from spacy.tokens import Doc

        following = (*sentence.starts, len(sentence.text))[1:]
        spaces = [end < start for end, start in zip(sentence.ends, following, strict=True)]
        return Doc(self._pipeline.vocab, words=list(sentence.tokens), spaces=spaces)


def _heads(words: list[Any]) -> tuple[int, ...]:
    """Return heads among the kept words; a dropped head is replaced by its own head."""
    position = {token.i: index for index, token in enumerate(words)}
    heads = []
    for token in words:
        head = token.head
        while head.i not in position and head.head.i != head.i:
            head = head.head
        is_root = token.head.i == token.i or head.i not in position
        heads.append(-1 if is_root else position[head.i])
    return tuple(heads)
