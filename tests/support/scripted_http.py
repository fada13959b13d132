"""An HTTP/1.1 server in this process that answers each request as a list says."""

from __future__ import annotations

import contextlib
import json
import socketserver
import threading


def problem(status, code, reason):
    """Return the answer of a server that names its reason."""
    return status, json.dumps({"code": code, "reason": reason}).encode()


class _Handler(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            headers = {}
            while (header := self.rfile.readline()) != b"\r\n":
                name, _, value = header.decode().partition(":")
                headers[name] = value.strip()
            body = self.rfile.read(int(headers["content-length"]))
            if not self._answer(line.split()[1].decode(), headers, body):
                return

    def _answer(self, path, headers, body):
        server = self.server
        with server.lock:
            server.seen.append((path, headers, body))
            answer = server.answers[(len(server.seen) - 1) % len(server.answers)]
        if answer is None:
            return False
        status, content, *more = answer
        lines = [f"HTTP/1.1 {status} x", f"content-length: {len(content)}", *more]
        self.wfile.write("\r\n".join([*lines, "\r\n"]).encode() + content)
        return "connection: close" not in more


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


@contextlib.contextmanager
def answering(*answers):
    """Yield a server's URL, and the requests that it has seen: path, headers and body.

    Each answer is a status, a body and more header lines, given in turn; None hangs up.
    """
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.answers, server.seen, server.lock = answers, [], threading.Lock()
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", server.seen
        finally:
            server.shutdown()
            thread.join()
