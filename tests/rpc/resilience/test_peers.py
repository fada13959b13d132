"""Connections whose peers have no manners."""

import asyncio

import pytest
from hyperframe.frame import PingFrame
from tokalign.v1 import align_pb2

from bench.attack.peer import Peer

REQUEST = align_pb2.AlignRequest(pair={"source": {"text": "a"}, "target": {"text": "b"}})
PINGS = PingFrame(0, b"12345678").serialize()


async def flood(peer, pings):
    try:
        while True:
            await peer.send(pings)
            await asyncio.sleep(0)
    finally:
        await peer.close()


# Who reads the answers to thousands at a time is told to go and not cut off, for grpc first waits
# until nothing is left to write; that costs processor time and no memory.
@pytest.mark.parametrize(("reads", "n_pings"), [(True, 1), (False, 1), (False, 2000)])
async def test_peer_that_pings_without_pause_is_cut_off(serving, reads, n_pings):
    stub = await serving(keepalive_s=1.0, keepalive_timeout_s=1.0)
    peer = await Peer.open(stub.address, reads=reads)
    with pytest.raises(ConnectionError):
        await asyncio.wait_for(flood(peer, PINGS * n_pings), 60)
    assert (await stub.Align(REQUEST)).model.name == "fake"


async def test_no_call_is_refused_of_a_client_with_more_of_them_than_a_connection_takes(serving):
    stub = await serving(max_streams=8)

    async def calls():
        return [(await stub.Align(REQUEST)).model.name for _ in range(20)]

    assert await asyncio.gather(*(calls() for _ in range(64))) == [["fake"] * 20] * 64


async def test_a_connection_serves_on_after_thousands_of_its_calls_were_given_up(serving):
    stub = await serving()
    for _ in range(100):
        calls = [stub.Align(REQUEST) for _ in range(32)]
        await asyncio.sleep(0)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert (await stub.Align(REQUEST)).model.name == "fake"
