"""Loads the real aligners into a worker."""

from __future__ import annotations

from tokalign.aligner import Aligner
from tokalign.errors import InputError
from tokalign.server.workers.engine import AlignerEngine, Aligning, EngineSettings
from tokalign.server.workers.frames import LoadedModel

WARM_UP = ("A dog chased the cat .", "The cat was chased by a dog .")


def load(settings: EngineSettings) -> AlignerEngine:
    """Return an engine over every model with every annotator, each warmed up by one pair.

    Raises
    ------
    ModelError, ResourceError
        If a model, an annotator or the device cannot be loaded.
    InputError
        If two models have the same name.
    """
    aligners: dict[tuple[str, str], Aligning] = {}
    models: dict[str, LoadedModel] = {}
    for model in settings.models:
        for annotator in settings.annotators:
            aligner = Aligner.load(model, annotator=annotator, device=settings.device)
            header = aligner.header
            if (header.name, annotator) in aligners:
                raise InputError(f"two models are named {header.name!r}; load one of them")
            aligner.align(*WARM_UP)
            aligners[header.name, annotator] = aligner
            models[header.name] = LoadedModel(
                name=header.name,
                version=header.version,
                digest=header.digest,
                corpora=tuple(header.corpora),
                feature_groups=tuple(header.feature_groups),
                description=header.description,
                uses_trees=header.uses_trees,
                styles=tuple((style["name"], style["links"]) for style in header.styles),
                is_system=aligner.is_system,
            )
    return AlignerEngine(aligners, tuple(models.values()), settings.limits)
