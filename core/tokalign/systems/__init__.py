"""Published systems: each aligns an annotated pair by rules, without trained weights.

docs/results.md has the source of each and the meaning of its confidence.
"""

import importlib
from collections.abc import Iterable
from typing import NamedTuple, NoReturn, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import InputError
from tokalign.types import Sentence
from tokalign.types.options import AlignOptions, Symmetrization

SYSTEMS = {
    "lemma": "tokalign.systems.lemma:LemmaSystem",
    "meteor": "tokalign.systems.meteor:MeteorSystem",
    "sultan": "tokalign.systems.sultan:SultanSystem",
    "ted": "tokalign.systems.ted:TreeEditSystem",
}
"""The class of each system, imported when it is first loaded."""


class Matches(NamedTuple):
    """The distinct links of one pair, column by column, sorted by (source, target)."""

    source: NDArray[np.int32]  # [n_links] 0-based token indices
    target: NDArray[np.int32]  # [n_links]
    confidence: NDArray[np.float32]  # [n_links] in [0, 1]; each system defines its meaning
    rules: tuple[str, ...]  # [n_links] name of the rule or edit that linked each
    distance: float | None = None  # of the two sentences, at least 0, if the system measures it

    @classmethod
    def of(
        cls, links: Iterable[tuple[int, int, float, str]], distance: float | None = None
    ) -> Self:
        """Return matches of links (source, target, confidence, rule) in any order."""
        ordered = sorted(links)
        return cls(
            np.array([link[0] for link in ordered], dtype=np.int32),
            np.array([link[1] for link in ordered], dtype=np.int32),
            np.array([link[2] for link in ordered], dtype=np.float32),
            tuple(link[3] for link in ordered),
            distance,
        )


class System(Protocol):
    """Aligns annotated pairs without a model's weights; threads may share one.

    A system that looks up words in a table names it in its attribute `table`.
    """

    name: str  # in SYSTEMS
    uses_trees: bool  # whether the sentences that it aligns must have heads and relations

    def align(self, source: Sentence, target: Sentence) -> Matches:
        """Return the links of a pair with tags and lemmas, and with trees if it uses them."""


def load_system(name: str) -> System:
    """Return a new system by its name, one of SYSTEMS."""
    return system_class(name)()


def system_class(name: str) -> type[System]:
    """Return the class of a system; importing it opens no table."""
    module, _, attribute = SYSTEMS[name].partition(":")
    return cast(type[System], getattr(importlib.import_module(module), attribute))


def summary(system: System) -> str:
    """Return a one-line description of a system, and the table of words that it uses, if any."""
    line = (type(system).__doc__ or "").partition("\n")[0]
    table = getattr(system, "table", "")
    return f"{line} Words are alike by {table}." if table else line


def check_options(name: str, options: AlignOptions) -> None:
    """Raise InputError for options that only models have: probabilities, directions and styles."""
    refused = {
        "posteriors": "has no posteriors; ask for explanations, which name the rule of each link",
        "relations": "knows no relations; ask a model",
        "related": "has no prior to move",
        "style": "has no styles",
    }
    for field, said in refused.items():
        if getattr(options, field):
            raise InputError(f"{name} decides by rules and {said}", field=f"options.{field}")
    if options.symmetrization is not Symmetrization.JOINT:
        raise InputError(
            f"symmetrization is {options.symmetrization}; {name} decides both directions at once: "
            f"wanted {Symmetrization.JOINT}",
            field="options.symmetrization",
        )
    options.check_effort(name, takes_effort=False)


def refuse_grounding(name: str, field: str = "model") -> NoReturn:
    """Raise InputError: systems have no probabilities for support."""
    raise InputError(
        f"{name} decides by rules and gives no posteriors to tell support by; ask a model",
        field=field,
    )
