"""Model files and token files that are damaged, giant, or change at the wrong time."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc.aio
import tokalign
from tokalign.load import procfs
from tokalign.v1 import admin_pb2, admin_pb2_grpc, align_pb2, align_pb2_grpc

from bench.attack.calls import SERVICE, channel
from bench.attack.cost import single
from bench.attack.rows import Attack, Seen, row

# The one that is served: where a changed copy is accepted, answers stay the same.
MODEL = Path(tokalign.__file__).parent / "data" / "en.tokalign"
GIB = 1 << 30
RELOAD_S = 60.0
SETTLE_S = 15.0
LINES_PER_FAULT = 20


def signed(body: bytes) -> bytes:
    """Return a model file's content with the digest that its last line must hold."""
    return body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode()


def _lines() -> list[bytes]:
    """Return the lines of a good model file without the digest's."""
    return MODEL.read_bytes().splitlines(keepends=True)[:-1]


def with_header(changes: dict[str, Any] | bytes) -> bytes:
    """Return a model file with other fields of its header, or another line in its place."""
    lines = _lines()
    if isinstance(changes, dict):
        header = json.loads(lines[1]) | changes
        lines[1] = json.dumps(header).encode() + b"\n"
    else:
        lines[1] = changes + b"\n"
    return signed(b"".join(lines))


def with_weight(first: bytes) -> bytes:
    """Return a model file whose first weight is another."""
    lines = _lines()
    name, _, last = lines[3].split(b"\t")
    lines[3] = b"\t".join((name, first, last))
    return signed(b"".join(lines))


HEADERS: dict[str, dict[str, Any] | bytes] = {
    "name-5": {"name": 5},
    "name-empty": {"name": ""},
    "name-path": {"name": "../../etc/passwd"},
    "name-null": {"name": None},
    "name-long": {"name": "n" * 100_000},
    "version-123": {"version": 123},
    "surrogate": {"name": "\ud800"},
    "description-7": {"description": 7},
    "corpora-1": {"corpora": [1]},
    "corpora-text": {"corpora": "text"},
    "groups-1": {"feature_groups": [1]},
    "encoder-path": {"encoder": "../../../../etc/passwd"},
    "unknown-field": {"surprise": 1},
    "deep": b"[" * 200_000,
    "deep-pairs": b'{"a":' * 100_000,
    "number": b"9" * 100_000,
    "not-json": b"{",
}


async def reload(attack: Attack, *models: str) -> str:
    """Ask for a reload and return its code."""
    async with grpc.aio.insecure_channel(attack.admin_address) as connection:
        admin = admin_pb2_grpc.AdminServiceStub(connection)
        try:
            await admin.Reload(admin_pb2.ReloadRequest(models=models), timeout=RELOAD_S)
        except grpc.aio.AioRpcError as error:
            return error.code().name
    return "OK"


async def must_refuse(attack: Attack, files: Iterator[tuple[str, bytes]]) -> None:
    """Reload each file; every one must be refused, and nothing left behind."""
    n_before = len(procfs.descendants(attack.pid))
    path = Path(attack.directory) / "hostile.tokalign"
    for name, content in files:
        path.write_bytes(content)
        code = await reload(attack, str(path))
        attack.note(code)
        attack.expect(code == "FAILED_PRECONDITION", f"model file {name}: {code}")
        async with channel(attack) as connection:
            stub = align_pb2_grpc.AlignServiceStub(connection)
            try:
                await stub.ListModels(align_pb2.ListModelsRequest(), timeout=30)
            except grpc.aio.AioRpcError as error:
                attack.expect(False, f"ListModels after {name}: {error.code().name}")
    n_after = 0
    for _ in range(int(SETTLE_S / 0.1)):
        n_after = len(procfs.descendants(attack.pid))
        if n_after <= n_before:
            return
        await asyncio.sleep(0.1)
    attack.expect(False, f"{n_before} processes became {n_after}")


# Every reload loads a model in two new workers, so these take longer than other attacks.
@row(
    "model-headers",
    "12",
    does="reloads of models whose headers have numbers for names, deep JSON, lone surrogates",
    by="headers are type-checked, and pools are switched only once serving is built",
    ends_within_s=240,
)
async def model_headers(attack: Attack) -> None:
    files = ((name, with_header(changes)) for name, changes in HEADERS.items())
    await must_refuse(attack, files)


@row(
    "one-model-header",
    "12",
    does="a reload of a model whose name is a number",
    by="headers are type-checked, and pools are switched only once serving is built",
    is_short=True,
    ends_within_s=60,
)
async def one_model_header(attack: Attack) -> None:
    await must_refuse(attack, iter([("name-5", with_header({"name": 5}))]))


@row(
    "damaged-models",
    "held",
    does="reloads of model files that are cut, changed, empty, or hold NaN and infinite weights",
    by="a digest over the file, and a check of every line",
    ends_within_s=240,
)
async def damaged_models(attack: Attack) -> None:
    good = MODEL.read_bytes()
    body = b"".join(_lines())

    def files() -> Iterator[tuple[str, bytes]]:
        for size in (0, 1, 20, 1_000, len(good) // 2, len(good) - 3):
            yield f"cut at {size}", good[:size]
        for at in (3, 200, len(good) // 2):
            yield f"changed at {at}", good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]
        for text in (b"nan", b"inf", b"-inf", b"1e999", b"", b"0x10", b"9" * 10_000):
            yield f"weight {text[:5].decode()}", with_weight(text)
        yield "signed but cut", signed(body[: len(body) // 2])
        yield "no columns", signed(b"".join(_lines()[:2]))
        yield "zeros", bytes(100_000)
        yield "newer", signed(re.sub(rb"\A(tokalign-model) \d+", rb"\1 99", body))

    await must_refuse(attack, files())


@row(
    "giant-model",
    "item 9",
    does="reloads of a model file of 2 GiB, and of one with a header of 1 GiB",
    by="a file is no larger than models are, which is looked at before it is read",
    ends_within_s=120,
)
async def giant_model(attack: Attack) -> None:
    path = Path(attack.directory) / "giant.tokalign"
    for start, size in ((b"tokalign-model 1\n", 2 * GIB), (b'tokalign-model 1\n{"name": "', GIB)):
        with path.open("wb") as file:
            file.write(start)
            file.truncate(size)  # a hole: it takes no room on the disk
        code = await reload(attack, str(path))
        attack.note(code)
        attack.expect(code == "FAILED_PRECONDITION", f"a file of {size >> 20} MiB: {code}")


@row(
    "reloads-at-once",
    "held",
    does="20 reloads at once",
    by="one reload at a time",
    ends_within_s=240,
)
async def reloads_at_once(attack: Attack) -> None:
    n_before = len(procfs.descendants(attack.pid))
    codes = await asyncio.gather(*(reload(attack) for _ in range(20)))
    for code in codes:
        attack.note(code)
        attack.expect(code == "OK", f"a reload ended with {code}")
    await asyncio.sleep(2)
    n_after = len(procfs.descendants(attack.pid))
    attack.expect(n_after <= n_before, f"{n_before} processes became {n_after}")


def _log_is_short(seen: Seen) -> list[str]:
    """Judge that the log has a line for a fault, not for a call."""
    n_lines = sum("token file" in line for line in seen.log)
    if n_lines > LINES_PER_FAULT:
        return [f"the log has {n_lines} lines about the token file"]
    return []


@row(
    "token-file",
    "15",
    does="the token file gets and loses a token, is damaged, deleted and written anew, under calls",
    by="a token that is gone is refused within seconds; a file that cannot be used is logged once",
    is_stranger=True,
    is_short=True,
    may_get="UNAUTHENTICATED",
    judge=_log_is_short,
    ends_within_s=90,
)
async def token_file(attack: Attack) -> None:
    path = Path(attack.directory) / "tokens" / "tokens"
    callers = path.read_text()
    leaver = "a token of someone who leaves"
    async with channel(attack) as connection:
        align = connection.unary_unary(f"{SERVICE}/Align")

        async def code(token: str) -> str:
            try:
                await align(single(4, 3), timeout=5, metadata=_bearer(token))
            except grpc.aio.AioRpcError as error:
                return error.code().name
            return "OK"

        async def until(token: str, wanted: str, what: str) -> None:
            for _ in range(300):
                if await code(token) == wanted:
                    return
                await asyncio.sleep(0.1)
            attack.expect(False, what)

        async def wrong_ones() -> None:
            for _ in range(200):
                attack.expect(await code("wrong") != "OK", "a wrong token was taken")
                attack.note("calls with a file that cannot be used")

        path.write_text(f"{callers}leaver {hashlib.sha256(leaver.encode()).hexdigest()}\n")
        await until(leaver, "OK", "a new token was refused")
        path.write_text(callers)
        await until(leaver, "UNAUTHENTICATED", "a token that was removed is good")
        path.write_text(f"{callers}caller nonsense\n")
        await wrong_ones()
        path.unlink()
        await wrong_ones()
        await until(attack.token, "UNAUTHENTICATED", "a token of a deleted file is good")
        path.write_text(callers)
        await until(attack.token, "OK", "a token that is back was refused")


def _bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)
