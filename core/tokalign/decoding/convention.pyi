from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.second_pass import SecondPass
from tokalign.model.styles import StyleHeader

class Convention:
    @property
    def threshold(self) -> float: ...
    @property
    def is_revised(self) -> bool: ...
    def __init__(self, style: StyleHeader) -> None: ...
    def confidence(self, posterior: float, are_unlike: bool) -> float: ...
    def confidences(
        self, posterior: NDArray[np.floating], unlike: NDArray[np.bool_]
    ) -> NDArray[np.float64]: ...

class Conventions:
    each: tuple[Convention, ...]
    second_pass: SecondPass | None
    def __init__(
        self, styles: Sequence[StyleHeader], second_pass: SecondPass | None = ...
    ) -> None: ...
