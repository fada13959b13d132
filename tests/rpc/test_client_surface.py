"""Both clients without a server: their methods, settings and exceptions."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from tokalign.client import (
    AccessError,
    AsyncClient,
    Client,
    NotFoundError,
    OverloadedError,
    Retry,
    UnsupportedError,
)
from tokalign.client.errors import CLASSES
from tokalign.errors import InputError

ROOT = Path(__file__).parents[2]


def test_clients_have_the_same_methods():
    def public(kind):
        return {name for name in dir(kind) if not name.startswith("_")}

    assert public(Client) == public(AsyncClient)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"address": "localhost"}, "wanted HOST:PORT"),
        ({"address": "http://localhost:8080/v1"}, r"as in Client\('localhost:8080'\)"),
        ({"address": "https://a.example:443"}, r"Client\('a.example:443', tls=Tls\(\)\)"),
        ({"address": "localhost:1", "token": "secret"}, "over TLS only"),
    ],
)
def test_arguments_are_checked_before_connecting(kind, options, message):
    with pytest.raises(InputError, match=message):
        kind(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"max_attempts": 1},
        {"max_attempts": 6},
        {"initial_backoff_s": 2.0},
        {"initial_backoff_s": 0.001},
    ],
)
def test_retry_is_checked(options):
    with pytest.raises(InputError):
        Retry(**options)


def test_every_exception_of_the_table_is_public():
    assert {AccessError, UnsupportedError, NotFoundError, OverloadedError} <= set(CLASSES.values())


def test_the_blocking_client_is_written_from_the_other_one():
    source = (ROOT / "client" / "aio.py").read_text()
    written = runpy.run_path(str(ROOT / "packaging" / "write_sync_client.py"))["sync_client"]
    assert (ROOT / "client" / "sync.py").read_text() == written(source)
