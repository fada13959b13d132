"""Loads models and annotators into a worker."""

from __future__ import annotations

from tokalign.codec.servers import ModelInfo, StyleInfo
from tokalign.decoding.engine import PairEngine, open_model
from tokalign.errors import InputError
from tokalign.model.file import Model
from tokalign.model.styles import default_style
from tokalign.neural.devices import DEFAULT_DEVICE
from tokalign.server.workers.engine import AlignerEngine, EngineSettings
from tokalign.types.options import AlignOptions, Symmetrization

WARM_UP = ("A dog chased the cat .", "The cat was chased by a dog .")


def load(settings: EngineSettings) -> AlignerEngine:
    """Return an engine of every model with every annotator, each warmed up by one pair.

    Raises
    ------
    ModelError, ResourceError
        If a model, an annotator or the device cannot be loaded.
    InputError
        If two models have the same name.
    """
    aligners: dict[tuple[str, str], PairEngine] = {}
    models: dict[str, ModelInfo] = {}
    for model in settings.models:
        for annotator in settings.annotators:
            aligner = _aligner(model, annotator, settings.device)
            name = aligner.header.name
            if (name, annotator) in aligners:
                raise InputError(f"two models are named {name!r}; load one of them")
            aligner.align_pair(WARM_UP, AlignOptions())
            aligners[name, annotator] = aligner
            models.setdefault(name, _info(aligner, is_default=not models))
    return AlignerEngine(aligners, tuple(models.values()), settings.limits)


def _aligner(model: str, annotator: str, device: str) -> PairEngine:
    """Return the engine of a model; the device is that of encoders, which some models have."""
    opened, _ = open_model(model)
    has_encoder = isinstance(opened, Model) and bool(opened.header.encoder)
    return PairEngine(opened, annotator, device=device if has_encoder else DEFAULT_DEVICE)


def _info(aligner: PairEngine, *, is_default: bool) -> ModelInfo:
    """Return what a server tells its callers about a model."""
    header = aligner.header
    return ModelInfo(
        name=header.name,
        version=header.version,
        digest=header.digest,
        description=header.description,
        corpora=tuple(header.corpora),
        feature_groups=tuple(header.feature_groups),
        symmetrizations=(Symmetrization.JOINT,) if aligner.is_system else tuple(Symmetrization),
        uses_trees=header.uses_trees,
        is_default=is_default,
        styles=tuple(StyleInfo(style["name"], style["links"]) for style in header.styles),
        is_system=aligner.is_system,
        default_style=default_style(header.styles),
        takes_effort=aligner.backend.takes_effort,
        encoder=header.encoder,
    )
