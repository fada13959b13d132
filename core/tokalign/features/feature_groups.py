"""A chosen set of feature groups: their slots and names, and the lexical tables they need."""

import itertools
from collections.abc import Collection
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.english.lexicon.lexical_tables import Frequencies, Paraphrases, Vectors, WordNet
from tokalign.errors import ModelError, quoted
from tokalign.features.templates import GROUP_NAMES, NEEDS, TEMPLATES, group_of
from tokalign.types.locks import cached_property

Encoded: TypeAlias = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Log-probability of each token's partner, NULL first: of shapes (n_source, n_target + 1) and
(n_target, n_source + 1)."""

_PARTS: dict[str, tuple[str, ...]] = {
    group: tuple(f"{group}/{each.name}" for each in TEMPLATES if each.group == group)
    for group in GROUP_NAMES
}

TREE_GROUPS = ("dependency", "distributional")
"""Groups without features unless both sentences have trees."""


def needs_trees(groups: Collection[str]) -> bool:
    """Whether some of these groups or templates have no features without trees."""
    return not set(TREE_GROUPS).isdisjoint(map(group_of, groups))


class FeatureTable:
    """The slots of a chosen set of feature groups.

    `groups`: names out of GROUP_NAMES, or single templates of groups, such as ``position/edges``;
    kept in the order of the templates, without those whose whole group is there. `base`: first slot
    of each template, -1 where its group is off. ModelError is raised if a group is unknown.
    """

    def __init__(self, groups: Collection[str]) -> None:
        chosen = set(groups)
        unknown = sorted(chosen.difference(GROUP_NAMES, *_PARTS.values()))
        if unknown:
            raise ModelError(
                f"unknown feature groups {quoted(unknown)}; this version knows "
                f"{', '.join(GROUP_NAMES)}"
            )
        self.groups = tuple(
            name
            for group, parts in _PARTS.items()
            for name in ((group,) if group in chosen else parts)
            if name in chosen
        )
        self.base: NDArray[np.int32] = np.full(len(TEMPLATES), -1, dtype=np.int32)
        self.n_slots = 0
        for number, template in enumerate(TEMPLATES):
            if not chosen.isdisjoint((template.group, f"{template.group}/{template.name}")):
                self.base[number] = self.n_slots
                self.n_slots += template.size
        self._names: dict[int, str] = {}

    def name(self, slot: int) -> str:
        """Return the readable name of a slot, such as ``"null_tag[NN]"``.

        IndexError is raised if the slot is outside the table.
        """
        if (known := self._names.get(slot)) is not None:
            return known
        if not 0 <= slot < self.n_slots:
            raise IndexError(f"slot {slot} is outside 0..{self.n_slots - 1}")
        bases = np.where(self.base >= 0, self.base, np.iinfo(np.int32).max)
        candidates = np.flatnonzero(bases <= slot)
        number = int(candidates[np.argmax(bases[candidates])])
        template = TEMPLATES[number]
        offset, labels = slot - int(self.base[number]), []
        for axis in reversed(template.axes):
            offset, index = divmod(offset, len(axis.labels))
            labels.append(axis.labels[index])
        # Cached: an explained alignment names the same few hundred slots repeatedly.
        name = self._names[slot] = f"{template.name}[{' '.join(reversed(labels))}]"
        return name

    @cached_property
    def rows(self) -> dict[str, tuple[int, tuple[str, ...]]]:
        """First slot of the names that begin alike, such as ``"tag_pair"`` or ``"rank[row-1st"``,
        and their last labels."""
        found = {}
        for template, first in zip(TEMPLATES, self.base.tolist(), strict=True):
            *axes, last = template.axes
            for labels in itertools.product(*(axis.labels for axis in axes)) if first >= 0 else ():
                row = f"{template.name}[{' '.join(labels)}" if labels else template.name
                found[row] = (first, last.labels)
                first += len(last.labels)
        return found

    def slot(self, name: str) -> int:
        """Return the slot of a name; raise ModelError if no feature of the chosen groups has that
        name."""
        row, _, label = name.rpartition(" ") if " " in name else name.partition("[")
        try:
            first, labels = self.rows[row]
            return first + labels.index(label.removesuffix("]"))
        except (KeyError, ValueError):  # no such label, or too few or too many
            raise ModelError(
                f"no feature {quoted(name)} among the groups {', '.join(self.groups)}"
            ) from None


class Lexicons(NamedTuple):
    """Mapped tables; processes that open the same ones share their memory.

    `frequencies`: weights of words in similarity, for every model.
    """

    wordnet: WordNet
    frequencies: Frequencies
    vectors: Vectors | None = None
    paraphrases: Paraphrases | None = None

    @classmethod
    def for_groups(cls, groups: Collection[str]) -> Self:
        """Return the tables that these feature groups need; raise ResourceError if a table is not
        installed, or damaged."""
        groups = set(map(group_of, groups))
        paraphrases = None
        if "paraphrases" in groups:
            from tokalign.english.lexicon.lexical_resources import open_resource

            paraphrases = Paraphrases(open_resource(NEEDS["paraphrases"]))
        return cls(
            wordnet=WordNet.open_shipped(),
            frequencies=Frequencies.open_shipped(),
            vectors=Vectors.open_shipped() if "vectors" in groups else None,
            paraphrases=paraphrases,
        )


def needed_resources(groups: Collection[str]) -> tuple[str, ...]:
    """Return the names of the tables that these feature groups need."""
    whole = set(map(group_of, groups))
    return ("wordnet", *(resource for group, resource in NEEDS.items() if group in whole))
