"""Fixtures that all tests share."""

import logging
import os
import re
from pathlib import Path

import hypothesis
import pytest

# Assertions there explain themselves as those of tests do.
pytest.register_assert_rewrite("support")

# No test may fail because the machine is busy, or because of yesterday's random input alone; in CI
# the same commit always gets the same input.
hypothesis.settings.register_profile(
    "tokalign",
    deadline=None,
    print_blob=True,
    derandomize=os.environ.get("CI") == "true",
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("tokalign")

ROOT = Path(__file__).resolve().parents[1]
_IMPORTS_LAB = re.compile(r"^\s*(?:from|import) lab\b", re.MULTILINE)


class WithoutLab(pytest.Module):
    """A file of tests that need lab/, where that is not."""

    def collect(self):
        pytest.skip("needs lab/, which the sdist does not hold", allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    """Skip the files that import lab/ if there is none."""
    if not (ROOT / "lab").is_dir() and _IMPORTS_LAB.search(module_path.read_text("utf-8")):
        return WithoutLab.from_parent(parent, path=module_path)
    return None


@pytest.fixture(autouse=True)
def restored_logging():
    """Undo what the command line and the server set up when a test runs them in this process."""
    loggers = [logging.getLogger(), logging.getLogger("tokalign")]
    before = [(logger.level, logger.handlers[:]) for logger in loggers]
    yield
    for logger, (level, handlers) in zip(loggers, before, strict=True):
        logger.setLevel(level)
        logger.handlers[:] = handlers


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the corpora; tests that ask for it are skipped where it is absent."""
    folder = Path(os.environ.get("TOKALIGN_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"corpora not found at {folder}; set TOKALIGN_DATA")
    return folder


@pytest.fixture(scope="session")
def sample_dir() -> Path:
    """Folder of the sentences written for this project."""
    return ROOT / "tests" / "data"


@pytest.fixture(scope="session")
def small_model(sample_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Model file trained on the sample within a second; it knows little, but is real."""
    from tokalign.english.annotate import load_annotator
    from tokalign.formats import read_gold
    from tokalign.model import save_model
    from tokalign.model.training import TrainingData, train

    pairs = TrainingData({"sample": read_gold(sample_dir / "sample.jsonl")})
    path = tmp_path_factory.mktemp("model") / "small.tokalign"
    save_model(train(pairs, load_annotator("native"), name="small", version="1.0.0"), path)
    return path
