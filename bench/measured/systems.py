"""Systems of the literature: how right they are, and how fast."""

from __future__ import annotations

from measured.accuracy import EDINBURGH, EN_RTE2, MTREF, PERCENT, RTE2
from measured.shapes import Measurement, Row, Value, some


def _folds(name: str, what: str, command: str) -> Measurement:
    return Measurement(
        name,
        f"{what}, sure links, 5 folds",
        f"python bench/crossval.py {command}",
        (Row("", {"direction": "joint"}, some(PERCENT, "f1 exact_match identical other")),),
    )


STACKING = (
    _folds(
        "stacking.rte2",
        "RTE2 development, settings of en-rte2 and what sultan links",
        f"--gold {RTE2} {EN_RTE2} --stack wordnet",
    ),
    _folds(
        "stacking.edinburgh",
        "Edinburgh++ training half, settings of en-rte2 without vectors and what sultan links",
        f"--gold {EDINBURGH} {EN_RTE2} --without vectors --stack wordnet",
    ),
    _folds(
        "stacking.mtref-without",
        "MTRef development, settings of en-rte2 without vectors",
        f"--gold {MTREF} {EN_RTE2} --without vectors",
    ),
    _folds(
        "stacking.mtref",
        "MTRef development, settings of en-rte2 without vectors and what sultan links",
        f"--gold {MTREF} {EN_RTE2} --without vectors --stack wordnet",
    ),
)

SYSTEMS = (
    *STACKING,
    Measurement(
        "sultan",
        "sultan on RTE2 development, sure links",
        "python -W ignore -m bench.sultan --ppdb DATA/ppdb/*",
        tuple(
            Row(
                f"{trees}-{table}",
                {"trees": trees, "table": table},
                some(PERCENT, "precision recall f1 exact_match other"),
            )
            for trees in ("native", "stanza", "spacy", "mst")
            for table in ("ppdb", "wordnet")
        ),
        environment=".venv-backends",
    ),
    Measurement(
        "sultan-speed",
        "sultan on annotated pairs of RTE2 development, one core",
        "python -m bench.sultan --trees native --ppdb DATA/ppdb/*",
        tuple(
            Row(
                table,
                {"trees": "native", "table": table},
                {"pairs": Value(("pairs_per_second",), "pairs per second", "pairs per second")},
            )
            for table in ("ppdb", "wordnet")
        ),
    ),
)
