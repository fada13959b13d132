"""Training of models from aligned corpora."""

from tokalign.model.training.examples import TrainingData, fold_numbers
from tokalign.model.training.settings import POSSIBLE_CHOICES, PUBLISHED, TrainingSettings
from tokalign.model.training.train import train
from tokalign.model.training.weights import Progress

__all__ = [
    "POSSIBLE_CHOICES",
    "PUBLISHED",
    "Progress",
    "TrainingData",
    "TrainingSettings",
    "fold_numbers",
    "train",
]
