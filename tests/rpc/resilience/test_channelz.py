"""grpc's own view of its connections, on the admin port where it is asked for."""

import contextlib

import grpc
import pytest
from grpc_channelz.v1 import channelz_pb2, channelz_pb2_grpc
from support.server_process import started
from support.waiting import wait_until
from tokalign.errors import InputError
from tokalign.server.config import Config
from tokalign.v1 import align_pb2, align_pb2_grpc

REQUEST = align_pb2.AlignRequest(pair={"source": {"text": "a"}, "target": {"text": "b"}})


@contextlib.contextmanager
def channelz(*flags):
    """Start a server; yield the stubs of its channelz and of its own service, and its address."""
    with (
        started("--admin-port", "0", *flags) as server,
        grpc.insecure_channel(server.address) as channel,
        grpc.insecure_channel(server.admin_address) as admin_channel,
    ):
        stub = align_pb2_grpc.AlignServiceStub(channel)
        yield channelz_pb2_grpc.ChannelzStub(admin_channel), stub, server.address


def shown(stub, address):
    """Return the server at an address, which is not the admin port's, and its sockets."""
    port = int(address.rpartition(":")[2])
    for server in stub.GetServers(channelz_pb2.GetServersRequest(), timeout=60).server:
        found = []
        request = channelz_pb2.GetServerSocketsRequest(server_id=server.ref.server_id)
        for socket in stub.GetServerSockets(request, timeout=60).socket_ref:
            with contextlib.suppress(grpc.RpcError):  # it may have closed since
                request = channelz_pb2.GetSocketRequest(socket_id=socket.socket_id)
                found.append(stub.GetSocket(request, timeout=60).socket)
        if any(socket.local.tcpip_address.port == port for socket in found):
            return server, found
    return None, []


def test_servers_sockets_and_streams_are_shown():
    with channelz("--channelz") as (stub, align, address):
        for _ in range(3):
            align.Align(REQUEST, timeout=60)
        # grpc counts a call once its answer is on its way.
        wait_until(lambda: shown(stub, address)[0].data.calls_succeeded == 3)
        _, (socket,) = shown(stub, address)
        assert socket.data.streams_started == 3
        with pytest.raises(grpc.RpcError) as caught:
            stub.GetSocket(channelz_pb2.GetSocketRequest(socket_id=10**9), timeout=60)
        assert caught.value.code() == grpc.StatusCode.NOT_FOUND


def test_old_connections_are_replaced_and_no_call_fails():
    with channelz("--channelz", "--max-connection-age", "0.5") as (stub, align, address):

        def connections():
            for _ in range(5):
                align.Align(REQUEST, timeout=60)
            return {socket.ref.socket_id for socket in shown(stub, address)[1]}

        first = connections()
        wait_until(lambda: connections().isdisjoint(first))


@pytest.mark.parametrize(("flags", "is_public"), [((), False), (("--channelz",), True)])
def test_it_is_off_unless_asked_for_and_never_on_the_public_port(flags, is_public):
    with (
        channelz(*flags) as (stub, _, address),
        grpc.insecure_channel(address) as channel,
        pytest.raises(grpc.RpcError) as caught,
    ):
        asked = channelz_pb2_grpc.ChannelzStub(channel) if is_public else stub
        asked.GetServers(channelz_pb2.GetServersRequest(), timeout=60)
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_it_needs_the_admin_port():
    with pytest.raises(InputError, match="admin port"):
        Config(channelz=True)
