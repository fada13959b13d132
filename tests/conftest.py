"""Fixtures that all tests share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


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
