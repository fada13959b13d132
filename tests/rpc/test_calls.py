"""Status codes of calls, and their counts."""

from typing import NamedTuple

import grpc
import pytest
from tokalign.server.rpc.calls import Calls

CODES = ("OK", "CANCELLED", "DEADLINE_EXCEEDED", "INTERNAL")


class Asked(NamedTuple):
    """What gRPC tells of a call when it looks for the method."""

    method: str
    invocation_metadata: tuple = ()


class Gone:
    """A call's context once the peer is gone, before its cancellation has come."""

    def __init__(self, remaining_s=None):
        self.remaining_s = remaining_s

    def time_remaining(self):
        return self.remaining_s

    def invocation_metadata(self):
        return ()

    def peer(self):
        return "ipv4:192.0.2.1:50000"

    def done(self):
        return False

    async def write(self, answer):
        raise grpc.aio.InternalError('Failed "execute_batch": (<operations>,)')

    async def abort(self, *status):
        raise grpc.aio.InternalError("the call is gone")


@pytest.mark.parametrize(
    ("remaining_s", "code"), [(None, "CANCELLED"), (5.0, "CANCELLED"), (0.0, "DEADLINE_EXCEEDED")]
)
@pytest.mark.parametrize("is_group", [False, True])
async def test_answer_to_a_caller_who_has_gone_is_no_fault(
    metrics, caplog, remaining_s, code, is_group
):
    async def answer(requests, context):
        try:
            await context.write(b"")
        except grpc.aio.InternalError as error:
            raise ExceptionGroup("chunks", [error]) if is_group else error from None

    calls = Calls(metrics)
    handler = calls.handler("tokalign.v1.AlignService", {}, {"AlignStream": answer})
    method = handler.service(Asked("/tokalign.v1.AlignService/AlignStream"))
    await method.stream_stream(None, Gone(remaining_s))
    labels = {"grpc_service": "tokalign.v1.AlignService", "grpc_method": "AlignStream"}
    value = metrics.registry.get_sample_value
    counts = {
        each: value("grpc_server_handled_total", {**labels, "grpc_code": each}) for each in CODES
    }
    assert {each: n for each, n in counts.items() if n} == {code: 1.0}
    assert caplog.records == []
