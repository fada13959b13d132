"""Predicted links, read from files and matched with the gold pairs."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tokalign.errors import InputError, quoted
from tokalign.formats import Document, Options, open_document, recognise
from tokalign.formats.pharaoh import read_links
from tokalign.types import GoldPair
from tokalign.types.options import LinkChoice

LinkSet = frozenset[tuple[int, int]]


def read_predictions(
    path: str | os.PathLike[str],
    gold: Sequence[GoldPair],
    *,
    format: str | None = None,
    choice: LinkChoice = LinkChoice.SURE,
    options: Options | None = None,
) -> list[LinkSet]:
    """Return the predicted links of every gold pair.

    Sure links are the prediction; possible ones are added if `choice` is ``sure+possible``.

    Parameters
    ----------
    path : path-like
        Any format of `tokalign.formats`. Of Pharaoh, which has links only, line n refers to the
        n-th gold pair and needs no text.
    format : str, optional
        Recognised by content by default.
    options : Options, optional
        Index base and order.

    FormatError is raised if the file is bad; InputError, if it holds other pairs than the gold, or
    a link out of range.
    """
    options = options or Options()
    document, chosen = recognise(open_document(Path(path)), format)
    if chosen.name == "pharaoh":
        pairs = _from_lines(document, gold, options)
    else:
        pairs = chosen.read(document, options)
    return predictions_of(gold, pairs, choice)


def _from_lines(
    document: Document, gold: Sequence[GoldPair], options: Options
) -> Iterator[GoldPair]:
    for index, (line, sure, possible) in enumerate(read_links(document, options)):
        if index >= len(gold):
            raise document.error(f"more lines than the {len(gold)} gold pairs", line)
        pair = gold[index]
        for i, j in sure | possible:
            if i >= len(pair.source) or j >= len(pair.target):
                raise document.error(
                    f"link {i}-{j}, but gold pair {quoted(pair.id)} has {len(pair.source)} and "
                    f"{len(pair.target)} tokens",
                    line,
                )
        yield GoldPair(pair.id, pair.source, pair.target, sure, possible)


def predictions_of(
    gold: Sequence[GoldPair], predicted: Iterable[GoldPair], choice: LinkChoice = LinkChoice.SURE
) -> list[LinkSet]:
    """Return the predicted links of pairs that were read as a corpus.

    If all pairs have their sides exchanged, as in one of GIZA++'s A3 files, their links are turned
    back.

    InputError is raised if the tokens of a pair differ from the gold's, ignoring case.
    """
    predicted = list(predicted)
    if len(predicted) != len(gold):
        raise InputError(f"{len(predicted)} predicted pairs for {len(gold)} gold pairs")
    different = _different(gold, predicted)
    if different is not None:
        turned = [pair.turned() for pair in predicted]
        if _different(gold, turned) is not None:
            pair, side, others = different
            raise InputError(
                f"pair {quoted(pair.id)}: the predictions' {side} is {quoted(others)}, gold has "
                f"{quoted(' '.join(getattr(pair, side).tokens))}; wanted the same pairs in the "
                "same order"
            )
        predicted = turned
    is_loose = choice is LinkChoice.SURE_AND_POSSIBLE
    return [pair.sure | pair.possible if is_loose else pair.sure for pair in predicted]


def _different(
    gold: Sequence[GoldPair], predicted: Sequence[GoldPair]
) -> tuple[GoldPair, str, str] | None:
    """Return the first gold pair that differs, the side and the other tokens; or None."""
    for pair, other in zip(gold, predicted, strict=True):
        for side in ("source", "target"):
            tokens, others = getattr(pair, side).tokens, getattr(other, side).tokens
            if [token.lower() for token in tokens] != [token.lower() for token in others]:
                return pair, side, " ".join(others)
    return None
