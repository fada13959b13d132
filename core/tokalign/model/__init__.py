"""Models: their files, their styles, and those that ship."""

from tokalign.model.file import Model, ModelHeader, load_model, save_model

__all__ = ["Model", "ModelHeader", "load_model", "save_model"]
