"""The opt-in neural tier: an encoder reads both sentences and says which words belong together.

Nothing here is imported unless a model that names an encoder is loaded. It needs the packages of
``pip install 'tokalign[neural]'``; training one (`recipes.neural`) also needs PyTorch.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from tokalign.errors import ResourceError


def need(package: str) -> ModuleType:
    """Return an imported package of the extra "neural".

    Raises
    ------
    ResourceError
        If it is not installed.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ResourceError(
            f"the model reads a neural encoder, which needs the package {package} ({error}); "
            "run: pip install 'tokalign[neural]'"
        ) from error
