"""Tokens with names, quotas, dates and scopes: what callers may do, and who tells of them."""

import hashlib

import grpc
import pytest
from prometheus_client import generate_latest
from support.server_process import started
from support.statuses import details, failure, reason
from support.waiting import until
from tokalign.errors import InputError
from tokalign.server.observe.record import MAX_REFUSED_PER_S, AccessLog
from tokalign.server.quotas import Quota, QuotaLimits
from tokalign.server.rpc.tokens import TokenFile
from tokalign.v1 import admin_pb2, admin_pb2_grpc, align_pb2

PAIR = {"source": {"text": "Dogs bark."}, "target": {"text": "The dogs bark."}}
ONE = align_pb2.AlignRequest(pair=PAIR)


def line(name, *settings):
    """Return the line of a token that is the caller's name."""
    return " ".join([name, hashlib.sha256(name.encode()).hexdigest(), *settings]) + "\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tokens"


def lines_of(caplog, event):
    return [each for each in caplog.records if each.message == event]


def as_caller(name):
    return [("authorization", f"Bearer {name}")]


def test_lines_with_settings_and_old_ones_are_read(path):
    path.write_text(
        line("alice")
        + line("bob", "cost=50", "burst=200", "at-once=7", "scope=admin", "expires=2999-12-31")
        + line("carol", "cost=5  # a comment")
    )
    tokens = TokenFile(path)
    alice, bob, carol = (tokens.check(f"Bearer {name}") for name in ("alice", "bob", "carol"))
    assert (alice.name, alice.is_admin, alice.quota.limits) == ("alice", False, QuotaLimits())
    assert (bob.is_admin, bob.quota.limits) == (True, QuotaLimits(50, 200, 7))
    assert carol.quota.limits == QuotaLimits(5, 50)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("price=3", "saw 'price=3'; wanted KEY=VALUE"),
        ("cost", "saw 'cost'"),
        ("cost=1 cost=2", "saw 'cost=2'"),
        ("cost=-1", "cost is '-1'; wanted a number above 0"),
        ("cost=nan", "cost is 'nan'"),
        ("burst=3", "give cost as well"),
        ("scope=root", "scope is 'root'; wanted admin"),
        ("expires=soon", "expires is 'soon'; wanted a last day"),
        ("expires=2026-13-01", "expires is '2026-13-01'"),
    ],
)
def test_bad_settings_are_named_with_file_and_line(path, settings, told):
    path.write_text("# who\n" + line("alice") + line("bob", settings))
    with pytest.raises(InputError) as caught:
        TokenFile(path)
    assert str(caught.value).startswith(f"{path}:3: ") and told in str(caught.value)


def test_one_name_has_one_quota(path):
    other = line("alice", "cost=2").replace(line("alice").split()[1], "0" * 64)
    path.write_text(line("alice", "cost=1") + other)
    with pytest.raises(InputError, match=r":2: 'alice' has another quota"):
        TokenFile(path)


def test_a_caller_keeps_what_it_has_used_when_the_file_changes(path):
    path.write_text(line("alice", "cost=1"))
    tokens = TokenFile(path)
    tokens.check("Bearer alice").quota.take(100)
    path.write_text(line("alice", "cost=1") + line("bob"))
    tokens.look()
    assert tokens.check("Bearer alice").quota.lack(1) is not None
    path.write_text(line("alice", "cost=1000"))
    tokens.look()
    assert tokens.check("Bearer alice").quota.lack(1) is None


def test_a_budget_is_spent_paid_back_and_saved_up_to_its_burst():
    now = [0.0]
    quota = Quota("alice", QuotaLimits(10, 20), lambda: now[0])
    assert quota.lack(500) is None  # dearer than the burst, and let in
    quota.take(50)
    refusal = quota.lack(1)
    assert (refusal.reason, refusal.retry_after_s) == ("QUOTA_EXCEEDED", 3.1)
    now[0] += refusal.retry_after_s
    assert quota.lack(1) is None
    now[0] += 1000
    assert quota.lack(1) is None
    quota.take(21)
    assert quota.lack(1).retry_after_s == pytest.approx(0.2)


def test_work_at_once_is_bounded_and_a_lone_request_let_in():
    quota = Quota("alice", QuotaLimits(at_once=10))
    assert quota.lack(100) is None
    quota.take(8)
    assert quota.lack(2) is None
    assert quota.lack(3).reason == "TOO_MUCH_AT_ONCE"
    quota.release(8)
    assert quota.lack(100) is None


async def test_callers_beyond_their_quota_are_refused_and_others_are_not(serving, path, metrics):
    path.write_text(line("alice", "cost=0.01", "burst=1") + line("bob"))
    stub = await serving(token_file=path)
    await stub.Align(ONE, metadata=as_caller("alice"))
    told, found = await reason(stub.Align(ONE, metadata=as_caller("alice")))
    assert (told, found["RetryInfo"].retry_delay.seconds > 50) == ("QUOTA_EXCEEDED", True)
    for _ in range(3):
        await stub.Align(ONE, metadata=as_caller("bob"))
    await until(lambda: metrics.usage.by_caller()["alice"].calls == 2)
    shown = generate_latest(metrics.registry).decode()
    for expected in (
        'tokalign_usage_calls_total{caller="alice",model="fake",reason=""} 1.0',
        'tokalign_usage_calls_total{caller="alice",model="fake",reason="QUOTA_EXCEEDED"} 1.0',
        'tokalign_usage_pairs_total{caller="bob",model="fake",reason=""} 3.0',
        'tokalign_usage_cost_total{caller="bob",model="fake",reason=""} 3.0',
    ):
        assert expected in shown
    quotas = stub.front._tokens.quotas
    assert (quotas["alice"].held, quotas["bob"].held) == (0, 0)


async def test_a_stream_beyond_its_quota_is_slowed_down(serving, path):
    path.write_text(line("alice", "cost=20", "burst=1"))
    stub = await serving(token_file=path)
    stream = stub.AlignStream(metadata=as_caller("alice"))
    for number in range(4):
        chunk = align_pb2.AlignStreamRequest(chunk_id=str(number), pairs=[PAIR])
        await stream.write(chunk)
        assert (await stream.read()).status.code == 0
    await stream.done_writing()


async def test_expired_and_unknown_tokens_are_counted_and_logged(serving, path, metrics, caplog):
    path.write_text(line("alice") + line("old", "expires=2020-01-01"))
    stub = await serving(token_file=path)
    assert (await reason(stub.Align(ONE, metadata=as_caller("old"))))[0] == "TOKEN_EXPIRED"
    for _ in range(50):
        assert (await reason(stub.Align(ONE, metadata=as_caller("x"))))[0] == "TOKEN_UNKNOWN"
    await until(lambda: metrics.usage.by_caller()[""].calls == 50)
    assert metrics.usage.by_caller()["old"].failed == 1
    shown = generate_latest(metrics.registry).decode()
    refused = 'tokalign_usage_calls_total{caller="",model="",reason="TOKEN_UNKNOWN"} 50.0'
    assert refused in shown
    lines = lines_of(caplog, "call refused")
    assert 10 <= len(lines) < 50
    assert (lines[0].caller, lines[0].reason) == ("old", "TOKEN_EXPIRED") and lines[
        1
    ].reason == "TOKEN_UNKNOWN"
    assert lines[1].peer.startswith("ipv4:127.0.0.1")
    assert "Bearer" not in caplog.text


def test_admins_alone_operate(path):
    path.write_text(line("alice") + line("root", "scope=admin"))
    with (
        started("--admin-port", "0", "--token-file", str(path)) as server,
        grpc.insecure_channel(server.admin_address) as channel,
    ):
        admin = admin_pb2_grpc.AdminServiceStub(channel)
        with pytest.raises(grpc.RpcError) as caught:
            admin.Reload(admin_pb2.ReloadRequest(), metadata=as_caller("alice"), timeout=60)
        assert caught.value.code() is grpc.StatusCode.PERMISSION_DENIED
        assert details(caught.value)["ErrorInfo"].reason == "SCOPE_MISSING"
        asked = admin_pb2.GetStatusRequest()
        status = admin.GetStatus(asked, metadata=as_caller("root"), timeout=60)
        assert [(each.name, each.calls, each.failed_calls) for each in status.callers] == [
            ("alice", 1, 1),
            ("root", 0, 0),
        ]


async def test_a_sample_of_calls_has_a_line_each(serving, path, caplog):
    caplog.set_level("INFO", logger="tokalign")
    path.write_text(line("alice"))
    stub = await serving(token_file=path, access_log=1.0)
    trace = "0123456789abcdef0123456789abcdef"
    metadata = [*as_caller("alice"), ("x-request-id", "q7")]
    metadata.append(("traceparent", f"00-{trace}-0123456789abcdef-01"))
    await stub.Align(ONE, metadata=metadata)
    await failure(stub.Align(align_pb2.AlignRequest(options={"model": "x"}), metadata=metadata))
    # A failed call is logged once its end is on its way.
    await until(lambda: len(lines_of(caplog, "call")) == 2)
    good, bad = map(vars, lines_of(caplog, "call"))
    assert good["compute_ms"] > 0 and good["total_ms"] > 0 and good["queue_ms"] >= 0
    wanted = {"caller": "alice", "model": "fake", "code": "OK", "pairs": 1, "cost": 1}
    wanted |= {"method": "tokalign.v1.AlignService/Align", "request_id": "q7", "trace_id": trace}
    assert good.items() >= wanted.items() and "peer" not in good
    assert (bad["code"], bad["reason"]) == ("NOT_FOUND", "MODEL_NOT_FOUND")


class Ended:
    def __init__(self, code):
        self.code = code

    def line(self):
        return {"code": self.code}


def test_refused_calls_are_logged_so_many_a_second(caplog):
    now = [0.0]
    plain = AccessLog(clock=lambda: now[0])
    everything = AccessLog(all_refused=True, clock=lambda: now[0])
    plain.note(Ended("RESOURCE_EXHAUSTED"))
    plain.note(Ended("OK"))
    assert caplog.records == []
    for _ in range(MAX_REFUSED_PER_S + 30):
        everything.note(Ended("RESOURCE_EXHAUSTED"))
    assert len(caplog.records) == MAX_REFUSED_PER_S
    now[0] += 1
    everything.note(Ended("UNAUTHENTICATED"))
    assert caplog.records[-1].left_out == 30
