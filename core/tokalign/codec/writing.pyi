from collections.abc import Iterable
from typing import TypeAlias

from google.protobuf.message import Message

from tokalign.types import Alignment
from tokalign.types.options import AlignOptions
from tokalign.types.ranking import Judgement

_FieldValue: TypeAlias = int | str | bytes | Iterable[bytes]

def write_judgement(value: Judgement) -> bytes: ...

class AlignmentWriter:
    def __init__(self, options: AlignOptions) -> None: ...
    def write(self, value: Alignment) -> bytes: ...

class Joined:
    def __init__(self, kind: type[Message]) -> None: ...
    def __call__(self, **fields: _FieldValue) -> bytes: ...
