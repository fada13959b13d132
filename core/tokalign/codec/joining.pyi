from collections.abc import Iterable
from typing import TypeAlias

from google.protobuf.message import Message

FieldValue: TypeAlias = int | str | bytes | Iterable[bytes]

class Joined:
    def __init__(self, kind: type[Message]) -> None: ...
    def __call__(self, **fields: FieldValue) -> bytes: ...
