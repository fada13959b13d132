"""Collapsed Stanford dependencies from the trees of any annotator, and their equivalences.

Sultan et al. (2014) compare dependency types of de Marneffe and Manning (2008), in which a
preposition or conjunction is part of the type: ``prep_in``, ``conj_and``. They are made here from
three schemes, recognised by labels alone:

* Universal Dependencies, versions 1 and 2. ``obl`` and ``nmod`` become ``prep_`` and the lemma of
their ``case`` word, or ``agent`` if that is "by" of a passive verb (``obl:agent`` always does).
  ``acl`` becomes ``infmod`` for a plain verb form, else ``partmod``; ``acl:relcl`` becomes
  ``rcmod``. ``advcl`` with a plain form and "to" becomes ``purpcl``. ``xcomp`` with an adjective
  becomes ``acomp``.
* Basic Stanford dependencies: ``prep`` with its ``pobj`` or ``pcomp`` is joined to ``prep_in``.
* ClearNLP's, which spaCy writes: the same, and ``agent`` and ``dative`` with their ``pobj``.

In all of them ``conj`` takes the lemma of its coordinator (in a list, of the last one), and the
dependent of ``xcomp`` gets the shared subject, ``xsubj``. A word that became part of a type keeps
an arc, ``case``, from its noun. Coordinators and punctuation have no arc. Some information is
missing: Universal Dependencies have no ``rel``, and dependencies are not propagated to further
conjuncts.

Table 1 of the paper lists equivalent types. Its ``pos`` is ``poss`` here, the possessor's type in
that scheme.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from tokalign.files.shipped import LISTS
from tokalign.types import Sentence

NOUN, VERB, ADJECTIVE, ADVERB, OTHER = "noun", "verb", "adjective", "adverb", "other"
CATEGORIES: tuple[str, ...] = (NOUN, VERB, ADJECTIVE, ADVERB, OTHER)
"""Lexical categories; words of different ones are not compared by dependencies."""

_OBJECT_TYPES = ("ccomp", "dobj", "nsubjpass", "rel", "partmod")
_CLAUSES_OF_NOUNS = ("infmod", "partmod", "rcmod")

SAME_DIRECTION: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (VERB, VERB, ("purpcl", "xcomp")),
    (VERB, NOUN, ("agent", "nsubj", "xsubj")),
    (VERB, NOUN, _OBJECT_TYPES),
    (VERB, NOUN, ("tmod", "prep_in", "prep_at", "prep_on")),
    (VERB, NOUN, ("iobj", "prep_to")),
    (NOUN, VERB, _CLAUSES_OF_NOUNS),
    (NOUN, NOUN, ("poss", "nn", "prep_of", "prep_in", "prep_at", "prep_for")),
    (NOUN, ADJECTIVE, ("amod", "rcmod")),
)
"""Category of the head, of the dependent, and equivalent types between them."""

OPPOSITE_DIRECTIONS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    (VERB, NOUN, _OBJECT_TYPES, _CLAUSES_OF_NOUNS),
    (VERB, ADJECTIVE, ("acomp",), ("cop", "csubj")),
    (NOUN, ADJECTIVE, ("amod", "rcmod"), ("nsubj",)),
    *(
        (category, category, (type_,), (type_,))
        for category in (VERB, NOUN, ADJECTIVE, ADVERB)
        for type_ in ("conj_and", "conj_or", "conj_nor")
    ),
)
"""Categories a and b, types with head a and dependent b, and those with head b and dependent a
that are equivalent to them."""

_CATEGORY_OF = {"NN": NOUN, "VB": VERB, "JJ": ADJECTIVE, "RB": ADVERB}


class Dependency(NamedTuple):
    """A typed arc; both ends are 0-based tokens."""

    head: int
    dependent: int
    type: str


Prepared: TypeAlias = tuple[Sequence[str], Sequence[str], Sequence[str], Sequence[Dependency]]
"""Tokens, tags, lemmas and dependencies of a sentence, as the kernel reads it."""


_TYPES = LISTS.values("stanford-types", str)
"""Labels with another name in Stanford's scheme; others keep theirs, without the subtype."""

_WITHOUT_ARC = frozenset(("punct", "p", "P", "cc", "root", "ROOT", "null"))
_PREPOSITIONS = frozenset(("prep", "agent", "dative"))
_OBJECTS_OF_PREPOSITIONS = frozenset(("pobj", "pcomp"))
_PASSIVE = frozenset(("nsubjpass", "auxpass", "csubjpass", "nsubj:pass", "aux:pass", "csubj:pass"))
_SUBJECTS = frozenset(("nsubj", "nsubjpass", "nsubj:pass"))
_OBJECTS = frozenset(("obj", "dobj"))


def dependencies(sentence: Sentence) -> list[Dependency]:
    """Return the collapsed dependencies of a sentence with tags, lemmas and a tree.

    Examples
    --------
    >>> rebels = Sentence.from_tokens(
    ...     ["Killed", "by", "rebels"], tags=["VBN", "IN", "NNS"], lemmas=["kill", "by", "rebel"],
    ...     heads=[-1, 2, 0], relations=["root", "case", "obl:agent"])
    >>> [tuple(arc) for arc in dependencies(rebels)]
    [(2, 1, 'case'), (0, 2, 'agent')]
    """
    return list(_Tree(sentence).arcs())


class _Tree:
    """A sentence's tree, with the children that the type of an arc depends on."""

    def __init__(self, sentence: Sentence) -> None:
        assert sentence.tags is not None and sentence.lemmas is not None
        assert sentence.heads is not None and sentence.relations is not None
        self.tags: Sequence[str] = sentence.tags
        self.lemmas: Sequence[str] = sentence.lemmas
        self.heads: Sequence[int] = sentence.heads
        self.labels: Sequence[str] = sentence.relations
        self.case: dict[int, int] = {}
        self.coordinator: dict[int, int] = {}
        self.objects_of: dict[int, list[int]] = {}
        self.subject: dict[int, int] = {}
        self.object: dict[int, int] = {}
        self.with_to: set[int] = set()
        self.passive: set[int] = set()
        self.conjuncts: dict[int, list[int]] = {}
        for child, (head, label) in enumerate(zip(self.heads, self.labels, strict=True)):
            if head < 0:
                continue
            if label == "case":
                self.case.setdefault(head, child)
            elif label == "cc":
                self.coordinator[head] = child
            elif label == "conj":
                self.conjuncts.setdefault(head, []).append(child)
            elif label in _OBJECTS_OF_PREPOSITIONS:
                self.objects_of.setdefault(head, []).append(child)
            elif label in _SUBJECTS:
                self.subject.setdefault(head, child)
            elif label in _OBJECTS:
                self.object.setdefault(head, child)
            elif label in ("mark", "aux") and self.tags[child] == "TO":
                self.with_to.add(head)
            if label in _PASSIVE:
                self.passive.add(head)

    def arcs(self) -> Iterator[Dependency]:
        for child, (head, label) in enumerate(zip(self.heads, self.labels, strict=True)):
            if head < 0 or label in _WITHOUT_ARC:
                continue
            if label in _PREPOSITIONS and child in self.objects_of:
                for object_ in self.objects_of[child]:
                    yield Dependency(head, object_, self._prepositional(head, child, label))
                    yield Dependency(object_, child, "case")
            elif label in _OBJECTS_OF_PREPOSITIONS and self.labels[head] in _PREPOSITIONS:
                continue  # its arc comes from its preposition
            else:
                yield Dependency(head, child, self._type(head, child, label))
            if label == "xcomp" and child not in self.subject:
                shared = self.object.get(head, self.subject.get(head, -1))
                if shared >= 0:
                    yield Dependency(child, shared, "xsubj")

    def _type(self, head: int, child: int, label: str) -> str:
        if label in _TYPES:
            return _TYPES[label]
        base = label.partition(":")[0]
        if base in ("obl", "nmod"):
            preposition = self.case.get(child)
            return base if preposition is None else self._prepositional(head, preposition, label)
        if base == "conj":
            return self._coordinated(head, child)
        if base in ("acl", "vmod"):
            return "infmod" if self.tags[child] == "VB" else "partmod"
        if base == "advcl" and self.tags[child] == "VB" and child in self.with_to:
            return "purpcl"
        if base == "xcomp" and self.tags[child].startswith("JJ"):
            return "acomp"
        return _TYPES.get(base, base)

    def _prepositional(self, head: int, preposition: int, label: str) -> str:
        lemma = self.lemmas[preposition].lower()
        if label == "agent" or (lemma == "by" and head in self.passive):
            return "agent"
        return f"prep_{lemma}"

    def _coordinated(self, head: int, child: int) -> str:
        """Return conj with the coordinator before a conjunct, else the next one of its list."""
        later = (self.coordinator.get(each) for each in self.conjuncts[head] if each >= child)
        found = next((each for each in later if each is not None), self.coordinator.get(head))
        return "conj" if found is None else f"conj_{self.lemmas[found].lower()}"


def category_of(tag: str) -> str:
    """Return the lexical category of a Penn tag.

    Examples
    --------
    >>> [category_of(tag) for tag in ("NNPS", "VBZ", "JJR", "RB", "PRP", "CD")]
    ['noun', 'verb', 'adjective', 'adverb', 'other', 'other']
    """
    return _CATEGORY_OF.get(tag[:2], OTHER)
