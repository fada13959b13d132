"""A reload that fails leaves nothing behind, and many that are asked for at once are few."""

import signal
import time

import grpc
import pytest
from support import hostile
from support.server_process import started
from support.waiting import wait_until
from tokalign.v1 import admin_pb2, admin_pb2_grpc, align_pb2, align_pb2_grpc

from bench.procfs import descendants


class Admin:
    def __init__(self, server):
        self.server = server
        self.channel = grpc.insecure_channel(server.admin_address)
        self.stub = admin_pb2_grpc.AdminServiceStub(self.channel)

    def reload(self, *models):
        return self.stub.Reload(admin_pb2.ReloadRequest(models=models), timeout=60)

    def refused(self, model):
        with pytest.raises(grpc.RpcError) as caught:
            self.reload(str(model))
        return caught.value.code(), caught.value.details()

    def status(self):
        return self.stub.GetStatus(admin_pb2.GetStatusRequest())

    def processes(self):
        return set(descendants(self.server.process.pid))


@pytest.fixture
def running():
    servers = []

    def start(*flags, **options):
        context = started("--admin-port", "0", *flags, **options)
        server = context.__enter__()
        servers.append(context)
        return Admin(server)

    yield start
    for context in servers:
        context.__exit__(None, None, None)


def listed(admin):
    with grpc.insecure_channel(admin.server.address) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        return [model.name for model in stub.ListModels(align_pb2.ListModelsRequest()).models]


@pytest.mark.parametrize("model", ["number", "surrogate", "broken", "missing"])
def test_three_bad_reloads_leave_no_process(running, model):
    admin = running("--model", "one")
    before, pids = admin.processes(), admin.status().worker_pids
    for _ in range(3):
        code, _ = admin.refused(model)
        assert code in (grpc.StatusCode.INTERNAL, grpc.StatusCode.FAILED_PRECONDITION)
    wait_until(lambda: admin.processes() == before)
    assert (admin.status().worker_pids, admin.status().reloads) == (pids, 0)
    assert listed(admin) == ["one"]
    admin.reload("two")
    assert listed(admin) == ["two"]
    wait_until(lambda: len(admin.processes()) == len(before))
    assert admin.server.stop() == 0


def test_an_unexpected_error_while_loading_is_refused_without_its_text(running):
    admin = running("--model", "one")
    code, details = admin.refused("broken")
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert "the old models stay: internal error" in details
    assert "too deep" not in details


def test_signals_are_merged_into_one_reload_after_the_running_one(running, tmp_path):
    gate = tmp_path / "open"
    gate.touch()
    admin = running("--model", f"gate:{gate}")
    n_before = len(admin.processes())
    gate.unlink()
    admin.server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: len(admin.processes()) == n_before + 1)  # the first reload is loading
    for _ in range(200):
        admin.server.process.send_signal(signal.SIGHUP)
        time.sleep(0.001)  # the kernel merges those that the server has not seen yet
    admin.status()
    gate.touch()
    # Its turn comes after all that was asked for before.
    admin.reload("two")
    assert admin.status().reloads == 3
    assert admin.server.stop() == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "5"),
        ("name", '"../en"'),
        ("version", "123"),
        ("description", "7"),
        ("description", '"\\ud800"'),
        ("corpora", "[1]"),
        ("settings", hostile.DEEP),
        ("encoder", '"../../encoder-en"'),
    ],
)
def test_a_hostile_header_is_refused_and_the_old_model_serves(
    hostile_admin, small_model, tmp_path, field, value
):
    path = hostile.model_with_header(tmp_path / "m.tokalign", small_model, **{field: value})
    before = hostile_admin.processes()
    code, details = hostile_admin.refused(path)
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert f"the old models stay: {path}:2: bad header: " in details
    wait_until(lambda: hostile_admin.processes() == before)
    assert listed(hostile_admin) == ["small"]


@pytest.fixture(scope="module")
def hostile_admin(small_model):
    with started("--admin-port", "0", "--model", str(small_model), fake=False) as server:
        yield Admin(server)
        assert server.stop() == 0


def test_a_name_too_long_for_a_file_is_refused(hostile_admin):
    code, details = hostile_admin.refused("a" * 5000)
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert len(details) < 500
