import numpy as np
from numpy.typing import NDArray

from tokalign.model.styles import StyleHeader

class Convention:
    threshold: float
    def __init__(self, style: StyleHeader) -> None: ...
    def confidence(self, posterior: float) -> float: ...
    def confidences(self, posterior: NDArray[np.floating]) -> NDArray[np.float64]: ...
