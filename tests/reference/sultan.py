"""Slow twin of systems.sultan_kernel; reads like Algorithms 1 to 5 of Sultan et al. (2014).

A sentence is a list of words, with typed arcs (head, dependent, type); similarity is a function of
two words, in tenths; everything else is sets of index pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

from tokalign.english.lexicon.lexical_tables import Paraphrases, WordNet
from tokalign.english.lexicon.word_lists import TITLES, canonical, function_words

from lab.kernels.doors import are_paraphrases, wordnet_relations

STOP = frozenset(function_words())
ALIKE_IN_WORDNET = {"synonym", "derived", "pertainym", "similar", "verb-group"}

Cells = set[tuple[int, int]]
Similarity = Callable[["Word", "Word"], int]

_OBJECT = {"ccomp", "dobj", "nsubjpass", "rel", "partmod"}
_CLAUSE = {"infmod", "partmod", "rcmod"}

# Table 1 (a): category of the head, of the dependent, equivalent types.
TABLE_A = [
    ("V", "V", {"purpcl", "xcomp"}),
    ("V", "N", {"agent", "nsubj", "xsubj"}),
    ("V", "N", _OBJECT),
    ("V", "N", {"tmod", "prep_in", "prep_at", "prep_on"}),
    ("V", "N", {"iobj", "prep_to"}),
    ("N", "V", _CLAUSE),
    ("N", "N", {"poss", "nn", "prep_of", "prep_in", "prep_at", "prep_for"}),
    ("N", "J", {"amod", "rcmod"}),
]
# Table 1 (b): categories x and y, types from head x to y, equivalent types from head y to x.
TABLE_B = [
    ("V", "N", _OBJECT, _CLAUSE),
    ("V", "J", {"acomp"}, {"cop", "csubj"}),
    ("N", "J", {"amod", "rcmod"}, {"nsubj"}),
    *((c, c, {f"conj_{w}"}, {f"conj_{w}"}) for c in "VNJR" for w in ("and", "or", "nor")),
]


@dataclass(frozen=True)
class Word:
    token: str
    tag: str
    lemma: str

    @property
    def form(self) -> str:
        return self.token.lower()

    @property
    def pos(self) -> str:
        return {"NN": "N", "VB": "V", "JJ": "J", "RB": "R"}.get(self.tag[:2], "-")

    @property
    def is_mark(self) -> bool:
        return not any(c.isalnum() for c in self.token)

    @property
    def is_like_itself(self) -> bool:
        return self.is_mark or "'" in self.token

    @property
    def is_stop(self) -> bool:
        return self.is_mark or self.form in STOP

    @property
    def is_number(self) -> bool:
        plain = canonical(self.token)
        return any(c.isdigit() for c in plain) and not any(c.isalpha() for c in plain)

    @property
    def is_name(self) -> bool:
        return self.tag in ("NNP", "NNPS")

    @property
    def initials(self) -> str:
        letters = self.token.replace(".", "")
        is_acronym = 2 <= len(letters) <= 8 and letters.isalpha() and letters.isupper()
        return letters.lower() if is_acronym else ""


def word_sim(a: Word, b: Word, listed: Paraphrases | None, wordnet: WordNet) -> int:
    """Section 3.1, in tenths."""
    if canonical(a.token) == canonical(b.token) or a.lemma.lower() == b.lemma.lower():
        return 10
    if a.is_stop != b.is_stop or a.is_like_itself or b.is_like_itself:
        return 0
    if a.is_number and b.is_number:
        return 0
    if listed is not None:
        of_forms = are_paraphrases(listed, a.form, b.form)
        return 9 if of_forms or are_paraphrases(listed, a.lemma.lower(), b.lemma.lower()) else 0
    if a.is_stop:
        return 0
    return (
        9 if ALIKE_IN_WORDNET & wordnet_relations(wordnet, a.lemma.lower(), b.lemma.lower()) else 0
    )


@dataclass(frozen=True)
class Sentence:
    words: list[Word]
    arcs: list[tuple[int, int, str]]

    def arcs_of(self, i: int) -> list[tuple[int, str, bool]]:
        """Return the other end, the type, and whether that end is the dependent, of each arc."""
        down = [(dependent, type_, True) for head, dependent, type_ in self.arcs if head == i]
        up = [(head, type_, False) for head, dependent, type_ in self.arcs if dependent == i]
        return down + up


class Twin:
    def __init__(self, s: Sentence, t: Sentence, similarity: Similarity) -> None:
        self.s, self.t = s, t
        self.source, self.target = s.words, t.words
        self.cells = list(product(range(len(s.words)), range(len(t.words))))
        self.similar = {(i, j): similarity(s.words[i], t.words[j]) for i, j in self.cells}

    def align(self) -> dict[tuple[int, int], str]:
        """Algorithm 5; the rule that made each link."""
        rules: dict[tuple[int, int], str] = {}
        modules = {
            "final-mark": self.final_marks,
            "identical-sequence": self.ws_align,
            "name": self.ne_align,
            "dependency": self.cw_dep_align,
            "neighbourhood": self.cw_text_align,
            "stop-dependency": self.sw_dep_align,
            "stop-neighbourhood": self.sw_text_align,
        }
        for rule, module in modules.items():
            for cell, is_context in module(set(rules)).items():
                rules[cell] = "dependency-context" if is_context else rule
        return rules

    def final_marks(self, _: Cells) -> dict[tuple[int, int], bool]:
        """As the authors' system does, which the paper does not say."""
        return dict.fromkeys(product(final(self.source), final(self.target)), False)

    def ws_align(self, existing: Cells) -> dict[tuple[int, int], bool]:
        def same(i: int, j: int) -> bool:
            inside = 0 <= i < len(self.source) and 0 <= j < len(self.target)
            return inside and self.source[i].form == self.target[j].form

        runs = []
        for i, j in self.cells:
            if same(i, j) and not same(i - 1, j - 1):
                length = 1
                while same(i + length, j + length):
                    length += 1
                if length >= 2 and not all(w.is_stop for w in self.source[i : i + length]):
                    runs.append((-length, i, j))
        linked: dict[tuple[int, int], bool] = {}
        for minus_length, i, j in sorted(runs):
            for k in range(-minus_length):
                if free(set(linked) | existing, i + k, j + k):
                    linked[i + k, j + k] = False
        return linked

    def ne_align(self, existing: Cells) -> dict[tuple[int, int], bool]:
        linked = dict.fromkeys(existing, False)
        for a, b in product(mentions(self.source), mentions(self.target)):
            for i, j in self.mention_links(a, b, set(linked)):
                linked[i, j] = False
        return {cell: False for cell in linked if cell not in existing}

    def mention_links(self, a: range, b: range, linked: Cells) -> Iterable[tuple[int, int]]:
        if abbreviates(self.source, a, self.target, b):
            return [(a[0], j) for j in b if j not in {q for _, q in linked}]
        if abbreviates(self.target, b, self.source, a):
            return [(i, b[0]) for i in a if i not in {p for p, _ in linked}]
        if len(a) <= len(b):
            return self.part_links(a, b, linked)
        mirrored = Twin(self.t, self.s, lambda _a, _b: 0)
        return [(i, j) for j, i in mirrored.part_links(b, a, {(q, p) for p, q in linked})]

    def part_links(self, part: range, full: range, linked: Cells) -> list[tuple[int, int]]:
        """Link a partial mention in the source with the full one in the target."""
        terms = [self.source[i].form for i in part]
        places = [
            full[k : k + len(part)]
            for k in range(len(full) - len(part) + 1)
            if [self.target[j].form for j in full[k : k + len(part)]] == terms
        ]
        if not places:
            return []
        links = [(i, j) for i, j in zip(part, places[0], strict=True) if free(linked, i, j)]
        if len(part) > 1 or len(full) > 3:
            return links
        elsewhere = {word.form for word in self.source}
        taken = {j for _, j in linked} | set(places[0])
        rest = [
            j
            for j in full
            if j not in taken
            and self.target[j].form not in elsewhere
            and self.target[j].form not in TITLES
        ]
        return links + list(product(part, rest))

    def dep_context(self, i: int, j: int) -> list[tuple[int, int]]:
        """Algorithm 1; a pair of words comes as often as arcs hold it."""
        return [
            (k, l)
            for k, type_s, down_s in self.s.arcs_of(i)
            for l, type_t, down_t in self.t.arcs_of(j)
            if self.similar[k, l] > 0
            and self.source[i].pos == self.target[j].pos
            and self.source[k].pos == self.target[l].pos
            and equivalent(self.source[i].pos, self.source[k].pos, type_s, down_s, type_t, down_t)
        ]

    def text_context(self, i: int, j: int) -> list[tuple[int, int]]:
        """Algorithm 2."""
        return list(product(neighbours(self.source, i), neighbours(self.target, j)))

    def cw_dep_align(self, existing: Cells) -> dict[tuple[int, int], bool]:
        """Algorithm 3."""
        psi, context = {}, {}
        for i, j in self.cells:
            if self.is_candidate(i, j, existing, of_stops=False):
                context[i, j] = self.dep_context(i, j)
                evidence = sum(self.similar[cell] for cell in context[i, j])
                if evidence > 0:
                    psi[i, j] = 9 * self.similar[i, j] + evidence
        linked: dict[tuple[int, int], bool] = {}
        for i, j in by_score(psi):
            if free(linked, i, j):
                linked[i, j] = False
                for k, l in context[i, j]:
                    if free(set(linked) | existing, k, l):
                        linked[k, l] = True
        return linked

    def cw_text_align(self, existing: Cells) -> dict[tuple[int, int], bool]:
        """Algorithm 4."""
        return best_first(
            {
                (i, j): 9 * self.similar[i, j]
                + sum(self.similar[cell] for cell in self.text_context(i, j))
                for i, j in self.cells
                if self.is_candidate(i, j, existing, of_stops=False)
            }
        )

    def sw_dep_align(self, existing: Cells) -> dict[tuple[int, int], bool]:
        """Section 3.3.4: by words that are linked already, under dependencies of the same type."""

        def evidence(i: int, j: int) -> int:
            return sum(
                (k, l) in existing and (type_s, down_s) == (type_t, down_t)
                for k, type_s, down_s in self.s.arcs_of(i)
                for l, type_t, down_t in self.t.arcs_of(j)
            )

        return self.stop_links(existing, evidence)

    def sw_text_align(self, existing: Cells) -> dict[tuple[int, int], bool]:
        """Section 3.3.4: by the left and the right neighbours, where they are linked."""

        def evidence(i: int, j: int) -> int:
            return ((i - 1, j - 1) in existing) + ((i + 1, j + 1) in existing)

        return self.stop_links(existing, evidence)

    def stop_links(
        self, existing: Cells, evidence: Callable[[int, int], int]
    ) -> dict[tuple[int, int], bool]:
        return best_first(
            {
                (i, j): 9 * self.similar[i, j] + 10 * evidence(i, j)
                for i, j in self.cells
                if self.is_candidate(i, j, existing, of_stops=True) and evidence(i, j)
            }
        )

    def is_candidate(self, i: int, j: int, existing: Cells, *, of_stops: bool) -> bool:
        return (
            self.source[i].is_stop == of_stops
            and self.target[j].is_stop == of_stops
            and free(existing, i, j)
            and self.similar[i, j] > 0
        )


def equivalent(
    pos_i: str, pos_k: str, type_s: str, down_s: bool, type_t: str, down_t: bool
) -> bool:
    """Whether (POS(s_i), POS(s_k), type_s, type_t) is in EQ, or the types are the same."""
    head, dependent = (pos_i, pos_k) if down_s else (pos_k, pos_i)
    if down_s == down_t:
        return type_s == type_t or any(
            (head, dependent) == (h, d) and {type_s, type_t} <= types for h, d, types in TABLE_A
        )
    return any(
        ((head, dependent) == (x, y) and type_s in first and type_t in second)
        or ((head, dependent) == (y, x) and type_s in second and type_t in first)
        for x, y, first, second in TABLE_B
    )


def free(linked: Iterable[tuple[int, int]], i: int, j: int) -> bool:
    return all(p != i and q != j for p, q in linked)


def by_score(scores: dict[tuple[int, int], int]) -> list[tuple[int, int]]:
    return sorted(scores, key=lambda cell: (-scores[cell], cell))


def best_first(scores: dict[tuple[int, int], int]) -> dict[tuple[int, int], bool]:
    linked: dict[tuple[int, int], bool] = {}
    for i, j in by_score(scores):
        if free(linked, i, j):
            linked[i, j] = False
    return linked


def neighbours(words: list[Word], i: int) -> list[int]:
    window = range(i - 3, i + 4)
    return [k for k in window if k != i and 0 <= k < len(words) and not words[k].is_stop]


def final(words: list[Word]) -> list[int]:
    """Return the place of the mark that ends a sentence, if one does."""
    last = len(words) - 1
    if last > 0 and words[last].is_mark and words[last].token not in (".", "!", "?"):
        last -= 1
    return [last] if words[last].token in (".", "!", "?") else []


def mentions(words: list[Word]) -> list[range]:
    found, start = [], 0
    for end in range(len(words) + 1):
        if end == len(words) or not words[end].is_name:
            if start < end:
                found.append(range(start, end))
            start = end + 1
    return found


def abbreviates(a: list[Word], acronym: range, b: list[Word], name: range) -> bool:
    first_letters = "".join(b[j].form[0] for j in name)
    return len(acronym) == 1 and len(name) > 1 and a[acronym[0]].initials == first_letters
