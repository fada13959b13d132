"""The attacks' own parts: every row of the review has one, and what they send is what they say."""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

import pytest

from bench.attack import caller, families, peer, trial
from bench.attack.rows import ROWS
from bench.attack.strangers import MIB, packed

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
try:
    from measured.attacks import ATTACKS
finally:
    del sys.path[0]

REVIEW = [str(number) for number in range(1, 22)]


def test_every_row_of_the_review_has_an_attack() -> None:
    assert families.__all__
    reviews = {number for row in ROWS.values() for number in row.review.split(", ")}
    assert reviews >= {*REVIEW, "held", "lengths"}


def test_the_threat_model_tells_of_every_attack() -> None:
    page = (Path(__file__).parents[2] / "docs/threat-model.md").read_text(encoding="utf-8")
    assert [name for name in ROWS if f"`{name}`" not in page] == []


def test_the_short_version_has_strangers_and_callers() -> None:
    short = [row for row in ROWS.values() if row.is_short]
    assert {row.is_stranger for row in short} == {True, False}
    assert len(short) < len(ROWS) / 2


@pytest.mark.parametrize(("encoding", "bits"), [("gzip", 31), ("deflate", 15)])
def test_a_bomb_unpacks_to_its_size(encoding: str, bits: int) -> None:
    body = packed(3, encoding)
    unpacker = zlib.decompressobj(bits)
    assert unpacker.decompress(body) == bytes(3 * MIB)
    assert unpacker.eof
    assert len(body) < MIB / 100


def test_a_long_header_is_an_hpack_literal() -> None:
    # RFC 7541, section 5.1: 1337 with a prefix of 5 bits is 31, 154, 10; with 7 bits 127, 186, 9.
    value = b"v" * 1337
    assert peer.literal(b"n", value) == b"\0\1n" + bytes([127, 186, 9]) + value


def test_a_frame_has_its_length_kind_flags_and_stream() -> None:
    assert peer.frame(peer.PING, peer.ACK, 3, b"12345678") == b"\0\0\10\6\1\0\0\0\00312345678"


def test_every_attack_beside_a_caller_is_measured() -> None:
    keys = {key for each in ATTACKS for key in each.figure_keys()}
    for name, row in ROWS.items():
        assert (f"attack.{name}.lost" in keys) == row.has_server, name
        assert (f"attack.{name}.grown" in keys) == (row.is_stranger and row.has_server), name
        assert (f"attack-30s.behind-envoy.{name}.lost" in keys) == row.goes_in_front, name


@pytest.mark.parametrize(
    ("name", "front_mib", "verdict", "is_broken"),
    [
        ("pings", 0.0, "CANCELLED", True),
        ("rapid-reset", 0.0, "CANCELLED", False),
        ("rapid-reset", 0.0, caller.WRONG, True),
        ("rapid-reset", 0.0, "DEADLINE_EXCEEDED", True),
        ("rapid-reset", 60.0, "CANCELLED", True),
        ("hpack-bomb", 0.0, "UNAVAILABLE", False),
        ("hpack-bomb", 0.0, caller.WRONG, True),
        ("hpack-bomb", 60.0, "UNAVAILABLE", True),
    ],
)
def test_a_lost_call_breaks_the_promise_where_it_is_made(
    name: str, front_mib: float, verdict: str, is_broken: bool
) -> None:
    result = trial.Result(name)
    result.front_mib["before"] = front_mib
    outcomes = [
        caller.Outcome(began, 0.1, found, is_new=False)
        for began, found in [(0.0, caller.OK), (1.5, verdict), (3.0, caller.OK)]
    ]
    trial.judge_calls(ROWS[name], outcomes, 1.0, 2.0, result)
    assert result.lost == {f"{verdict} during": 1}
    assert bool(result.broken) is is_broken
