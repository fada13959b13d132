"""Fixtures of the annotators that need packages of their own; `make test-torch` has them."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def stanza_dir(data_dir) -> Path:
    """Folder of Stanza's English models, beside the corpora."""
    folder = data_dir.parent / "models" / "stanza"
    if not folder.is_dir():
        pytest.skip(f"no Stanza models at {folder}")
    return folder
