"""What calls are served from: a pool that has started, and what is known of its models."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from dataclasses import asdict

from tokalign import codec
from tokalign.codec import ModelInfo, RequestOptions, ServerInfo, ServerLimits, StyleInfo
from tokalign.errors import InputError, quoted
from tokalign.options import Symmetrization
from tokalign.server.admission import max_request_cost
from tokalign.server.config import Config
from tokalign.server.requests import parse
from tokalign.server.status import UnknownNameError
from tokalign.server.workers.pool import Pool
from tokalign.systems import check_options
from tokalign.v1 import align_pb2

# So many different options are remembered, if they are no longer.
KEPT_OPTIONS, KEPT_BYTES = 64, 1 << 10


class Serving:
    """A pool that has started, what its models' names lead to, and what is told of them.

    All that calls need of the models is made here, so that models of which it cannot be made
    never serve.

    Parameters
    ----------
    pool : Pool
    config : Config

    Attributes
    ----------
    listing : bytes
        Serialised ListModelsResponse.
    """

    def __init__(self, pool: Pool, config: Config) -> None:
        self.pool = pool
        self._annotators = config.annotators
        self._references = {
            model.name: align_pb2.ModelRef(
                name=model.name, version=model.version
            ).SerializeToString()
            for model in pool.models
        }
        self._systems = {model.name for model in pool.models if model.is_system}
        self._styles = {model.name: [name for name, _ in model.styles] for model in pool.models}
        self._chosen: dict[bytes, tuple[RequestOptions, bytes]] = {}
        self.choose(b"")
        info = ServerInfo(
            version=importlib.metadata.version("tokalign"),
            models=tuple(
                ModelInfo(
                    **model._asdict()
                    | {"styles": tuple(StyleInfo(*style) for style in model.styles)},
                    directions=(
                        (Symmetrization.JOINT,) if model.is_system else tuple(Symmetrization)
                    ),
                    is_default=index == 0,
                )
                for index, model in enumerate(pool.models)
            ),
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
        # Most requests ask for the same.
        chosen = self._chosen.get(data)
        if chosen is None:
            chosen = self._check(data)
            if len(data) <= KEPT_BYTES and len(self._chosen) < KEPT_OPTIONS:
                self._chosen[data] = chosen
        return chosen

    def _check(self, data: bytes) -> tuple[RequestOptions, bytes]:
        options = codec.decode_options(
            parse(align_pb2.AlignOptions, data, "options"),
            model=self.pool.models[0].name,
            annotator=self._annotators[0],
        )
        _known(options.model, list(self._references), "model")
        _known(options.annotator, self._annotators, "annotator")
        if options.model in self._systems:
            check_options(options.model, options.align)
        styles = self._styles[options.model]
        if options.align.style and options.align.style not in styles:
            raise InputError(
                f"no style {quoted(options.align.style)}; the model {options.model} has "
                f"{', '.join(styles) or '(none)'}",
                field="options.style",
            )
        return options, self._references[options.model]


def _known(name: str, names: Sequence[str], what: str) -> None:
    if name not in names:
        raise UnknownNameError(
            f"no {what} {quoted(name)} here; this server has {', '.join(names)}",
            field=f"options.{what}",
        )
