"""Every figure of lab/figures.json: the command that measures it, and where in its output it is.

Data only; `python -m lab.measurements` runs the commands and writes the file. A command prints JSON
objects, one per line, among whatever else it prints. ``DATA`` in a command stands for the folder of
the corpora. Keys are the name of the measurement, the name of the row and the name of the figure,
joined with dots: ``rte2-folds.en-rte2.f1``.
"""

from lab.measurements.accuracy import ACCURACY
from lab.measurements.speed import SPEEDS
from lab.measurements.tasks import TASKS

MEASUREMENTS = (*ACCURACY, *TASKS, *SPEEDS)
