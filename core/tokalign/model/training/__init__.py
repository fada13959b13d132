"""Training of models from aligned corpora."""

from tokalign.model.training.examples import (
    POSSIBLE_CHOICES,
    PUBLISHED,
    TrainingData,
    TrainingSettings,
    fold_numbers,
)
from tokalign.model.training.train import Progress, train

__all__ = [
    "POSSIBLE_CHOICES",
    "PUBLISHED",
    "Progress",
    "TrainingData",
    "TrainingSettings",
    "fold_numbers",
    "train",
]
