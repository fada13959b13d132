import os

from tokalign.features.feature_groups import FeatureTable
from tokalign.model.styles import OwnWeights

LARGEST_WEIGHT: float
TRANSITION: str

def count_lines(text: bytes) -> int: ...
def read_weights(
    path: str | os.PathLike[str], text: bytes, first: int, table: FeatureTable
) -> OwnWeights: ...
