"""Serving: a pool that has started, and what is known of its models."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from tokalign.codec.options import RequestOptions, decode_ground_options, decode_options
from tokalign.codec.servers import ErrorReason, ServerInfo, ServerLimits, encode_server_info
from tokalign.errors import quoted
from tokalign.model.styles import StyleNames
from tokalign.server.admission import max_request_cost
from tokalign.server.config import Config
from tokalign.server.observe import record
from tokalign.server.requests.cost import CostModel
from tokalign.server.requests.wire import parse
from tokalign.server.rpc.receiving import Context
from tokalign.server.status import Missing, UnknownNameError
from tokalign.server.workers.pool import Pool
from tokalign.systems import check_options, refuse_grounding
from tokalign.types.options import GroundOptions
from tokalign.v1 import align_pb2

# As many different options are remembered, where their message is no longer.
KEPT_OPTIONS, KEPT_BYTES = 64, 1 << 10


NAMES = ("model", "annotator")


class Chosen(NamedTuple):
    """Options that are checked, and the model that they name.

    Attributes
    ----------
    reference : bytes
        The same, serialised.
    """

    options: RequestOptions
    model: align_pb2.ModelRef
    reference: bytes

    @property
    def ground(self) -> GroundOptions:
        """The options of grounding, of a call that grounds."""
        assert self.options.ground is not None
        return self.options.ground


class Serving:
    """A pool that has started, with all that calls need to know of its models.

    It is made before the pool serves. Where it cannot be made, the models never serve.

    Attributes
    ----------
    listing : bytes
        Serialised ListModelsResponse.
    """

    def __init__(self, pool: Pool, config: Config) -> None:
        self.pool = pool
        self.costs = CostModel(config.limits, pool.models, config.annotators)
        self._annotators = config.annotators
        self._defaults = {"model": pool.models[0].name, "annotator": config.annotators[0]}
        self._references = {
            model.name: align_pb2.ModelRef(name=model.name, version=model.version)
            for model in pool.models
        }
        self._takes_effort = {model.name for model in pool.models if model.takes_effort}
        self._systems = {model.name for model in pool.models if model.is_system}
        self._styles = {
            model.name: StyleNames(
                model.name,
                tuple(style.name for style in model.styles),
                model.default_style,
            )
            for model in pool.models
        }
        # By what was asked for: a serialised message, or the options themselves.
        self._chosen: dict[bytes | RequestOptions, Chosen] = {}
        self.choose(b"")
        info = ServerInfo(
            server_version=importlib.metadata.version("tokalign"),
            models=pool.models,
            annotators=config.annotators,
            limits=ServerLimits(
                **asdict(config.limits), max_cost=max_request_cost(config.queue_pairs)
            ),
        )
        self.listing = encode_server_info(info).SerializeToString()

    def choose(self, data: bytes) -> Chosen:
        """Return the options of a serialised AlignOptions, checked.

        Raises
        ------
        InputError
            If an option is out of range, or names what is not loaded (UnknownNameError).
        """
        # Most requests ask for the same options.
        found = self._chosen.get(data)
        if found is None:
            message = parse(align_pb2.AlignOptions, data, "options")
            found = self._check(decode_options(message, **self._defaults))
            if len(data) <= KEPT_BYTES:
                self._keep(data, found)
        record.current().model = found.options.model
        return found

    def choose_ground(self, data: bytes) -> Chosen:
        """Return the options of a serialised GroundOptions, checked; see `choose`."""
        message = parse(align_pb2.GroundOptions, data, "options")
        found = self._check(decode_ground_options(message, **self._defaults))
        record.current().model = found.options.model
        return found

    def chosen(self, options: RequestOptions) -> Chosen:
        """Return options with the names of what is loaded, checked; see `choose`."""
        found = self._chosen.get(options)
        if found is None:
            names: dict[str, Any] = {
                name: getattr(options, name) or self._defaults[name] for name in NAMES
            }
            found = self._check(replace(options, **names))
            self._keep(options, found)
        record.current().model = found.options.model
        return found

    def _keep(self, asked: bytes | RequestOptions, found: Chosen) -> None:
        if len(self._chosen) < KEPT_OPTIONS:
            self._chosen[asked] = found

    def _check(self, options: RequestOptions) -> Chosen:
        model = options.model
        _known(model, list(self._references), "model", ErrorReason.MODEL_NOT_FOUND)
        _known(options.annotator, self._annotators, "annotator", ErrorReason.ANNOTATOR_NOT_FOUND)
        if options.ground is not None:
            if model in self._systems:
                refuse_grounding(model, "options.model")
        else:
            if model in self._systems:
                check_options(model, options.align)
            options.align.check_effort(model, takes_effort=model in self._takes_effort)
            self._styles[model].chosen(options.align.style)
        reference = self._references[model]
        return Chosen(options, reference, reference.SerializeToString())


class Asked(NamedTuple):
    """What a call asks for, once its options are chosen.

    Attributes
    ----------
    n_bytes : int
        Of the request.
    """

    serving: Serving
    chosen: Chosen
    n_bytes: int
    context: Context


def _known(name: str, names: Sequence[str], what: str, reason: ErrorReason) -> None:
    if name not in names:
        raise UnknownNameError(
            f"no {what} {quoted(name)} here; this server has {', '.join(names)}",
            Missing(what, name),
            reason=reason,
            field=f"options.{what}",
        )
