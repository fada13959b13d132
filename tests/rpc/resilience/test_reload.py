"""Models are replaced under a running server: SIGHUP, and the admin service."""

import os
import re
import signal
import threading
import urllib.request

import grpc
import pytest
from support.pools import loaded_processes
from support.server_process import started
from support.waiting import wait_until
from tokalign.v1 import admin_pb2, admin_pb2_grpc, align_pb2, align_pb2_grpc

from bench.procfs import descendants, stat


@pytest.fixture
def server():
    with (
        started("--admin-port", "0", "--model", "one") as server,
        grpc.insecure_channel(server.address) as channel,
        grpc.insecure_channel(server.admin_address) as admin_channel,
    ):
        server.stub = align_pb2_grpc.AlignServiceStub(channel)
        server.admin = admin_pb2_grpc.AdminServiceStub(admin_channel)
        server.channel = channel
        yield server


def batch(*ids):
    pairs = [{"id": name, "source": {"text": "a"}, "target": {"text": "b"}} for name in ids]
    return align_pb2.BatchAlignRequest(pairs=pairs)


def test_running_calls_finish_on_the_old_model_and_new_ones_use_the_new(server, tmp_path):
    old = server.stub.BatchAlign.future(batch(*[f"until:{tmp_path / 'free'}"] * 60))
    status = server.admin.GetStatus
    wait_until(lambda: status(admin_pb2.GetStatusRequest()).admitted_pairs == 60)
    answer = server.admin.Reload(admin_pb2.ReloadRequest(models=["two"]), timeout=60)
    assert [model.name for model in answer.models] == ["two"]
    with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=60) as page:
        shown = re.findall(r"^tokalign_model_info.*", page.read().decode(), re.M)
    assert shown == [f'tokalign_model_info{{digest="{"0" * 64}",name="two",version="1.0.0"}} 1.0']
    assert server.stub.BatchAlign(batch("a")).model.name == "two"
    assert not old.done()
    (tmp_path / "free").touch()
    assert old.result().model.name == "one"
    assert [result.status.code for result in old.result().results] == [0] * 60


def test_bad_model_is_refused_and_the_old_one_stays(server):
    before = server.admin.GetStatus(admin_pb2.GetStatusRequest())
    with pytest.raises(grpc.RpcError) as caught:
        server.admin.Reload(admin_pb2.ReloadRequest(models=["missing"]), timeout=60)
    assert caught.value.code() == grpc.StatusCode.FAILED_PRECONDITION
    assert "the old models stay: no model 'missing'" in caught.value.details()
    assert server.stub.BatchAlign(batch("a")).model.name == "one"
    after = server.admin.GetStatus(admin_pb2.GetStatusRequest())
    assert (after.reloads, after.worker_pids) == (0, before.worker_pids)


def test_no_call_fails_while_models_are_reloaded(server):
    stop = threading.Event()
    codes = []

    def call():
        while not stop.is_set():
            codes.extend(
                result.status.code for result in server.stub.BatchAlign(batch("a", "b")).results
            )

    thread = threading.Thread(target=call)
    thread.start()
    for name in ("two", "one", "two"):
        server.admin.Reload(admin_pb2.ReloadRequest(models=[name]), timeout=60)
    stop.set()
    thread.join()
    assert codes
    assert set(codes) == {0}


def test_sighup_starts_new_workers(server):
    before = set(server.admin.GetStatus(admin_pb2.GetStatusRequest()).worker_pids)
    server.process.send_signal(signal.SIGHUP)
    server.read_until('"event": "reloaded"')
    status = server.admin.GetStatus(admin_pb2.GetStatusRequest())
    assert status.reloads == 1
    assert before.isdisjoint(status.worker_pids)
    assert server.stop() == 0


def test_calls_on_old_models_end_where_their_workers_cannot_be_replaced(tmp_path):
    model = tmp_path / "model"
    model.touch()
    with (
        started("--admin-port", "0", "--workers", "1", "--model", f"file:{model}") as server,
        grpc.insecure_channel(server.address) as channel,
        grpc.insecure_channel(server.admin_address) as admin_channel,
    ):
        stub = align_pb2_grpc.AlignServiceStub(channel)
        admin = admin_pb2_grpc.AdminServiceStub(admin_channel)
        old = stub.BatchAlign.future(batch(*["hang"] * 60), timeout=100)
        status = admin.GetStatus(admin_pb2.GetStatusRequest())
        while not status.busy_workers:
            status = admin.GetStatus(admin_pb2.GetStatusRequest())
        old_pids = loaded_processes(server.process.pid)
        admin.Reload(admin_pb2.ReloadRequest(models=["two"]), timeout=60)
        model.unlink()
        for pid in sorted(old_pids):  # the parent first, which would fork another
            os.kill(pid, signal.SIGKILL)
        assert old.exception().code() == grpc.StatusCode.UNAVAILABLE
        assert stub.BatchAlign(batch("a")).model.name == "two"
        assert server.stop() == 0


def test_stop_in_the_middle_of_a_reload_is_clean(server):
    reload = server.admin.Reload.future(admin_pb2.ReloadRequest(models=["slow:60"]))
    reload_pids = set()
    while len(reload_pids) < 5:  # the tracker, three of the old models, one of the new
        reload_pids = descendants(server.process.pid)
    assert server.stop() == 0
    assert reload.exception() is not None
    wait_until(lambda: not any(map(stat, reload_pids)))


def test_admin_service_is_not_on_the_public_port(server):
    stub = admin_pb2_grpc.AdminServiceStub(server.channel)
    with pytest.raises(grpc.RpcError) as caught:
        stub.Reload(admin_pb2.ReloadRequest())
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
