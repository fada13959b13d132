"""Fixtures that several unit tests share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tokalign.aligner import Aligner
from tokalign.cli.main import main
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import Lexicons
from tokalign.formats import read_gold
from tokalign.model import Model, load_model
from tokalign.model.shipped import model_path
from tokalign.types import GoldPair


@pytest.fixture(scope="session")
def gold(sample_dir: Path) -> list[GoldPair]:
    """Some aligned pairs of the sample."""
    return list(read_gold(sample_dir / "sample.jsonl"))[:24]


@pytest.fixture(scope="session")
def aligner() -> Aligner:
    """The default model's aligner."""
    return Aligner.load()


@pytest.fixture(scope="session")
def model() -> Model:
    """What the aligner's file holds."""
    return load_model(model_path("en"))


@pytest.fixture(scope="session")
def extractor(model: Model) -> Extractor:
    """The model's features, as rows."""
    lexicons = Lexicons.for_groups(model.table.groups)
    return Extractor(
        lexicons.wordnet,
        model.table.base,
        lexicons.vectors,
        lexicons.paraphrases,
        lexicons.frequencies,
    )


@pytest.fixture(scope="session")
def run_command() -> Callable[..., Result]:
    """Calls the command line with arguments, and perhaps a text on standard input."""

    def run(*args: object, text: str = "") -> Result:
        return CliRunner().invoke(main, list(map(str, args)), input=text, prog_name="tokalign")

    return run
