"""Reasons of errors: each has a code, a place in the contract and the docs, and is named where an
error is raised."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest
from google.rpc import error_details_pb2, status_pb2
from tokalign import errors
from tokalign.client import errors as client_errors
from tokalign.codec.servers import ErrorReason
from tokalign.server import status
from tokalign.server.observe.faults import failure_of
from tokalign.server.status import CODES, Failure, Missing, ReasonedError, code_name
from tokalign.v1 import align_pb2

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server"
PREFIX = "ERROR_REASON_"
# They raise before the server answers calls. Workers have the library's errors alone.
AT_THE_START = {"config.py", "descriptors.py", "rpc/frontend.py", "rpc/security.py"}
AT_THE_START |= {"rpc/tokens.py"}
AT_THE_START |= {"observe/metrics.py", "observe/tracing.py"}
AT_THE_START |= {"workers/aligners.py", "workers/engine.py"}
AT_THE_START |= {"http/listener.py", "workers/ground_sentences.py"}
REASONED = {
    name
    for name, kind in vars(status).items()
    if inspect.isclass(kind) and issubclass(kind, ReasonedError)
}
REASON_BY_DEFAULT = {"ExpiredError", "NotServingError", "FailedError"}


def calls():
    """Yield the file, the line, the name and the keywords of every call in the server."""
    for path in sorted(SERVER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func).rpartition(".")[2]
                given = [*node.args, *(each.value for each in node.keywords)]
                yield path.relative_to(SERVER).as_posix(), node.lineno, name, given


def is_reason(node):
    """Return whether an argument is a reason, or a variable that holds one."""
    text = ast.unparse(node)
    member = re.fullmatch(r"ErrorReason\.(\w+)", text)
    return member[1] in ErrorReason.__members__ if member else text in ("reason", "told")


def test_every_error_of_the_server_is_made_with_a_reason():
    made = {name for _, _, name, _ in calls()}
    assert made & REASONED >= {"BadRequestError", "RequestLimitError", "QueueFullError"}
    without = [
        f"{path}:{line} {name}"
        for path, line, name, given in calls()
        if name in REASONED - REASON_BY_DEFAULT
        and path != "status.py"
        and not any(map(is_reason, given))
    ]
    assert without == []


def test_what_answers_calls_raises_no_error_of_the_library():
    """Those have a reason too, but one that says less."""
    plain = [
        f"{path}:{line} {name}"
        for path, line, name, _ in calls()
        if name in ("InputError", "LimitError", "ShapeError") and path not in AT_THE_START
    ]
    assert plain == []


def test_no_call_ends_in_an_error_but_through_a_failure():
    past = [
        f"{path}:{line} {name}"
        for path, line, name, _ in calls()
        if name in ("abort", "abort_with_status", "set_code", "set_details")
        and path.startswith("rpc/")
    ]
    assert len(past) == 1 and past[0].startswith("rpc/receiving.py")


def test_every_reason_is_one_of_the_contract_and_has_a_code():
    known = set(align_pb2.ErrorReason.keys()) - {f"{PREFIX}UNSPECIFIED"}
    assert known == {f"{PREFIX}{reason}" for reason in ErrorReason}
    assert set(CODES) == set(ErrorReason)
    assert all(reason.value == reason.name for reason in ErrorReason)


def test_every_reason_is_given_somewhere():
    text = "".join(path.read_text() for path in SERVER.rglob("*.py") if path.name != "status.py")
    text += (SERVER / "status.py").read_text().partition("class Missing")[2]
    unused = [reason for reason in ErrorReason if f"ErrorReason.{reason}" not in text]
    assert unused == []


@pytest.mark.parametrize(
    ("page", "row"),
    [
        ("protos/tokalign/v1/align.proto", rf"  // ([A-Z_]+): .*\n(?:  // .*\n)*  {PREFIX}(\w+) ="),
        ("docs/grpc.md", r"\| ([A-Z_]+) \| `([A-Z_]+)` \|"),
    ],
)
def test_contract_and_docs_name_the_code_of_each_reason(page, row):
    found = {reason: code for code, reason in re.findall(row, (ROOT / page).read_text())}
    assert found == {reason.value: code_name(code) for reason, code in CODES.items()}


@pytest.mark.parametrize(
    "kind", [kind for kind in vars(errors).values() if inspect.isclass(kind)], ids=str
)
def test_every_error_of_the_library_has_a_reason(kind):
    reason = failure_of(kind("as told")).reason
    if issubclass(kind, errors.LimitError):
        assert reason is ErrorReason.LIMIT_EXCEEDED
    elif issubclass(kind, errors.InputError):
        assert reason is ErrorReason.INVALID_INPUT
    else:
        assert reason is ErrorReason.INTERNAL_FAULT


def test_a_failure_as_clients_read_it():
    missing = Missing("model", "x" * 99)
    failure = Failure(
        ErrorReason.MODEL_NOT_FOUND, "no", "options.model", 2.5, missing, {"error_id": "5a"}
    )
    proto = failure.to_proto()
    found = client_errors._rich_details([(client_errors._DETAILS_KEY, proto.SerializeToString())])
    assert found.reason is ErrorReason.MODEL_NOT_FOUND
    assert (found.violations[0].field, found.retry_after_s) == ("options.model", 2.5)
    assert found.metadata == {"error_id": "5a"}
    resource = error_details_pb2.ResourceInfo()
    assert any(detail.Unpack(resource) for detail in proto.details)
    assert resource.resource_type == "tokalign/model"
    assert resource.resource_name == "x" * status.MAX_NAME


def test_reasons_that_a_client_does_not_know():
    item = align_pb2.Status(code=3, message="as told", reason="ERROR_REASON_LIMIT_EXCEEDED")
    assert client_errors.from_status(item).reason is ErrorReason.LIMIT_EXCEEDED
    item.reason = 9999
    assert client_errors.from_status(item).reason == "UNKNOWN_9999"
    proto = status_pb2.Status()
    for domain, reason in (("tokalign", "NEWER"), ("other.example", "QUEUE_FULL")):
        proto.details.add().Pack(error_details_pb2.ErrorInfo(domain=domain, reason=reason))
    found = client_errors._rich_details([(client_errors._DETAILS_KEY, proto.SerializeToString())])
    assert found.reason == "NEWER"
