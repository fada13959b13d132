"""The do-nothing engine of a later version: its model is 2.0.0, and it knows one more field."""

from dataclasses import replace

from support import fake_engine

ADDED = b"\xd2\x7d\x03new"
"""Field 2010, a string, which a later contract may have in Alignment."""


class NextEngine(fake_engine.FakeEngine):
    def __init__(self, name):
        super().__init__(name)
        self.models = tuple(replace(each, version="2.0.0") for each in self.models)

    def _answer(self, data):
        answer = super()._answer(data)
        return answer._replace(alignment=answer.alignment + ADDED) if answer.alignment else answer


def load(settings):
    return NextEngine("fake")
