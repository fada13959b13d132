"""The aligner of Sultan, Bethard and Sumner (2014): similar words in similar contexts.

Modules run one after another, each on the unaligned words: identical word sequences, named
entities, content words by their dependencies, then by the words around them, then function words
and punctuation in the same two ways. A link's score is 0.9 times the words' similarity plus 0.1
times that of their contexts. Details that the paper leaves open:

* The similarity of words is 1 if their forms without case and inner marks, or their lemmas, are the
same, 0.9 if a table of paraphrases holds them, otherwise 0; numbers, punctuation, clitics, and a
function word with a content word are never paraphrases. The table is PPDB, as in the paper, if it
is installed, else WordNet's synonyms, derived and similar words.
* Stop words are the shipped function words, and punctuation.
* Dependencies are collapsed Stanford types, made from any annotator's trees, with the equivalences
of the paper's Table 1 (`tokalign.systems.dependencies`).
* The final marks of both sentences are linked first. The paper does not say so, but its figures
cannot be reached otherwise: most of RTE2's pairs have such a link.
* Named entities are runs of proper nouns, by the given tags. Names are linked if they are the same,
one is part of the other, or one is the other's acronym. A single word that stands for a name of two
or three is linked with all its words, as people are called by either name; but not with titles,
kinds of places and organisations, and words that its own sentence has as well.

References
----------
Sultan, Bethard and Sumner (2014), Back to Basics for Monolingual Alignment, TACL 2.
"""

from tokalign.english.lexicon.lexical_resources import find_resource, open_resource
from tokalign.english.lexicon.lexical_tables import Paraphrases, WordNet
from tokalign.errors import ResourceError, quoted
from tokalign.systems import Matches
from tokalign.systems.dependencies import Prepared, dependencies
from tokalign.systems.kernels import RULES, SultanKernel
from tokalign.types import Sentence
from tokalign.types.locks import ForkLock

TABLES: tuple[str, ...] = ("ppdb", "wordnet")
"""Tables of similar words; the first installed one is used."""

SAME_WORD = 10
"""Similarity of equal words, in tenths."""

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
"""Precision by rule, of links between equal words and of others, on RTE2's development half, native
annotator and PPDB (``python -m lab.accuracy sultan --rules``); the two rules for stop words made
fewer than ten links between other words.
"""


class SultanSystem:
    """Links similar words in similar contexts by the fixed rules of Sultan et al. (2014).

    Threads may share one and then take turns. `table`: out of TABLES; by default the first
    installed one; as an attribute, with its version. ResourceError is raised if it is unknown, not
    installed, or damaged.
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


def _prepared(sentence: Sentence) -> Prepared:
    assert sentence.tags is not None and sentence.lemmas is not None
    return sentence.tokens, sentence.tags, sentence.lemmas, dependencies(sentence)
