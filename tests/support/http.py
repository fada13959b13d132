"""Streams of events, read, and requests as they are on the wire."""

import asyncio
import json


def events(text):
    """Return the events of a stream: names and values."""
    found = []
    for block in text.split("\n\n")[:-1]:
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


async def raw(port, data):
    """Return the status and the value that bytes are answered with; httpx sends all, then reads."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    head, _, body = (await reader.read(1 << 16)).partition(b"\r\n\r\n")
    writer.close()
    return int(head.split()[1]), json.loads(body)
