"""The slots of a chosen set of feature groups, and their names."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ModelError
from tokalign.features.lexicons import NEEDS
from tokalign.features.templates import TEMPLATES

_NUMBER = {template.name: number for number, template in enumerate(TEMPLATES)}
_INDEX = {
    axis.name: {label: index for index, label in enumerate(axis.labels)}
    for template in TEMPLATES
    for axis in template.axes
}

GROUP_NAMES: tuple[str, ...] = tuple(dict.fromkeys(template.group for template in TEMPLATES))

TREE_GROUPS = ("dependency", "distributional")
"""Groups without features unless both sentences have trees."""

DEFAULT_GROUPS: tuple[str, ...] = tuple(
    group for group in GROUP_NAMES if group not in {*NEEDS, "distributional", "neural"}
)
"""What is trained unless something else is asked for; the rest needs more tables or gave little."""


class FeatureTable:
    """The slots of a chosen set of feature groups.

    Parameters
    ----------
    groups : collection of str
        Names out of GROUP_NAMES.

    Attributes
    ----------
    base : int32 array, shape (n_templates,)
        First slot of each template, -1 where its group is off.
    n_slots : int

    Raises
    ------
    ModelError
        If a group is unknown.
    """

    def __init__(self, groups: Collection[str]) -> None:
        unknown = sorted(set(groups) - set(GROUP_NAMES))
        if unknown:
            raise ModelError(
                f"unknown feature groups {unknown}; this version knows {', '.join(GROUP_NAMES)}"
            )
        self.groups = tuple(name for name in GROUP_NAMES if name in set(groups))
        self.base: NDArray[np.int32] = np.full(len(TEMPLATES), -1, dtype=np.int32)
        self.n_slots = 0
        for number, template in enumerate(TEMPLATES):
            if template.group in self.groups:
                self.base[number] = self.n_slots
                self.n_slots += template.size

    def name(self, slot: int) -> str:
        """Return the readable name of a slot, such as ``"null_tag[NN]"``.

        Raises
        ------
        IndexError
            If the slot is outside the table.
        """
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
        return f"{template.name}[{' '.join(reversed(labels))}]"

    def slot(self, name: str) -> int:
        """Return the slot of a name.

        Raises
        ------
        ModelError
            If no feature of the chosen groups has that name.
        """
        template_name, _, labels = name.removesuffix("]").partition("[")
        number = _NUMBER.get(template_name)
        if number is not None and self.base[number] >= 0:
            offset = 0
            try:
                for axis, label in zip(TEMPLATES[number].axes, labels.split(" "), strict=True):
                    offset = offset * len(axis.labels) + _INDEX[axis.name][label]
                return int(self.base[number]) + offset
            except (KeyError, ValueError):
                pass  # no such label, or too few or too many
        raise ModelError(f"no feature {name!r} among the groups {', '.join(self.groups)}")
