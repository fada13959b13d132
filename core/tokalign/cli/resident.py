"""A resident process for git, which starts a program anew for each file of a diff.

It has the modules and tables of `tokalign diff` loaded, and forks for each call. The fork gets the
caller's arguments, environment, folder and streams, and runs the command in them. The process is
its user's alone, and ends when nobody has called it for five minutes, or tokalign's files changed.
"""

import os
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

IDLE = 300
"""Seconds without a call after which the process ends."""
TROUBLE = 2
_READ_AT_START = ("HOME", "LANG", "LC_", "OMP_", "PYTHON", "TOKALIGN_", "VIRTUAL_ENV", "XDG_")
"""Beginnings of the variables that Python and tokalign read when they start."""
_LONGEST_ADDRESS = 100  # bytes
_N_BYTES = 8  # of a number
_PACKAGE = Path(__file__).parents[1]


def is_wanted(arguments: Sequence[str]) -> bool:
    """Whether the arguments of tokalign call for the resident process."""
    return arguments[:1] == ["diff"] and "--git" in arguments and "--no-resident" not in arguments


def ask(arguments: Sequence[str]) -> int | None:
    """Let the resident process run a command, and return its exit code.

    None if it did not begin: the caller then runs the command itself. A process that is missing is
    started, for the calls that follow.
    """
    if (path := _address()) is None:
        return None
    os.umask(mask := os.umask(0))
    said = ascii((list(arguments), dict(os.environ), str(Path.cwd()), mask)).encode()
    with socket.socket(socket.AF_UNIX) as line:
        begun = b""
        with suppress(OSError):
            line.connect(path)
            if not _is_own(line):
                return None
            socket.send_fds(line, [len(said).to_bytes(_N_BYTES, "big")], [0, 1, 2])
            line.sendall(said)
            begun = line.recv(_N_BYTES, socket.MSG_WAITALL)
        if not begun:
            _start(path)
            return None
        while True:
            try:
                code = line.recv(1)
            except KeyboardInterrupt:
                with suppress(ProcessLookupError):
                    os.kill(int.from_bytes(begun, "big"), 2)
            else:
                return code[0] if code else TROUBLE


def _address() -> str | None:
    """Return the path of the socket for this installation and its settings; None if there is no
    folder that is this user's alone."""
    if not hasattr(os, "fork") or not hasattr(socket, "SO_PEERCRED"):
        return None
    from hashlib import blake2b

    settings = sorted(each for each in os.environ.items() if each[0].startswith(_READ_AT_START))
    key = ascii((sys.executable, str(_PACKAGE), settings)).encode()
    above = os.environ.get("XDG_RUNTIME_DIR") or os.environ.get("TMPDIR") or "/tmp"
    folder = Path(above, f"tokalign-{os.getuid()}")
    try:
        folder.mkdir(0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    path = str(folder / blake2b(key, digest_size=8).hexdigest())
    is_safe = found.st_uid == os.getuid() and found.st_mode == 0o040700
    return path if is_safe and len(os.fsencode(path)) < _LONGEST_ADDRESS else None


def _is_own(line: socket.socket) -> bool:
    """Whether the process at the other end is of this user."""
    told = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # pid, user, group
    return int.from_bytes(told[4:8], sys.byteorder) == os.getuid()


def _start(path: str) -> None:
    import subprocess

    code = "import sys; from tokalign.cli.resident import serve; serve(sys.argv[1])"
    subprocess.Popen(
        [sys.executable, "-c", code, path],
        cwd="/",
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # it forks, which threads do not survive
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def serve(path: str) -> None:
    """Answer the calls at a socket until there are none, unless another process does."""
    import fcntl
    import gc
    import signal

    with Path(f"{path}.lock").open("a") as lock, socket.socket(socket.AF_UNIX) as door:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        lock.truncate(0)
        print(os.getpid(), file=lock, flush=True)
        Path(path).unlink(missing_ok=True)  # of a process that was killed
        door.bind(path)
        door.listen(64)
        version = _version()
        _load()
        gc.freeze()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        door.settimeout(IDLE)
        with suppress(TimeoutError):
            while True:
                line, _ = door.accept()
                with line:
                    if _version() != version:
                        break
                    if _is_own(line) and not os.fork():
                        door.close()
                        os._exit(_answer(line))
        Path(path).unlink()


def _version() -> tuple[int, int]:
    """Return how many files tokalign has, and when one was last changed."""
    from tokalign.files.shipped import data_dir

    dates = [
        os.stat(f"{folder}/{name}").st_mtime_ns  # noqa: PTH116  # three times as fast
        for top in (_PACKAGE, data_dir())
        for folder, _, names in os.walk(top)
        for name in names
        if not name.endswith(".pyc")
    ]
    return len(dates), max(dates)


def _load() -> None:
    """Import what a diff needs, and read its tables."""
    import json  # noqa: F401

    import tokalign
    from tokalign.cli import diff  # noqa: F401
    from tokalign.cli.lines import document_text  # noqa: F401
    from tokalign.texts.diff import diff_lines, summary

    changed = tokalign.diff("It has 40 rooms.", "It has 45 rooms.")
    list(diff_lines.terminal_lines(changed, ("old", "new")))
    summary.summarize(changed)


def _answer(line: socket.socket) -> int:
    """Run the command that a caller sends, with its streams, and tell it the exit code."""
    import ast
    import signal

    from tokalign.cli.main import main

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    line.settimeout(None)
    head, streams, _, _ = socket.recv_fds(line, _N_BYTES, 3)
    n_left = int.from_bytes(head, "big")
    said = b""
    while len(said) < n_left and (piece := line.recv(n_left - len(said))):
        said += piece
    if len(said) < n_left or len(streams) < 3:
        return TROUBLE
    arguments, variables, folder, mask = ast.literal_eval(said.decode())
    for wanted, stream in enumerate(streams):
        os.dup2(stream, wanted)
    os.environ.clear()
    os.environ.update(variables)
    os.umask(mask)
    os.chdir(folder)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(each.fileno(), each.mode, encoding=each.encoding, errors=each.errors)
        for each in (sys.stdin, sys.stdout, sys.stderr)
    )
    line.sendall(os.getpid().to_bytes(_N_BYTES, "big"))
    try:
        main(arguments, prog_name="tokalign")
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    sys.stdout.flush()
    line.sendall(bytes([code]))
    return code
