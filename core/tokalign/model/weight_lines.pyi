import os

from tokalign.features.feature_groups import FeatureTable
from tokalign.model.styles import OwnWeights

STYLE: str
TRANSITION: str

def read_weights(
    path: str | os.PathLike[str],
    text: bytes,
    start: int,
    stop_at: int,
    first: int,
    table: FeatureTable,
) -> tuple[OwnWeights, int, int]: ...
