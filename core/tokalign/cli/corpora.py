"""Corpora on the command line: how they are read, and how links are scored against them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

import click

from tokalign.cli.flags import INPUT, OUTPUT, SCORES, OutputPath, flag, flagged, group
from tokalign.cli.lines.file_flags import form_of
from tokalign.cli.shared_flags import AT_LEAST_1, EXISTING_FILE, JSON, echo, one_of
from tokalign.errors import FormatError, quoted
from tokalign.files.headers import digest_of
from tokalign.files.shipped import VERSION
from tokalign.formats import (
    FORMATS,
    Document,
    Options,
    open_document,
    read_gold,
    recognise,
    repeated_ids,
)
from tokalign.types import Alignment, GoldPair
from tokalign.types.options import LinkChoice

if TYPE_CHECKING:
    from tokalign.english.annotate import Annotator
    from tokalign.evaluate import Evaluation
    from tokalign.evaluate.report import ReportTable

T = TypeVar("T")

FORMAT = click.Choice(list(FORMATS))
_PAIR_SCORES = ("precision", "recall", "exact", "right", "predicted", "gold")
"""Columns of the counts per pair."""


@flagged
class CorpusFlags:
    """How a corpus is read."""

    section: ClassVar[str] = INPUT
    format: str | None = flag(
        "Format of the corpus.", "--from", type=FORMAT, show_default="recognised by its content"
    )
    text: tuple[Path, ...] = flag(
        "Parallel text of a corpus that holds links alone: one file with both sides, or the "
        "source, then the target.",
        type=EXISTING_FILE,
        default=(),
    )
    one_based: bool = flag("Pharaoh links count tokens from 1.", default=False)
    reversed: bool = flag("Links stand target first.", default=False)

    def __post_init__(self) -> None:
        if len(self.text) > 2:
            raise click.UsageError("--text takes one file with both sides, or two files")

    def options(self) -> Options:
        return Options(text=self.text, one_based=self.one_based, reverse=self.reversed)


@flagged
class GoldFlags:
    """Pairs aligned by hand."""

    section: ClassVar[str] = INPUT
    path: Path = flag(
        "Pairs aligned by hand. --from, --text, --one-based and --reversed are about this file.",
        "--gold",
        type=EXISTING_FILE,
        required=True,
    )
    corpus: CorpusFlags = group(CorpusFlags)

    def read(self) -> list[GoldPair]:
        """Return the pairs; FormatError if two have one id: the report and the page name pairs
        by it."""
        pairs = read_gold(self.path, self.corpus.format, options=self.corpus.options())
        if repeated := repeated_ids(pairs):
            raise FormatError(
                f"{len(repeated)} ids are there more than once, such as {quoted(repeated[0])}; "
                "wanted one id for each pair",
                path=self.path,
            )
        return pairs


@flagged
class ScoreFlags:
    """How links are scored, and how the scores are shown."""

    section: ClassVar[str] = SCORES
    links: str = flag(
        "Gold links that count.", type=one_of(LinkChoice), default=LinkChoice.SURE.value
    )
    samples: int = flag(
        "Bootstrap samples, and shuffles of each test.", type=AT_LEAST_1, default=1000
    )
    seed: int = flag("Seed of samples and shuffles.", type=click.IntRange(0), default=0)
    html: Path | None = flag(
        "Write a page with the scores and every pair.", type=OutputPath(), under=OUTPUT
    )
    json: bool = flag(under=OUTPUT, **JSON)
    pairs: Path | None = flag(
        "File for the scores of each pair: CSV, or objects if its name ends in .jsonl.",
        "--pair-scores",
        type=OutputPath(),
        under=OUTPUT,
    )

    def signature(self, gold: Path, pairs: Sequence[GoldPair], **settings: object) -> str:
        """Return the signature of scores on these pairs; see `signature`."""
        scoring = {"links": self.links, "samples": self.samples, "seed": self.seed}
        return signature(gold=gold, n_pairs=len(pairs), **settings, **scoring)

    def write_pairs(self, gold: Sequence[GoldPair], results: "Mapping[str, Evaluation]") -> None:
        """Write the scores of each pair by each system, if that is asked for."""
        if self.pairs is None:
            return
        from tokalign.evaluate import COLUMNS
        from tokalign.evaluate.report import records_of

        rows = [
            {"system": system, "id": pair.id, **dict(zip(_PAIR_SCORES, counts, strict=True))}
            for system, result in results.items()
            for pair, counts in zip(
                gold, result.counts[:, list(map(COLUMNS.index, _PAIR_SCORES))].tolist(), strict=True
            )
        ]
        if form_of(str(self.pairs)) == "jsonl":
            text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        else:
            text = records_of([list(rows[0]), *(list(row.values()) for row in rows)])
        self.pairs.write_text(text + "\n", encoding="utf-8")

    def print(
        self, value: Mapping[str, object], tables: "Iterable[ReportTable]", signature: str = ""
    ) -> None:
        """Print an object as JSON if that is asked for, else tables as text, and the signature."""
        from tokalign.view import table_lines

        if self.json:
            click.echo(json.dumps(value))
            return
        for line in table_lines(tables):
            echo(line)
        if signature:
            click.echo(f"signature: {signature}")


def read_jsonl(
    path: Path, format_name: str | None, read: Callable[[Document], Iterator[T]]
) -> list[T]:
    """Return a reader's result for each line of a JSONL file; empty for another format."""
    document, chosen = recognise(open_document(path), format_name)
    return list(read(document)) if chosen.name == "jsonl" else []


def annotated(pairs: Sequence[GoldPair], annotator: "Annotator", *, trees: bool) -> list[GoldPair]:
    """Return gold pairs with an annotator's columns."""
    sides = [side for pair in pairs for side in (pair.source, pair.target)]
    filled = iter(annotator.annotate(sides, trees=trees))
    return [replace(pair, source=next(filled), target=next(filled)) for pair in pairs]


def confidences_of(alignment: Alignment) -> dict[tuple[int, int], float]:
    return {(link.source, link.target): link.confidence for link in alignment.links}


def relations_of(alignment: Alignment) -> dict[tuple[int, int], str]:
    """Return the kind of each link's relation, where relations were asked for."""
    return {
        (link.source, link.target): link.relation.kind.value
        for link in alignment.links
        if link.relation is not None
    }


N_DIGITS = 12
"""Digits shown of a digest."""
N_ERRORS_OF_PAGE = 40


def signature(*, gold: Path, n_pairs: int, **settings: object) -> str:
    """Return a line that names the version, the gold and the settings of a figure, but for those
    that are None or empty.

    Examples
    --------
    >>> signature(gold=Path(__file__), n_pairs=2, links="sure", style="").split("; ")[2:]
    ['2 pairs', 'links sure']
    """
    parts = [
        f"tokalign {VERSION}",
        f"gold {gold.name} sha256 {digest_of_file(gold)}",
        f"{n_pairs} pairs",
    ]
    parts += [
        f"{name.replace('_', ' ')} {value}"
        for name, value in settings.items()
        if value is not None and value != ""
    ]
    return "; ".join(parts)


def digest_of_file(path: Path) -> str:
    """Return the first digits of the SHA-256 of a file."""
    return digest_of(path.read_bytes())[:N_DIGITS]


def quoted_model(name: str) -> str:
    """Return how a model, a system or a file of links is named in a signature."""
    from tokalign.model.shipped import MODEL_SUFFIX, model_path, shipped_models
    from tokalign.systems import SYSTEMS

    if name in SYSTEMS:
        return name
    if name in shipped_models() or name.endswith(MODEL_SUFFIX):
        from tokalign.model import load_model

        header = load_model(model_path(name)).header
        return f"{header.name} {header.version} sha256 {header.digest[:N_DIGITS]}"
    path = Path(name)
    return f"{path.name} sha256 {digest_of_file(path)}" if path.is_file() else name
