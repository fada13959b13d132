"""Rankings of answers, set by set, beside what is not learned.

Mean average precision and mean reciprocal rank of TrecQA's training and development questions,
WikiQA's development questions and WiCE's claims, with 95% bootstrap intervals over queries. The
docstring of lab.recipes.question_weights describes the systems.
"""

from __future__ import annotations

import argparse

from tokalign.aligner import Aligner

from bench.program import add_data, print_row
from lab.recipes.question_weights import rows
from lab.recipes.rankings import SETS, judged


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--model", default="en")


def run(arguments: argparse.Namespace) -> None:
    """Print a row for each set and system."""
    aligner = Aligner.load(arguments.model)
    for row in rows({name: judged(arguments.data, name, aligner) for name in SETS}):
        print_row(row)
