"""Tree edit distance, the second baseline of Yao et al. (2013), section 4.2."""

from itertools import count

import numpy as np

from tokalign.systems import Matches
from tokalign.systems.kernels import cheapest_script
from tokalign.systems.lemma import lower_lemmas, nearest_pairs
from tokalign.types import Sentence

KEEP, MOVE = 1.0, 0.5
"""Confidences of the two edits that link words."""


class TreeEditSystem:
    """Links the words that the cheapest edit of one dependency tree into the other keeps or moves.

    A node is its lemma in lower case. Deletion, insertion and substitution cost 1 each and keeping
    a lemma 0, as in Yao et al. (2013); the script is that of Zhang and Shasha (1989). Ordered trees
    cannot exchange words, so a word that is deleted in one place and inserted in another is a move,
    an edit of Heilman and Smith (2010): such words are paired as by the system ``lemma``.
    Substituted words are not linked.

    References
    ----------
    Zhang and Shasha (1989), SIAM Journal on Computing 18(6). Heilman and Smith (2010), "Tree edit
    models for recognizing textual entailments, paraphrases, and answers to questions", NAACL.

    Examples
    --------
    >>> tree = {"heads": [1, -1], "relations": ["nsubj", "root"]}
    >>> dogs = Sentence.from_tokens(["Dogs", "bark"], lemmas=["dog", "bark"], **tree)
    >>> cats = Sentence.from_tokens(["Cats", "bark"], lemmas=["cat", "bark"], **tree)
    >>> matches = TreeEditSystem().align(dogs, cats)
    >>> matches.source.tolist(), matches.target.tolist(), matches.rules, matches.distance
    ([1], [1], ('keep',), 1.0)
    """

    name = "ted"
    uses_trees = True

    def align(self, source: Sentence, target: Sentence) -> Matches:
        """Return the links, of the rules ``keep`` and ``move``, and the distance; raise LimitError
        if the trees are far deeper than those of sentences; see tokalign.systems.kernels."""
        lemmas = lower_lemmas(source), lower_lemmas(target)
        numbers = dict(zip(dict.fromkeys(lemmas[0] + lemmas[1]), count(), strict=False))
        labels = [np.array([numbers[lemma] for lemma in side], dtype=np.int32) for side in lemmas]
        differs = (labels[0][:, None] != labels[1]).astype(np.int32)
        distance, partner = cheapest_script(source.heads or (), target.heads or (), differs)
        kept = [
            (i, j)
            for i, j in enumerate(partner.tolist())
            if j >= 0 and lemmas[0][i] == lemmas[1][j]
        ]
        moved = nearest_pairs(*lemmas, {i for i, _ in kept}, {j for _, j in kept})
        links = [(i, j, KEEP, "keep") for i, j in kept] + [(i, j, MOVE, "move") for i, j in moved]
        return Matches.of(links, float(distance))
