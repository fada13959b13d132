"""Rates: processor time that pairs take, by system, encoder, annotator and option.

Measured on typical pairs by `python -m bench.speed cost`, which compares them with this machine.
They are upper bounds where a few pairs take far longer than most of their lengths, and are of words
that a worker has seen: one that it has not takes some 20 more.
"""

from __future__ import annotations

from typing import NamedTuple

from tokalign.codec.options import RequestOptions
from tokalign.types.options import Detail, Symmetrization

# Bytes of a token with the space after it, where texts are not at hand.
USUAL_BYTES = 5.5
# Longer words are compared by so many letters.
MOST_LETTERS = 64.0


class Rates(NamedTuple):
    """Microseconds of each part of a pair.

    Attributes
    ----------
    pair, token, byte, cell : float
        Cells are source times target tokens.
    letter_cell : float
        Of a cell for each letter that its words have on average, at most MOST_LETTERS.
    token_cell : float
        Of a cell for each token of both sides, because of the chains' transitions.
    """

    pair: float
    token: float
    byte: float
    cell: float
    letter_cell: float
    token_cell: float

    def us(
        self,
        n_pairs: float,
        n_tokens: float,
        n_cells: float,
        n_token_cells: float,
        token_bytes: float = USUAL_BYTES,
    ) -> float:
        """Return what pairs take that have so many tokens, cells and so on together."""
        letters = min(token_bytes, MOST_LETTERS)
        return (
            self.pair * n_pairs
            + (self.token + self.byte * token_bytes) * n_tokens
            + (self.cell + self.letter_cell * letters) * n_cells
            + self.token_cell * n_token_cells
        )

    def plus(self, **more: float) -> Rates:
        """Return rates with some of them raised."""
        return self._replace(**{name: getattr(self, name) + value for name, value in more.items()})


MODEL = Rates(50.0, 1.8, 0.07, 0.05, 0.017, 0.00009)
BY_SYSTEM = {
    "lemma": Rates(130.0, 2.2, 0.02, 0.2, 0.0, 0.0),
    "sultan": Rates(130.0, 5.0, 0.05, 0.06, 0.0, 0.0),
    # Words that occur again and again have many partners to choose from.
    "meteor": Rates(130.0, 4.5, 0.03, 0.5, 0.0, 0.0),
    # Deep trees take up to MAX_STEPS of tokalign.systems.kernels for each pair of tokens.
    "ted": Rates(140.0, 5.0, 0.03, 1.2, 0.0, 0.0),
}
"""Of a name that is missing, those of a model."""
ENCODERS = {"encoder-en-large": (6_000.0, 800.0)}
OTHER_ENCODER = (800.0, 140.0)
"""Microseconds of each pair that an encoder reads, and of each of its tokens, by its table.

Half of it is for reading each sentence by itself, for their similarity. Processors without AVX-512
take three times as long, or more; the speed of workers is measured."""
GATE_PAIR = 10.0
ANNOTATOR_TOKEN = {"native": 0.0, "nltk": 60.0, "spacy": 100.0, "stanza": 850.0}


def of_model(name: str, annotator: str) -> Rates:
    """Return the rates of a model without its encoder, or of a system, without options.

    Parameters
    ----------
    name : str
        Of a system; any other is that of a model.
    """
    rates = BY_SYSTEM.get(name, MODEL)
    return rates.plus(token=ANNOTATOR_TOKEN[annotator])


def with_options(rates: Rates, encoder: str, request: RequestOptions) -> Rates:
    """Return the rates of a model with options.

    An alignment has at most about one link for every two tokens, and each link is explained twice.
    Where pairs are compared, the encoder reads the sentences of all of them, whatever the effort.
    """
    options = request.align
    if encoder and options.effort:
        pair, token = ENCODERS.get(encoder, OTHER_ENCODER)
        share = options.effort
        if request.rank_by is not None or options.detail is Detail.SCORES:
            share = (1.0 + share) / 2
        rates = rates.plus(pair=pair * share + GATE_PAIR, token=token * share)
    if options.symmetrization is not Symmetrization.JOINT:
        rates = rates.plus(token=1.0, token_cell=0.00045)
    if options.posteriors:
        rates = rates.plus(cell=0.04)
    if options.phrases:
        rates = rates.plus(token=9.0 if options.relations else 3.0, cell=0.06)
    if options.explain:
        rates = rates.plus(token=60.0)
    if options.edits:
        rates = rates.plus(pair=60.0, token=8.0)
    return rates
