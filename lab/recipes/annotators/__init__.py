"""The tables of the tagger and the parser, trained on a treebank.

The kernels of training are no part of the package.
"""

from __future__ import annotations

from pathlib import Path

from lab.kernels import compile_module

compile_module(Path(__file__).with_name("training.pyx"))
