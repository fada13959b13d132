"""Training of models from aligned corpora."""

from tokalign.training.examples import TrainingData, fold_numbers
from tokalign.training.settings import POSSIBLE_CHOICES, PUBLISHED, TrainingSettings
from tokalign.training.train import train
from tokalign.training.weights import Progress

__all__ = [
    "POSSIBLE_CHOICES",
    "PUBLISHED",
    "Progress",
    "TrainingData",
    "TrainingSettings",
    "fold_numbers",
    "train",
]
