"""tokalign.v1.AdminService: reload models and look inside, on a port of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

import grpc
import grpc.aio
from tokalign.codec.servers import ErrorReason, ModelInfo
from tokalign.errors import AlignError
from tokalign.server.observe.collectors import Usage, Used
from tokalign.server.quotas import Quota
from tokalign.server.requests.wire import parse
from tokalign.server.rpc.calls import Calls
from tokalign.server.rpc.receiving import Context
from tokalign.server.status import BadRequestError, RefusedError
from tokalign.server.workers.pool import Pool
from tokalign.v1 import admin_pb2

SERVICE = admin_pb2.DESCRIPTOR.services_by_name["AdminService"].full_name


class Operated(Protocol):
    """The app as operators see it."""

    @property
    def pool(self) -> Pool:
        """The pool that serves new calls."""

    @property
    def reloads(self) -> int:
        """Number of reloads of the models."""

    @property
    def admitted_pairs(self) -> int:
        """Pairs waiting or running."""

    @property
    def running_calls(self) -> int:
        """Calls begun and not yet answered."""

    def reload(self, models: Sequence[str]) -> Awaitable[None]:
        """Switch to newly loaded models; raise and keep the old ones if they cannot be loaded."""


class AdminService:
    """The RPC methods."""

    def __init__(
        self, operated: Operated, usage: Usage, quotas: Callable[[], Mapping[str, Quota]]
    ) -> None:
        self._operated = operated
        self._usage = usage
        self._quotas = quotas

    def handler(self, calls: Calls) -> grpc.GenericRpcHandler:
        """Return what grpc.aio.Server.add_generic_rpc_handlers takes."""
        methods = {"Reload": self.reload, "GetStatus": self.get_status}
        return calls.handler(SERVICE, unary=methods, streams={}, for_admins=True)

    async def reload(self, data: bytes, context: Context) -> bytes:
        """Load models, and answer once they serve."""
        request = parse(admin_pb2.ReloadRequest, data)
        if len(set(request.models)) != len(request.models):
            raise BadRequestError(
                "a model is named twice", reason=ErrorReason.INVALID_INPUT, field="models"
            )
        try:
            await self._operated.reload(tuple(request.models))
        except AlignError as error:
            raise RefusedError(
                f"the old models stay: {error}", reason=ErrorReason.RELOAD_REFUSED
            ) from error
        models = _models(self._operated.pool.models)
        return admin_pb2.ReloadResponse(models=models).SerializeToString()

    async def get_status(self, data: bytes, context: Context) -> bytes:
        """Return what the server is doing."""
        parse(admin_pb2.GetStatusRequest, data)
        operated = self._operated
        return admin_pb2.GetStatusResponse(
            models=_models(operated.pool.models),
            worker_pids=operated.pool.pids,
            busy_workers=operated.pool.n_busy,
            admitted_pairs=operated.admitted_pairs,
            running_calls=operated.running_calls,
            reloads=operated.reloads,
            callers=self._callers(),
        ).SerializeToString()

    def _callers(self) -> list[admin_pb2.CallerUsage]:
        used, quotas = self._usage.by_caller(), self._quotas()
        found = []
        for name in sorted(used.keys() | quotas.keys()):
            each = used.get(name, Used())
            found.append(
                admin_pb2.CallerUsage(
                    name=name,
                    calls=each.calls,
                    failed_calls=each.failed,
                    pairs=each.pairs,
                    cost=each.cost,
                    held_cost=quotas[name].held if name in quotas else 0,
                )
            )
        return found


def _models(models: Sequence[ModelInfo]) -> list[admin_pb2.LoadedModel]:
    return [
        admin_pb2.LoadedModel(name=model.name, version=model.version, digest=model.digest)
        for model in models
    ]
