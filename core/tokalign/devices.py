"""Where a model's encoder may run."""

from __future__ import annotations

from typing import Final

from tokalign.errors import InputError, quoted

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
    """Return a device's name.

    Raises
    ------
    InputError
        If no device has that name.
    """
    if device not in PROVIDERS:
        raise InputError(
            f"the device is {quoted(device)}; wanted one of {', '.join(DEVICES)}", field="device"
        )
    return device
