"""``tokalign train``: a model trained on aligned corpora."""

import logging
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from tokalign.cli.corpora import FORMAT
from tokalign.cli.flags import (
    INPUT,
    OUTPUT,
    RUN,
    OutputPath,
    SectionedCommand,
    flag,
    flagged,
    takes,
)
from tokalign.cli.shared_flags import ANNOTATOR, AT_LEAST_1, EXISTING_FILE, is_quiet
from tokalign.english.annotate import load_annotator
from tokalign.errors import FormatError, quoted
from tokalign.features.templates import DEFAULT_GROUPS, GROUP_NAMES
from tokalign.files.headers import is_name
from tokalign.formats import Options, clashing_ids, read_gold, repeated_ids, shared_pairs
from tokalign.types import GoldPair

if TYPE_CHECKING:
    from tqdm import tqdm

    from tokalign.model.training import Progress, TrainingData, TrainingSettings

_POSSIBLE = ("ignore", "free", "half", "sure")
"""How possible links are used; the first is the default."""

logger = logging.getLogger(__name__)


@flagged
class TrainFiles:
    """The corpora and the model file."""

    section: ClassVar[str] = INPUT
    train: tuple[Path, ...] = flag(
        "Aligned corpus. May be repeated, with file names that differ.",
        type=EXISTING_FILE,
        multiple=True,
        required=True,
    )
    dev: Path | None = flag(
        "Aligned corpus to watch; training stops when its loss no longer falls.", type=EXISTING_FILE
    )
    unrelated: tuple[Path, ...] = flag(
        "Pairs of unrelated sentences, from which the model learns not to link unlike words.",
        type=EXISTING_FILE,
        default=(),
    )
    format: str | None = flag(
        "Format of the corpora.", "--from", type=FORMAT, show_default="recognised by their content"
    )
    output: Path = flag(
        "Model file to write.", "-o", type=OutputPath(), required=True, under=OUTPUT
    )

    def __post_init__(self) -> None:
        names = [path.name for path in self.train]
        if len(set(names)) < len(names):
            raise click.UsageError(f"two corpora have one file name among {', '.join(names)}")

    def data(self) -> "TrainingData":
        """Return the pairs of all files.

        A warning names corpora that judge a pair several times, and those that share pairs.
        FormatError if unlike pairs of a file share an id, or a pair with links is among the
        unrelated ones.
        """
        from tokalign.model.training import TrainingData

        corpora = {path.name: self._read(path) for path in self.train}
        named = list(corpora.items())
        for number, (name, pairs) in enumerate(named):
            for other, before in named[:number]:
                self._warn_of_shared(name, pairs, other, before, "each judgement counts")
        dev = self._read(self.dev) if self.dev else []
        for name, pairs in named:
            self._warn_of_shared("--dev", dev, name, pairs, "the loss on them shows no progress")
        unrelated = [pair for path in self.unrelated for pair in self._unrelated(path, corpora)]
        return TrainingData(corpora, dev=dev, unrelated=unrelated)

    @staticmethod
    def _warn_of_shared(
        name: str, pairs: list[GoldPair], other: str, others: list[GoldPair], what: str
    ) -> None:
        if shared := shared_pairs(pairs, others):
            logger.warning(
                "%s: %d pairs are in %s, too, such as %s; %s",
                name, len(shared), other, quoted(shared[0].id), what,
            )  # fmt: skip

    def _unrelated(self, path: Path, corpora: Mapping[str, list[GoldPair]]) -> list[GoldPair]:
        pairs = self._read(path, Options(needs_links=False))
        for name, gold in corpora.items():
            if linked := shared_pairs((pair for pair in gold if pair.sure), pairs):
                raise FormatError(
                    f"{len(linked)} pairs have links in {name}, such as {quoted(linked[0].id)} "
                    "there; wanted unrelated sentences",
                    path=path,
                )
        return pairs

    def _read(self, path: Path, options: Options | None = None) -> list[GoldPair]:
        pairs = read_gold(path, self.format, options=options)
        if clashing := clashing_ids(pairs):
            raise FormatError(
                f"{len(clashing)} ids are shared by unlike pairs, such as {quoted(clashing[0])}; "
                "wanted one id for each pair of sentences",
                path=path,
            )
        if repeated := repeated_ids(pairs):
            logger.warning(
                "%s: %d pairs are judged more than once, such as %s; each judgement counts",
                path, len(repeated), quoted(repeated[0]),
            )  # fmt: skip
        return pairs


@flagged
class HeaderFlags:
    """Fields of the model's header."""

    section: ClassVar[str] = "Header of the model"
    name: str | None = flag("Name of the model.", show_default="the output's file name")
    version: str = flag("Version of the model.", default="1.0.0")
    description: str = flag("What the model is for.", default="")
    license: str = flag("Terms of the model.", default="")


@flagged
class SettingFlags:
    """The library's TrainingSettings."""

    section: ClassVar[str] = "Training"
    feature_groups: str | None = flag(
        f"Feature groups with commas between them: {', '.join(GROUP_NAMES)}. GROUP/TEMPLATE is "
        "one template of a group.",
        show_default=",".join(DEFAULT_GROUPS),
    )
    like: str | None = flag(
        "Take the feature groups of a published system (docs/results.md).",
        type=click.Choice(["yao2013", "sharma2018"]),
    )
    l2: float = flag(
        "Penalty: half of this times the sum of squared weights is added to the loss.", default=8.0
    )
    cost: float = flag("Cost of a wrong label, in nats.", default=1.0)
    max_iterations: int = flag("Most iterations for each direction.", type=int, default=100)
    possible: tuple[str, ...] = flag(
        f"How possible links are learned: {', '.join(_POSSIBLE)}. With CORPUS=, for the "
        "corpus of that file name only.",
        metavar="[CORPUS=]CHOICE",
        default=(_POSSIBLE[0],),
    )
    style: tuple[str, ...] = flag(
        "Keep what a corpus links, by its file name, as a style to choose when aligning. Give it "
        "for every corpus; the first style is the default.",
        metavar="CORPUS=STYLE",
        default=(),
    )
    unrelated_importance: float = flag("Factor of the loss of each unrelated pair.", default=0.5)

    def __post_init__(self) -> None:
        if self.feature_groups is not None and self.like is not None:
            raise click.UsageError(
                "--like takes the groups of a published system; leave out --feature-groups"
            )

    def settings(self) -> "TrainingSettings":
        from tokalign.model.training import PUBLISHED, TrainingSettings

        possible = [choice.rpartition("=") for choice in self.possible]
        settings = replace(
            PUBLISHED[self.like] if self.like else TrainingSettings(),
            l2=self.l2,
            cost=self.cost,
            max_iterations=self.max_iterations,
            possible=next((choice for _, mark, choice in possible if not mark), _POSSIBLE[0]),
            possible_in=tuple((corpus, choice) for corpus, mark, choice in possible if mark),
            styles=tuple(map(_style, self.style)),
            unrelated_importance=self.unrelated_importance,
        )
        if self.feature_groups is None:
            return settings
        chosen = tuple(part.strip() for part in self.feature_groups.split(",") if part.strip())
        return replace(settings, feature_groups=chosen)


@flagged
class TrainingRun:
    """The annotator of the corpora, and how the training runs."""

    section: ClassVar[str] = RUN
    annotator: str = flag(**ANNOTATOR)
    jobs: int | None = flag(
        "Threads; their number does not change a model.",
        "-j",
        type=AT_LEAST_1,
        show_default="all cores",
    )


class _Bars:
    """One progress bar per direction, if stderr is a terminal; else a line at the end."""

    def __init__(self, max_iterations: int, quiet: bool) -> None:
        self._total = max_iterations
        self._quiet = quiet
        self._bar: tqdm[Any] | None = None

    def __call__(self, progress: "Progress") -> None:
        from tqdm import tqdm

        if self._bar is None:
            self._bar = tqdm(
                total=self._total, desc=progress.direction, unit="iteration", leave=False,
                disable=self._quiet or not sys.stderr.isatty(),
            )  # fmt: skip
        if not progress.stopped:
            self._bar.update()
            self._bar.set_postfix(loss=f"{progress.loss:.1f}")
            return
        self._bar.close()
        self._bar = None
        if not self._quiet:
            click.echo(
                f"{progress.direction}: {progress.stopped} after {progress.iteration} iterations, "
                f"loss {progress.loss:.2f} nats",
                err=True,
            )


@click.command("train", cls=SectionedCommand)
@takes(files=TrainFiles, settings=SettingFlags, header=HeaderFlags, run=TrainingRun)
def command(
    files: TrainFiles, settings: SettingFlags, header: HeaderFlags, run: TrainingRun
) -> None:
    """Train a model on aligned corpora and write it to a file.

    The same corpora and settings always give the same file.
    """
    from tokalign.model import save_model
    from tokalign.model.training import train

    is_silent = is_quiet()
    model = train(
        files.data(),
        load_annotator(run.annotator),
        settings.settings(),
        n_threads=run.jobs,
        report=_Bars(settings.max_iterations, is_silent),
        name=header.name or files.output.stem,
        version=header.version,
        description=header.description,
        license=header.license,
    )
    save_model(model, files.output)
    if not is_silent:
        click.echo(f"wrote {files.output}", err=True)


def _style(text: str) -> tuple[str, str]:
    corpus, _, style = (part.strip() for part in text.rpartition("="))
    if not (corpus and is_name(style)):
        raise click.UsageError(f"--style {text!r}: wanted CORPUS=STYLE")
    return corpus, style
