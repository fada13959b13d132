"""Styles: annotation conventions for links. One model can hold several.

Corpora differ in what they link. A model's shared weights come from all of them; a style adds
weights of its own, a threshold, and maps from posteriors to confidences. By default the model
chooses a style for each pair (tokalign.decoding.link_decision), if it can.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import InputError, quoted
from tokalign.files.headers import Name, Weight

MAX_STYLES = 8
MAX_KNOTS = 16
AUTO = "auto"
"""Name for choosing a style for each pair; no style may have this name."""
N_INPUTS = 15
"""Number of inputs of the choice of a style (tokalign.decoding.link_decision)."""
DEFAULT_THRESHOLD = 0.4
"""Threshold of models without styles. In cross-validation on RTE2's development half (three
divisions into folds), F1 is flat between 0.3 and 0.4, and exact match best at 0.4."""


RELATED_NO_LINK = -2.0
"""Added to the log potential of no partner where the caller knows that two sentences belong
together. Of -0.5 to -3.0 it has the best F1 on users' pairs with `en` (-3.0 is level), and nearly
that on the corpus' paraphrases; `en-research` and `en-neural` gain as much (lab/experiments.md)."""


class StyleHeader(TypedDict):
    """A style's part of a model's header."""

    name: Name
    links: str  # description of what it links, for people
    threshold: float  # least mean posterior of a link in the joint decision; in (0, 1]
    # Threshold of a link beside a taken one; in (0, threshold], the threshold by default.
    beside: NotRequired[float]
    # Whether the second pass of the model's encoder (tokalign.decoding.second_pass) decides: its
    # probabilities replace mean posteriors, also in the fields here, and it decides groups of cells
    # jointly.
    second_pass: NotRequired[bool]
    # Knots of the piecewise linear map from mean posteriors to confidences, from 0 to 1; both rise,
    # so that the order of links is kept. Without knots, confidences are mean posteriors.
    raw: NotRequired[tuple[float, ...]]
    calibrated: NotRequired[tuple[float, ...]]
    # Slope and offset of the map for links of unlike words: log odds of the confidence = slope *
    # log odds of the mean posterior + offset. Without it the first map is for all links.
    unlike: NotRequired[tuple[Weight, ...]]
    # Weights of the pair's N_INPUTS inputs for choosing this style, and a constant. All styles have
    # it, or none.
    choice: NotRequired[tuple[Weight, ...]]
    asks: NotRequired[bool]  # whether it is the style for pairs with a question; at most one is


class OwnWeights(NamedTuple):
    """Weights that a style adds to the shared ones."""

    slots: NDArray[np.int32]  # [n] rising
    weights: NDArray[np.float32]  # [n, 2] column 0 for s2t, column 1 for t2s
    transitions: NDArray[np.float64]  # [2, 34]


def default_style(styles: Sequence[StyleHeader]) -> str:
    """Return the default style: AUTO, a style's name, or "" without styles."""
    if any("choice" in style for style in styles):
        return AUTO
    return styles[0]["name"] if styles else ""


class StyleNames(NamedTuple):
    """Names of a model's styles."""

    model: str  # the model's name, for errors
    names: tuple[str, ...]  # in order; empty if it has one convention
    default: str  # AUTO, a style's name, or "" without styles
    asks: str = ""  # the style for pairs with a question, or ""

    def chosen(self, style: str) -> str:
        """Return the style to use: AUTO, a style's name, or "" without styles.

        `style`: see AlignOptions.

        InputError is raised if the model has no such style; the field is that of the option.
        """
        name = style or self.default
        if name in self.names or name == self.default:
            return name
        known = ", ".join(dict.fromkeys((self.default, *self.names))) or "(none)"
        raise InputError(
            f"no style {quoted(style)}; the model {self.model} has {known}", field="options.style"
        )


def check_styles(styles: Sequence[StyleHeader]) -> None:
    """Raise ValueError unless styles are few, have distinct names, and their numbers are valid."""
    if len(styles) > MAX_STYLES:
        raise ValueError(f"it has {len(styles)} styles; wanted at most {MAX_STYLES}")
    names = [style["name"] for style in styles]
    if len(set(names)) < len(names) or AUTO in names:
        raise ValueError(f"two styles have one name among {', '.join(names)}, or one is {AUTO}")
    if len({"choice" in style for style in styles}) > 1:
        raise ValueError("some styles have weights of the choice, and some have none")
    if sum(bool(style.get("asks")) for style in styles) > 1:
        raise ValueError("several styles are those of pairs with a question; wanted at most one")
    for style in styles:
        _check_style(style)


def _check_style(style: StyleHeader) -> None:
    where = f"style {style['name']}"
    if not 0.0 < style["threshold"] <= 1.0:
        raise ValueError(f"{where}: threshold is {style['threshold']}; wanted one in (0, 1]")
    if not 0.0 < style.get("beside", style["threshold"]) <= style["threshold"]:
        raise ValueError(f"{where}: beside is {style.get('beside')}; wanted one in (0, threshold]")
    unlike = style.get("unlike", (1.0, 0.0))
    if len(unlike) != 2 or unlike[0] <= 0:
        raise ValueError(f"{where}: unlike is {list(unlike)}; wanted a slope above 0 and an offset")
    n_weights = len(style.get("choice", ()))
    if n_weights not in (0, N_INPUTS + 1):
        raise ValueError(f"{where}: {n_weights} weights of the choice; wanted {N_INPUTS + 1}")
    raw, calibrated = style.get("raw", ()), style.get("calibrated", ())
    if not raw and not calibrated:
        return
    if len(raw) != len(calibrated) or not 2 <= len(raw) <= MAX_KNOTS:
        raise ValueError(
            f"{where}: {len(raw)} raw and {len(calibrated)} calibrated knots; wanted as many "
            f"of both, 2 to {MAX_KNOTS}"
        )
    if (raw[0], raw[-1]) != (0, 1):
        raise ValueError(f"{where}: raw goes from {raw[0]} to {raw[-1]}; wanted 0 to 1")
    for name, knots in (("raw", raw), ("calibrated", calibrated)):
        if not all(low < high for low, high in pairwise(knots)):
            raise ValueError(f"{where}: {name} does not rise")
