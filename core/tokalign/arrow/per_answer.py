"""Evidence for a column of answers, from a column of passages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import pyarrow as pa

from tokalign.arrow.column_types import SENTENCES
from tokalign.arrow.per_row import PerRow, Table, options_of, rows_of, thread_aligner
from tokalign.errors import InputError, located, renewed
from tokalign.types.grounding import GroundOptions


@dataclass(frozen=True, kw_only=True)
class Ground(PerRow):
    """Adds `sentences`, the evidence for each sentence of an answer, and `error`.

    Parameters
    ----------
    answer : str
        Column of answers.
    passages : str
        Column of lists: of texts, or of structures with `id` and `text`. The id of a text is its
        position.
    model, annotator : str
        As of Aligner.load.
    options : GroundOptions, or a mapping of its fields

    Examples
    --------
    >>> table = pa.table({"answer": ["It opened in 1990."], "passages": [["It opened in 1990."]]})
    >>> (sentence,) = Ground()(table)["sentences"][0].as_py()
    >>> [each["passage"] for each in sentence["citations"]]
    ['0']
    """

    answer: str = "answer"
    passages: str = "passages"
    model: str = "en"
    annotator: str = "native"
    options: GroundOptions = field(default_factory=GroundOptions)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", options_of(GroundOptions, self.options))

    def check(self) -> Self:
        """Return this object if its model can be loaded and grounds answers; see PerRow."""
        thread_aligner(self.model, self.annotator).ground(
            "Dogs bark.", ["Dogs bark."], self.options
        )
        return self

    @property
    def schema(self) -> pa.Schema:
        """The added columns, `error` last."""
        return pa.schema([pa.field("sentences", SENTENCES), pa.field("error", pa.string())])

    @property
    def _read(self) -> tuple[str, ...]:
        return self.answer, self.passages

    def _added(self, table: Table) -> pa.StructArray:
        return self.columns(table.column(self.answer), table.column(self.passages))

    def columns(self, answers: Any, passages: Any) -> pa.StructArray:
        """Return the added columns of two arrays as one; for Spark, Dask and DuckDB.

        Parameters
        ----------
        answers : Array or ChunkedArray of strings
        passages : Array or ChunkedArray of lists

        Raises
        ------
        ShapeError
            If one is longer than the other.
        """
        aligner = thread_aligner(self.model, self.annotator)
        sentences: list[list[dict[str, Any]] | None] = []
        errors: list[str | None] = []
        for answer, texts in rows_of(answers, passages, ("answers", "lists of passages")):
            try:
                found = aligner.ground(answer, _passages(answer, texts), self.options)
                sentences.append(found.to_dict()["sentences"])
                errors.append(None)
            except InputError as error:
                if error.field == "model" or error.field.startswith("options"):
                    raise
                sentences.append(None)
                errors.append(located(error))
        return self._structs({"sentences": sentences, "error": errors})


def _passages(answer: Any, values: Any) -> list[str | tuple[str, str]]:
    """Return the passages of a row; InputError if something is null or not valid UTF-8."""
    for name, value in (("answer", answer), ("passages", values)):
        if isinstance(value, InputError):
            raise renewed(value, f"the {name}: {value}")
    if answer is None or values is None:
        raise InputError(f"the {'answer is' if answer is None else 'passages are'} null")
    found: list[str | tuple[str, str]] = []
    for number, each in enumerate(values):
        text = each["text"] if isinstance(each, dict) else each
        if text is None:
            raise InputError("null; wanted a text", field=f"passages[{number}].text")
        own = each.get("id") if isinstance(each, dict) else None
        found.append(text if own is None else (str(own), text))
    return found
