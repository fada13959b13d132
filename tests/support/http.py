"""Streams of events, read."""

import json


def events(text):
    """Return the events of a stream: names and values."""
    found = []
    for block in text.split("\n\n")[:-1]:
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found
