"""grpc's own view of its connections, on the admin port where it is asked for."""

import grpc
import pytest
from grpc_channelz.v1 import channelz_pb2, channelz_pb2_grpc
from server_process import started
from tokalign.errors import InputError
from tokalign.server.config import Config
from tokalign.v1 import align_pb2, align_pb2_grpc


def channelz_stub(server):
    (entry,) = [entry for entry in server.log if entry["event"] == "admin"]
    channel = grpc.insecure_channel(f"127.0.0.1:{entry['port']}")
    return channel, channelz_pb2_grpc.ChannelzStub(channel)


def test_servers_sockets_and_streams_are_shown():
    with (
        started("--admin-port", "0", "--channelz") as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        align = align_pb2_grpc.AlignServiceStub(channel)
        for _ in range(3):
            align.Align(align_pb2.AlignRequest(pair={"source": {"text": "a"}}), timeout=20)
        admin_channel, stub = channelz_stub(server)
        with admin_channel:
            servers = stub.GetServers(channelz_pb2.GetServersRequest(), timeout=20).server
            (service,) = [item for item in servers if item.data.calls_started == 3]
            assert service.data.calls_succeeded == 3
            found = stub.GetServerSockets(
                channelz_pb2.GetServerSocketsRequest(server_id=service.ref.server_id), timeout=20
            )
            (socket,) = found.socket_ref
            answer = stub.GetSocket(
                channelz_pb2.GetSocketRequest(socket_id=socket.socket_id), timeout=20
            )
            assert answer.socket.data.streams_started == 3
            with pytest.raises(grpc.RpcError) as caught:
                stub.GetSocket(channelz_pb2.GetSocketRequest(socket_id=10**9), timeout=20)
            assert caught.value.code() == grpc.StatusCode.NOT_FOUND


def test_it_is_off_unless_asked_for_and_never_on_the_public_port():
    with started("--admin-port", "0") as server:
        channel, stub = channelz_stub(server)
        with channel, pytest.raises(grpc.RpcError) as caught:
            stub.GetServers(channelz_pb2.GetServersRequest(), timeout=20)
        assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
    with (
        started("--admin-port", "0", "--channelz") as server,
        grpc.insecure_channel(server.address) as channel,
        pytest.raises(grpc.RpcError) as caught,
    ):
        channelz_pb2_grpc.ChannelzStub(channel).GetServers(
            channelz_pb2.GetServersRequest(), timeout=20
        )
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_it_needs_the_admin_port():
    with pytest.raises(InputError, match="admin port"):
        Config(channelz=True)
