"""The opt-in neural tier: an encoder reads both sentences and says which words belong together.

Nothing here is imported unless a model that names an encoder is loaded. It needs the packages of
``pip install 'tokalign[neural]'``; training one (`recipes.neural`) also needs PyTorch.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType

from tokalign.devices import DEFAULT_DEVICE, PROVIDERS, check_device
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


def providers(device: str) -> Sequence[str]:
    """Return onnxruntime's execution providers for a device; the processor does what it lacks.

    Raises
    ------
    InputError
        If no device has that name.
    ResourceError
        If the onnxruntime that is installed has no provider for it.
    """
    provider, package = PROVIDERS[check_device(device)]
    available = need("onnxruntime").get_available_providers()
    if provider not in available:
        raise ResourceError(
            f"the device {device!r} needs onnxruntime's {provider}; installed are "
            f"{', '.join(available)}; run: pip install {package}"
        )
    return [provider] if device == DEFAULT_DEVICE else [provider, "CPUExecutionProvider"]
