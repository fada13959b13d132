"""Clients of the tokalign server: `Client` blocks, `AsyncClient` is for asyncio.

Both have the same methods::

with Client("localhost:50051") as client:
    client.align("Dogs bark.", "The dogs bark.").to_pharaoh()
"""

from tokalign.errors import MissingPackageError

try:
    import grpc  # noqa: F401
    import grpc_health  # noqa: F401
    from google.rpc import status_pb2  # noqa: F401
except ImportError as error:
    raise MissingPackageError.of("tokalign.client", error, "client") from None

from tokalign.client.aio import AsyncClient
from tokalign.client.base import CallReport
from tokalign.client.errors import (
    AccessError,
    CallError,
    CancelledError,
    DeadlineError,
    FieldViolation,
    InternalError,
    InvalidInputError,
    NotFoundError,
    OverloadedError,
    TooLargeError,
    UnavailableError,
    UnsupportedError,
)
from tokalign.client.options import Limits, Retry, Tls
from tokalign.client.results import AlignResult, RankedResult, Ranking
from tokalign.client.sync import Client
from tokalign.codec.servers import ErrorReason, ModelInfo, ServerInfo, ServerLimits
from tokalign.types.constraints import Constraints
from tokalign.types.options import AlignOptions, GroundOptions

__all__ = [
    "AccessError",
    "AlignOptions",
    "AlignResult",
    "AsyncClient",
    "CallError",
    "CallReport",
    "CancelledError",
    "Client",
    "Constraints",
    "DeadlineError",
    "ErrorReason",
    "FieldViolation",
    "GroundOptions",
    "InternalError",
    "InvalidInputError",
    "Limits",
    "ModelInfo",
    "NotFoundError",
    "OverloadedError",
    "RankedResult",
    "Ranking",
    "Retry",
    "ServerInfo",
    "ServerLimits",
    "Tls",
    "TooLargeError",
    "UnavailableError",
    "UnsupportedError",
]
