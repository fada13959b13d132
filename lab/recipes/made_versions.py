"""Made versions of sentences as aligned pairs: what an editor kept, and single words in a place.

Who edits a sentence keeps most of it. All that is kept is linked, articles and marks of a phrase
that lost or won a word too, and so is a word with the one that took its place. A pair in which
several words gave way to others is left out, since nobody said which of them correspond.
"""

from __future__ import annotations

from collections.abc import Iterator

from tokalign.types import GoldPair, Sentence

from lab.recipes.corpora import own_marks
from lab.recipes.made_edits import EditMaker, MadePair
from lab.recipes.tree_chunks import with_trees

N_MADE = 300
SEED = 5


def made_versions() -> list[GoldPair]:
    """Return pairs of a sentence of the corpus' training part and a made version of it."""
    own = own_marks("train")
    tokens = dict.fromkeys(
        side.tokens for pair in own for side in (pair.gold.source, pair.gold.target)
    )
    sentences = with_trees([Sentence.from_tokens(each) for each in tokens])
    made = EditMaker(sentences, SEED).make(2 * N_MADE)
    found = [pair for pair in made if all(_is_plain(edit) for edit in pair.edits)]
    return [
        GoldPair(
            f"made-{at}",
            Sentence.from_tokens(pair.source),
            Sentence.from_tokens(pair.target),
            frozenset(_links(pair)),
        )
        for at, pair in enumerate(found[:N_MADE])
    ]


def _is_plain(edit: tuple[tuple[int, int] | None, tuple[int, int] | None]) -> bool:
    """Whether an edit drops words, puts some in, or replaces one by one."""
    old, new = edit
    return old is None or new is None or old[1] - old[0] == new[1] - new[0] == 1


def _links(pair: MadePair) -> Iterator[tuple[int, int]]:
    """Yield a link for each token that is kept or that one other took the place of."""
    dropped = {at for old, new in pair.edits if old and not new for at in range(*old)}
    put_in = {at for old, new in pair.edits if new and not old for at in range(*new)}
    kept = (at for at in range(len(pair.source)) if at not in dropped)
    yield from zip(kept, (at for at in range(len(pair.target)) if at not in put_in), strict=True)
