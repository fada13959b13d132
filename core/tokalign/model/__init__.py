"""Models: files, styles, and the shipped models."""

from tokalign.model.file import Model, ModelHeader, load_model, save_model

__all__ = ["Model", "ModelHeader", "load_model", "save_model"]
