"""Serve the playground on this machine, and open it in a browser, until Ctrl-C."""

from __future__ import annotations

import signal
import webbrowser

from tokalign.client.load.process import running_server

with running_server("--http-port", "0", "--metrics-port", "-1") as server:
    print(f"the playground is at {server.http_url}/; Ctrl-C ends it")
    webbrowser.open(f"{server.http_url}/")
    try:
        signal.pause()
    except KeyboardInterrupt:
        print("stopped")
