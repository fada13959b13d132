"""Arguments out of range or of a wrong type: an error of the library that names the argument.

The options come from their classes, so that a new one is covered by itself.
"""

import dataclasses

import pytest
from support import scripted_server
from support.blocking_client import Blocking
from tokalign.client import AlignOptions, Client, Constraints, GroundOptions, Limits, Retry
from tokalign.errors import InputError, ServerError
from tokalign.types.options import RankOptions

VALUES = (
    2**40, -1, -(2**70), 10**400, 1.5, float("nan"), float("inf"), True, None,
    "x", "\ud800", b"x", [], [1], {}, object(),
)  # fmt: skip


def names_of(*kinds):
    return [each.name for kind in kinds for each in dataclasses.fields(kind)]


OF_ALIGN = [*names_of(AlignOptions), "model", "annotator", "timeout_s"]
OF_GROUND = [*names_of(GroundOptions), "model", "annotator", "timeout_s"]
OF_STREAM = [*OF_ALIGN, "chunk_size", "max_in_flight"]
CALLS = {
    "align": (lambda client, given: client.align("a", "a", **given), OF_ALIGN),
    "constraints": (lambda client, given: client.align("a", "a", **given), names_of(Constraints)),
    "batch": (lambda client, given: client.batch_align([("a", "a")], **given), OF_ALIGN),
    "stream": (lambda client, given: list(client.align_stream([("a", "a")], **given)), OF_STREAM),
    "rank": (
        lambda client, given: client.rank("a", ["a"], **given),
        OF_ALIGN + names_of(RankOptions),
    ),
    "ground": (lambda client, given: client.ground("a", ["a"], **given), OF_GROUND),
    "ground stream": (
        lambda client, given: list(client.ground_stream(["a"], ["a"], **given)),
        OF_GROUND,
    ),
    "list_models": (lambda client, given: client.list_models(**given), ["timeout_s"]),
    "wait_ready": (lambda client, given: client.wait_ready(**given), ["timeout_s"]),
    "question": (lambda client, given: client.rank(given["question"], ["a"]), ["question"]),
    "candidates": (lambda client, given: client.rank("a", given["candidates"]), ["candidates"]),
    "pairs": (lambda client, given: client.batch_align(given["pairs"]), ["pairs"]),
    "streamed": (lambda client, given: list(client.align_stream(given["pairs"])), ["pairs"]),
    "passages": (lambda client, given: client.ground("a", given["passages"]), ["passages"]),
    "answer": (lambda client, given: client.ground(given["answer"], ["a"]), ["answer"]),
}
MADE = {
    Retry: names_of(Retry),
    Limits: names_of(Limits),
    Client: ["address", "timeout_s", "retry", "limits", "tls", "token", "request_id", "on_call"],
}


def check(name, call):
    """Raise AssertionError unless a call has an answer, or an error that names what it was given.

    The errors of a server name fields, too; that of a deadline has none.
    """
    try:
        call()
    except InputError as error:
        assert name in error.field, error
    except ServerError as error:
        assert error.code == "DEADLINE_EXCEEDED" or error.violations, error


@pytest.mark.parametrize("kind", [Client, Blocking])
@pytest.mark.parametrize("call", CALLS)
def test_a_bad_argument_of_a_call_is_named(kind, call):
    make, names = CALLS[call]
    with scripted_server.running() as (address, *_), kind(address, timeout_s=20) as client:
        for name in names:
            for value in VALUES:
                check(name, lambda name=name, value=value: make(client, {name: value}))


@pytest.mark.parametrize("kind", MADE)
def test_a_bad_setting_is_named(kind):
    for name in MADE[kind]:
        for value in VALUES:
            given = {"address": "localhost:1"} if kind is Client else {}
            check(name, lambda given={**given, name: value}: kind(**given))


def test_what_is_out_of_range_says_what_was_wanted():
    with Client("localhost:1") as client:
        with pytest.raises(InputError, match=r"top_k is 1099511627776; wanted 0 .*at most"):
            client.rank("a", ["a"], top_k=2**40)
        with pytest.raises(InputError, match="timeout_s is '5'; wanted seconds from 0"):
            client.align("a", "a", timeout_s="5")
