"""A server in this process over the fake engine, and one as a user starts it."""

import contextlib

import grpc.aio
import httpx
import pytest
from support import fake_engine
from support.loaded import forking
from support.pools import running_pool
from tokalign.server.admission import Admission
from tokalign.server.config import Config, RequestLimits
from tokalign.server.http.routes import HttpFrontend
from tokalign.server.observe.memory import Memory, MemoryBound
from tokalign.server.observe.metrics import Metrics
from tokalign.server.rpc.frontend import Frontend
from tokalign.server.workers.engine import EngineSettings
from tokalign.server.workers.supervision import PoolSettings
from tokalign.v1 import align_pb2_grpc


@pytest.fixture(scope="session", autouse=True)
def aio_runtime():
    """Keep the runtime of grpc.aio up. Its last object, when the garbage collector frees it, waits
    for the runtime's thread, at times for ever (https://github.com/grpc/grpc/issues/22365)."""
    grpc.aio.init_grpc_aio()


@pytest.fixture
def pool_settings():
    return PoolSettings(
        workers=2,
        engine=EngineSettings(("fake",), ("native",), RequestLimits()),
        factory=fake_engine.load,
        shard_timeout_s=20,
    )


@pytest.fixture
def metrics():
    return Metrics()


@pytest.fixture
async def serving(pool_settings, metrics):
    """Yield a function that starts a server with some Config changed and returns its stub."""
    async with contextlib.AsyncExitStack() as stack:

        async def serve(pool=None, **changed):
            config = Config(host="127.0.0.1", port=0, **changed)
            admission = Admission(config.queue_pairs, config.queue_bytes, config.queue_wait_s)
            memory = MemoryBound(config.max_server_rss_bytes, Memory().resident_bytes)
            front = Frontend(config, metrics, admission, memory)
            address = await front.start(None)
            stack.push_async_callback(front.stop, 0)
            stub_http = None
            if config.http_port is not None:
                http = HttpFrontend(config, front, lambda: bool(pool))
                port = await http.start()
                stack.push_async_callback(http.stop, 0)
                client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60)
                stub_http = await stack.enter_async_context(client)
            if pool is None:
                stack.enter_context(forking())
                pool = await stack.enter_async_context(running_pool(pool_settings, metrics))
            if pool:
                await front.serve_from(front.prepared(pool))
            channel = await stack.enter_async_context(grpc.aio.insecure_channel(address))
            stub = align_pb2_grpc.AlignServiceStub(channel)
            stub.front, stub.pool, stub.admission = front, pool, admission
            stub.memory = memory
            stub.http = stub_http
            stub.channel, stub.address = channel, address
            return stub

        yield serve
