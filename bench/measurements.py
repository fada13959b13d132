"""What is measured: every figure of the documentation, the command that gives it, and where in it.

Data only; bench/figures.py runs the commands and writes docs/figures.json, from which the pages
take their figures. A command prints JSON objects, one per line, among whatever else it prints.
``DATA`` in a command stands for the folder of the corpora. Keys are the name of the measurement,
the name of the row and the name of the figure, joined with dots: ``rte2-folds.en-rte2.t2s.f1``.
"""

from __future__ import annotations

from measured.accuracy import ACCURACY
from measured.engines import ENGINES
from measured.speed import SPEEDS
from measured.systems import SYSTEMS
from measured.tasks import USES

MEASUREMENTS = (*ACCURACY, *SYSTEMS, *USES, *SPEEDS, ENGINES)
