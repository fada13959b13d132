"""Systems of the literature: how right they are, and how fast."""

from __future__ import annotations

from measured.accuracy import PERCENT
from measured.shapes import Measurement, Row, Value, some

SYSTEMS = (
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
