"""The aligner of Sultan, Bethard and Sumner (2014): similar words in similar contexts.

Modules work one after another, each on the words that are left: identical word sequences, named
entities, content words by their dependencies, then by the words around them, then function words
and marks in the same two ways. Of a link's score 0.9 is the words' own similarity and 0.1 that of
their contexts. What the paper leaves open, or takes from elsewhere, is here:

* Words are similar by 1 if their forms without case and inner marks, or their lemmas, are the
  same, by 0.9 if a table of paraphrases holds them, otherwise by 0; numbers, marks, clitics, and a
  function word with a content word are never paraphrases. The table is PPDB, as in the paper,
  where it is installed; WordNet's synonyms, derived and similar words stand in for it elsewhere.
* Stop words are the function words that ship with the package, and marks.
* Dependencies are collapsed Stanford types, made of any annotator's trees
  and equivalent by the paper's Table 1 (`tokalign.systems.dependencies`).
* The marks that end both sentences are linked first. The paper does not say so, but its figures
  are out of reach without: most of RTE2's pairs have such a link.
* Named entities are runs of proper nouns, as whoever tagged the sentence saw them. Linked are
  names that are the same, a part of one another, or an acronym and its words. A single word that
  stands for a name of two or three is linked with the others too, as people are called by either
  name; not with titles, kinds of places and bodies, and words that its own sentence has as well.

References
----------
Sultan, Bethard and Sumner (2014), Back to Basics for Monolingual Alignment, TACL 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokalign.english.lexicon.lexical_resources import find_resource, open_resource
from tokalign.english.lexicon.lexical_tables import Paraphrases, WordNet
from tokalign.errors import ResourceError, quoted
from tokalign.systems.dependencies import dependencies
from tokalign.systems.matches import Matches
from tokalign.systems.sultan_kernel import RULES, SultanKernel
from tokalign.types import Sentence
from tokalign.types.locks import ForkLock

if TYPE_CHECKING:
    from tokalign.systems.sultan_kernel import _Prepared

TABLES: tuple[str, ...] = ("ppdb", "wordnet")
"""Tables of alike words; the first one that is installed is used."""

SAME_WORD = 10
"""Similarity of words that are the same, in tenths."""

CONFIDENCE: dict[str, tuple[float, float]] = {
    "final-mark": (0.99, 0.99),
    "identical-sequence": (0.97, 0.97),
    "name": (0.91, 0.54),
    "dependency": (0.93, 0.66),
    "dependency-context": (0.87, 0.62),
    "neighbourhood": (0.91, 0.52),
    "stop-dependency": (0.93, 0.25),
    "stop-neighbourhood": (0.49, 0.4),
}
"""By rule, how many of its links annotators made too: of those between same words, and of others.

Shares of the links on RTE2's development half, native annotator and PPDB (``python -m
lab.accuracy sultan --rules``); the two rules for stop words made fewer than ten links between
other words.
"""


class SultanSystem:
    """Links similar words in similar contexts by fixed rules, as Sultan et al. (2014).

    Threads may share one and then take turns.

    Parameters
    ----------
    table : str, optional
        Out of TABLES; by default the first one that is there.

    Attributes
    ----------
    table : str
        Name and version of the one that is used.

    Raises
    ------
    ResourceError
        If the table is unknown, not installed, or damaged.
    """

    name = "sultan"
    uses_trees = True

    def __init__(self, table: str | None = None) -> None:
        name = table or next(name for name in TABLES if find_resource(name).present)
        if name not in TABLES:
            raise ResourceError(f"no table {quoted(name)}; choose one of: {', '.join(TABLES)}")
        opened = open_resource(name)
        self.table = f"{name} {find_resource(name).version}"
        listed = Paraphrases(opened) if name == "ppdb" else None
        self._kernel = SultanKernel(WordNet.open_shipped(), listed)
        self._lock = ForkLock()

    def align(self, source: Sentence, target: Sentence) -> Matches:
        """Return the links of a pair with tags, lemmas and trees.

        A link's confidence is that of its rule in CONFIDENCE.
        """
        with self._lock:
            links = self._kernel.align(_prepared(source), _prepared(target))
        return Matches.of(
            (i, j, CONFIDENCE[RULES[rule]][similarity < SAME_WORD], RULES[rule])
            for i, j, rule, similarity in links
        )


def _prepared(sentence: Sentence) -> _Prepared:
    assert sentence.tags is not None and sentence.lemmas is not None
    return sentence.tokens, sentence.tags, sentence.lemmas, dependencies(sentence)
