"""The methods of an aligner as functions, by one with the default model that threads share.

The model is loaded at the first call; threads take turns. `split` needs none.

Examples
--------
>>> align("Dogs bark.", "The dogs bark.").to_pharaoh()
'0-1 1-2 2-3'
>>> [each.to_pharaoh() for each in pipe([("Dogs bark.", "The dogs bark.")])]
['0-1 1-2 2-3']
>>> round(similarity("Dogs bark.", "It rained all day."), 1)
0.0
>>> [each.index for each in rank("Who barks?", ["It rains.", "Dogs bark."])]
[1, 0]
>>> found = ground("The bridge opened in 1894.", ["It opened in 1894."])
>>> [citation.passage for citation in found.sentences[0].citations]
['0']
>>> texts = align_texts("It rained. Dogs bark.", "It rained. The dogs bark. Cats sleep.")
>>> [(block.old, block.new) for block in texts.blocks]
[((0,), (0,)), ((1,), (1,)), ((), (2,))]
>>> found = diff("It has 40 rooms. It is old.", "It is old. It has 45 rooms.")
>>> found.rebuild_new("It has 40 rooms. It is old.")
'It is old. It has 45 rooms.'
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from tokalign.aligner import Aligner
from tokalign.types.constraints import Constraints
from tokalign.types.keywords import (
    AlignKeywords,
    GroundKeywords,
    PairKeywords,
    RankKeywords,
    explained,
)
from tokalign.types.locks import ForkLock
from tokalign.types.options import AlignOptions, GroundOptions, RankOptions
from tokalign.types.texts import SentenceSpan

P = ParamSpec("P")
R = TypeVar("R")

_loading = ForkLock()
_loaded: list[Aligner] = []


def default_aligner() -> Aligner:
    """Return the process's aligner with the default model."""
    for aligner in _loaded:
        return aligner
    with _loading:
        if not _loaded:
            _loaded.append(Aligner())
        return _loaded[0]


def _by_default(
    method: Callable[Concatenate[Aligner, P], R],
    keywords: type[Any] = AlignKeywords,
    *described: type[Any],
) -> Callable[P, R]:
    """Return the function that calls a method of the default aligner; see `explained`."""

    @explained(keywords, *(described or (AlignOptions,)))
    @wraps(method)
    def call(*args: P.args, **changes: P.kwargs) -> R:
        return method(default_aligner(), *args, **changes)

    call.__module__, call.__qualname__ = __name__, call.__name__
    return call


align = _by_default(Aligner.align, PairKeywords, AlignOptions, Constraints)
pipe = _by_default(Aligner.pipe)
explain = _by_default(Aligner.explain)
similarity = _by_default(Aligner.similarity)
similarities = _by_default(Aligner.similarities)
similarity_matrix = _by_default(Aligner.similarity_matrix)
near_duplicates = _by_default(Aligner.near_duplicates)
rank = _by_default(Aligner.rank, RankKeywords, RankOptions, AlignOptions)
ground = _by_default(Aligner.ground, GroundKeywords, GroundOptions)
ground_stream = _by_default(Aligner.ground_stream, GroundKeywords, GroundOptions)
align_chunks = _by_default(Aligner.align_chunks)
align_texts = _by_default(Aligner.align_texts)
diff = _by_default(Aligner.diff)


def split(text: str) -> list[SentenceSpan]:
    r"""Return the sentences of an English text, with only white space between them.

    Aligners split raw text in the same way. A blank line always ends a sentence; a single line
    break is white space. A blank text has none. The time is linear in the length of the text, of
    which there is no limit. InputError is raised if it is not a str.

    Examples
    --------
    >>> for sentence in split("Dr. Wu came at 3 p.m. on Monday.\nShe left at 4."):
    ...     print(sentence)
    SentenceSpan(start=0, end=32, text='Dr. Wu came at 3 p.m. on Monday.')
    SentenceSpan(start=33, end=47, text='She left at 4.')
    """
    return Aligner.split(text)
