"""Both clients align texts as the library does, at once and in pieces."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families
from support.blocking_client import Blocking
from support.server_process import get, started
from support.texts import text
from support.waiting import wait_until
from tokalign import Aligner
from tokalign.client import Client, InvalidInputError
from tokalign.client import calls as client_calls
from tokalign.codec import texts as codec_texts
from tokalign.errors import InputError
from tokalign.types.options import OffsetUnit

OLD = "It rains. Marta sells \N{CROISSANT} and bakes bread. Nobody came."
NEW = "Marta sells \N{CROISSANT}. She bakes bread. It rains. Dogs bark."
# More pairs of sentences to compare than the small server takes in one call.
MANY_OLD, MANY_NEW = (
    text(*(f"A dog barked {word} {i}." for i in range(6))) for word in ("at", "by")
)


@pytest.fixture(scope="module")
def real():
    with started("--workers", "1", fake=False) as server:
        yield server


@pytest.fixture(scope="module")
def small():
    with started("--workers", "1", "--max-pairs", "5") as server:
        yield server


@pytest.fixture(scope="module")
def aligner():
    return Aligner.load()


@pytest.fixture(params=[Client, Blocking], ids=["Client", "AsyncClient"])
def kind(request):
    return request.param


@pytest.fixture
def in_pieces(monkeypatch):
    """Have clients send texts of any length by the stream, a few characters at a time."""
    monkeypatch.setattr(client_calls, "SHORT_BYTES", -1)
    monkeypatch.setattr(codec_texts, "PIECE_CHARACTERS", 7)


@pytest.fixture(params=["at_once", "in_pieces"])
def method(request):
    """Return the method that clients call, at once or in pieces."""
    if request.param == "at_once":
        return "AlignTexts"
    request.getfixturevalue("in_pieces")
    return "AlignTextsStream"


@contextlib.contextmanager
def ends(server, *expected):
    """Wait until the server has counted one more call for each method and code."""
    before = handled(server)
    yield
    wait_until(lambda: handled(server) >= before + Counter(expected), f"saw no {expected}")


def handled(server):
    """Return how many calls that align texts ended, by method and code."""
    _, metrics = get(f"{server.metrics_url}/metrics")
    counts = Counter()
    for family in text_string_to_metric_families(metrics):
        for sample in family.samples:
            method = sample.labels.get("grpc_method", "")
            if sample.name == "grpc_server_handled_total" and method.startswith("AlignTexts"):
                counts[method, sample.labels["grpc_code"]] += int(sample.value)
    return +counts


def as_sent(value):
    """Return a value with its numbers as they are sent, of 32 bits."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return type(value), {name: as_sent(getattr(value, name)) for name in names}
    if isinstance(value, tuple):
        return tuple(map(as_sent, value))
    return np.float32(value) if isinstance(value, float) else value


@pytest.mark.parametrize("unit", OffsetUnit)
def test_texts_are_aligned_as_the_library_does(real, aligner, kind, method, unit):
    options = {"offsets": unit, "edits": True, "relations": True}
    with kind(real.address, timeout_s=60) as client, ends(real, (method, "OK")):
        served = client.align_texts(OLD, NEW, **options)
    local = aligner.align_texts(OLD, NEW, **options)
    assert as_sent(served) == as_sent(local)
    assert [(each.old, each.new, each.moved) for each in served.blocks] == [
        ((1,), (0, 1), False), ((2,), (), False), ((0,), (2,), True), ((), (3,), False),
    ]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), [("", ""), ("", "It rains."), (" \n", "\N{DOG}s bark.")])
def test_texts_without_sentences_are_as_the_library_has_them(real, aligner, kind, method, old, new):
    with kind(real.address, timeout_s=60) as client:
        served = client.align_texts(old, new)
    assert as_sent(served) == as_sent(aligner.align_texts(old, new))


def test_what_one_call_is_too_small_for_goes_by_the_stream(small, kind):
    codes = ("AlignTexts", "INVALID_ARGUMENT"), ("AlignTextsStream", "OK")
    with kind(small.address, timeout_s=60) as client, ends(small, *codes):
        found = client.align_texts(MANY_OLD, MANY_NEW)
    assert sum(len(block.new) for block in found.blocks) == 6


def test_block_that_fails_has_an_error_of_its_own(small, kind, method):
    bad = text("Dogs bark.", "fail:target.text", "It rains.")
    with kind(small.address, timeout_s=60) as client:
        blocks = client.align_texts(bad, bad).blocks
    assert [each.alignment is None for each in blocks] == [False, True, False]
    assert [type(each.error) for each in blocks] == [type(None), InvalidInputError, type(None)]
    assert [each.field for each in blocks[1].error.violations] == ["new_text"]


def test_bad_options_and_texts_are_named(small, kind, method):
    with kind(small.address, timeout_s=60) as client:
        with pytest.raises(InvalidInputError) as caught:
            client.align_texts(OLD, NEW, style="loose")
        assert [each.field for each in caught.value.violations] == ["options.style"]
        for bad in (None, "\ud800"):
            with pytest.raises(InputError) as caught:
                client.align_texts(OLD, bad)
            assert caught.value.field == "new_text"
