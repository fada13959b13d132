"""Serving: a pool that has started, and what is known of its models."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from dataclasses import asdict

from tokalign import codec
from tokalign.codec import RequestOptions, ServerInfo, ServerLimits
from tokalign.codec.reasons import ErrorReason
from tokalign.errors import quoted
from tokalign.model.styles import StyleNames
from tokalign.server.admission import max_request_cost
from tokalign.server.config import Config
from tokalign.server.observe import record
from tokalign.server.requests.cost import CostModel
from tokalign.server.requests.wire import parse
from tokalign.server.status import Missing, UnknownNameError
from tokalign.server.workers.pool import Pool
from tokalign.systems import check_options, refuse_grounding
from tokalign.v1 import align_pb2

# As many different options are remembered, where their message is no longer.
KEPT_OPTIONS, KEPT_BYTES = 64, 1 << 10


class Serving:
    """A pool that has started, with all that calls need to know of its models.

    It is made before the pool serves. Where it cannot be made, the models never serve.

    Parameters
    ----------
    pool : Pool
    config : Config

    Attributes
    ----------
    costs : CostModel
    listing : bytes
        Serialised ListModelsResponse.
    """

    def __init__(self, pool: Pool, config: Config) -> None:
        self.pool = pool
        self.costs = CostModel(config.limits, pool.models, config.annotators)
        self._annotators = config.annotators
        self._defaults = {"model": pool.models[0].name, "annotator": config.annotators[0]}
        self._references = {
            model.name: align_pb2.ModelRef(
                name=model.name, version=model.version
            ).SerializeToString()
            for model in pool.models
        }
        self._takes_effort = {model.name for model in pool.models if model.takes_effort}
        self._systems = {model.name for model in pool.models if model.is_system}
        self._styles = {
            model.name: StyleNames(
                model.name,
                tuple(style.name for style in model.styles),
                model.default_style,
                model.related_style,
            )
            for model in pool.models
        }
        self._chosen: dict[bytes, tuple[RequestOptions, bytes]] = {}
        self.choose(b"")
        info = ServerInfo(
            server_version=importlib.metadata.version("tokalign"),
            models=pool.models,
            annotators=config.annotators,
            limits=ServerLimits(
                **asdict(config.limits), max_cost=max_request_cost(config.queue_pairs)
            ),
        )
        self.listing = codec.encode_server_info(info).SerializeToString()

    def choose(self, data: bytes) -> tuple[RequestOptions, bytes]:
        """Return checked options and a serialised ModelRef of their model.

        Parameters
        ----------
        data : bytes
            Serialised AlignOptions.

        Raises
        ------
        InputError
            If an option is out of range, or names what is not loaded (UnknownNameError).
        """
        # Most requests ask for the same options.
        chosen = self._chosen.get(data)
        if chosen is None:
            chosen = self._check(data)
            if len(data) <= KEPT_BYTES and len(self._chosen) < KEPT_OPTIONS:
                self._chosen[data] = chosen
        record.current().model = chosen[0].model
        return chosen

    def choose_ground(self, data: bytes) -> tuple[RequestOptions, bytes]:
        """Do the same with serialised GroundOptions."""
        message = parse(align_pb2.GroundOptions, data, "options")
        options = codec.decode_ground_options(message, **self._defaults)
        reference = self._reference(options)
        record.current().model = options.model
        if options.model in self._systems:
            refuse_grounding(options.model, "options.model")
        return options, reference

    def _check(self, data: bytes) -> tuple[RequestOptions, bytes]:
        message = parse(align_pb2.AlignOptions, data, "options")
        options = codec.decode_options(message, **self._defaults)
        reference = self._reference(options)
        if options.model in self._systems:
            check_options(options.model, options.align)
        takes_effort = options.model in self._takes_effort
        options.align.check_effort(options.model, takes_effort=takes_effort)
        self._styles[options.model].chosen(options.align.style, related=options.align.related)
        return options, reference

    def _reference(self, options: RequestOptions) -> bytes:
        """Return the ModelRef of the model that options name, or raise UnknownNameError."""
        _known(options.model, list(self._references), "model", ErrorReason.MODEL_NOT_FOUND)
        _known(options.annotator, self._annotators, "annotator", ErrorReason.ANNOTATOR_NOT_FOUND)
        return self._references[options.model]


def _known(name: str, names: Sequence[str], what: str, reason: ErrorReason) -> None:
    if name not in names:
        raise UnknownNameError(
            f"no {what} {quoted(name)} here; this server has {', '.join(names)}",
            Missing(what, name),
            reason=reason,
            field=f"options.{what}",
        )
