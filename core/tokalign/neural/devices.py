"""Devices that an encoder can run on, and the packages that it needs."""

import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import Final

from tokalign.errors import InputError, MissingPackageError, ResourceError, quoted

DEFAULT_DEVICE: Final = "cpu"
PROVIDERS: Final = {
    DEFAULT_DEVICE: ("CPUExecutionProvider", "onnxruntime"),
    "cuda": ("CUDAExecutionProvider", "onnxruntime-gpu"),
    "tensorrt": ("TensorrtExecutionProvider", "onnxruntime-gpu"),
    "migraphx": ("MIGraphXExecutionProvider", "onnxruntime-migraphx"),
    "openvino": ("OpenVINOExecutionProvider", "onnxruntime-openvino"),
    "directml": ("DmlExecutionProvider", "onnxruntime-directml"),
    "coreml": ("CoreMLExecutionProvider", "onnxruntime"),
}
"""Device -> onnxruntime's execution provider, and the package that has it."""
DEVICES: Final = tuple(PROVIDERS)


def check_device(device: str) -> str:
    """Return a device's name; raise InputError if no device has that name."""
    if device not in PROVIDERS:
        raise InputError(
            f"the device is {quoted(device)}; wanted one of {', '.join(DEVICES)}", field="device"
        )
    return device


def need(package: str) -> ModuleType:
    """Return an imported package of the extra "neural".

    MissingPackageError is raised if it is not installed.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise MissingPackageError.of("the model's neural encoder", error, "neural") from error


def providers(device: str) -> Sequence[str]:
    """Return onnxruntime's execution providers for a device; the CPU's is the fallback.

    InputError is raised if no device has that name; ResourceError, if the installed onnxruntime has
    no provider for it, or onnx is missing, which writes what it runs.
    """
    provider, package = PROVIDERS[check_device(device)]
    try:
        importlib.import_module("onnx")
        available = importlib.import_module("onnxruntime").get_available_providers()
    except ImportError:
        available = []
    if provider not in available:
        raise ResourceError(
            f"the device {device!r} needs onnxruntime's {provider}; installed are "
            f"{', '.join(available) or 'none'}; run: pip install onnx {package}"
        )
    return [provider] if device == DEFAULT_DEVICE else [provider, "CPUExecutionProvider"]
