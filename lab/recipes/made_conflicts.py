"""Made conflicts: pairs that say one thing, with one thing changed on one side.

People marked a few hundred conflicts, of nine kinds. Here a sentence of a pair without a conflict,
or a copy of a sentence, is changed in one place as those who err or revise do: another digit, month
or unit, another name, a negation put in or taken out, another modal or word of quantity, an
opposite, two nouns exchanged. The same seed gives the same pairs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from tokalign.types import Sentence
from tokalign.types.relations import ConflictKind

from lab.recipes.contrasts import POS_OF_TAG, Neighbours
from lab.recipes.word_scales import grades_of, words_of
from lab.recipes.wordnet import relation_bit

OTHER_WORDS = {
    ConflictKind.MODALITY: {
        "must": ("may", "should", "need not"), "may": ("must", "shall"),
        "shall": ("may", "should", "need not"),
        "should": ("must", "may"), "can": ("must",), "will": ("may", "might"),
        "might": ("will",), "required": ("allowed",), "allowed": ("required", "forbidden"),
        "optional": ("mandatory",), "mandatory": ("optional",),
    },
    ConflictKind.QUANTITY: {
        "all": ("some", "most", "few"), "some": ("all", "no"), "every": ("no", "one"),
        "most": ("few", "all"), "many": ("few",), "both": ("neither",), "always": ("sometimes",),
        "never": ("always", "often"), "often": ("rarely",), "usually": ("rarely", "always"),
        "each": ("some",), "none": ("all",), "several": ("all",), "rarely": ("often",),
    },
    ConflictKind.CONDITION: {
        "if": ("unless", "until"), "unless": ("if",), "until": ("after", "unless"),
        "except": ("including",), "when": ("unless",), "before": ("unless",),
    },
    ConflictKind.VALUE: {
        "million": ("billion",), "billion": ("million",), "a.m.": ("p.m.",), "p.m.": ("a.m.",),
        "am": ("pm",), "pm": ("am",), "£": ("€", "$"), "€": ("£", "$"), "$": ("€", "£"),
        "hours": ("days", "minutes"), "days": ("weeks", "hours"), "minutes": ("hours", "seconds"),
        "weeks": ("months", "days"), "months": ("weeks", "years"), "metres": ("feet",),
        "kg": ("g",), "mg": ("g", "ml"), "km": ("miles",), "miles": ("km",), "first": ("second",),
        "second": ("third",), "third": ("fifth",), "once": ("twice", "three times"),
        "twice": ("once", "four times"), "daily": ("weekly", "twice a week"),
        "weekly": ("daily", "once a month"), "monthly": ("every week", "every second month"),
    },
}  # fmt: skip
"""Words, and those that take their places, by the kind of conflict that this makes."""
LEAST = ("at least {}", "more than {}", "no fewer than {}", "{} or more", "not less than {}")
MOST = ("at most {}", "fewer than {}", "no more than {}", "{} or fewer", "up to {}")
_SERIES = (
    ("january", "february", "march", "april", "may", "june", "july", "august", "september",
     "october", "november", "december"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
)  # fmt: skip
DENIED = frozenset(
    (
        "is", "are", "was", "were", "can", "could", "will", "would", "should", "must", "may", "has",
        "have", "had", "does", "do", "did", "be",
    )
)  # fmt: skip
"""Words behind which "not" is put."""
NOUNS = frozenset(("NN", "NNS", "NNP"))
CHANCES = {ConflictKind.OPPOSITE: 0.5, ConflictKind.ROLES: 0.3}
"""Chance that a kind is tried; the others always are."""
CONTENT_TAGS = ("NN", "VB", "JJ", "RB")
CONDITIONS = frozenset(("if", "unless", "until", "provided"))
SHORTEST = 4
"""Tokens of a copy, at least."""
LEAST_NOUN_GAP = 2
"""Tokens between nouns that are exchanged, at least."""


class Replacement(NamedTuple):
    """A replacement: the first token and the one past the last, and what takes their places."""

    start: int
    end: int
    new: tuple[str, ...]


class MadeConflict(NamedTuple):
    """A pair with one conflict, marked as the corpus marks them."""

    source: Sentence
    target: Sentence
    conflicts: list[dict[str, Any]]


Maker: TypeAlias = Callable[[Sentence], list[list[Replacement]]]
"""Returns ways to change a sentence; a way has one change, or two that belong together."""


def _like(token: str, other: str) -> str:
    """Return a word with the capital that another one has."""
    return other.capitalize() if token[:1].isupper() else other


class ConflictMaker:
    """Makes conflicts.

    Parameters
    ----------
    sentences : sequence of Sentence
        With tags and lemmas; names are taken from them.
    seed : int
    without : sequence of ConflictKind
        Kinds that are not made.
    """

    def __init__(
        self, sentences: Sequence[Sentence], seed: int, without: Sequence[ConflictKind] = ()
    ) -> None:
        self._chance = random.Random(seed)
        self._neighbours = Neighbours()
        self._antonym = relation_bit("antonym")
        self._names = sorted(
            {
                token
                for each in sentences
                for token, tag in zip(each.tokens, each.tags or (), strict=True)
                if tag == "NNP" and token.isalpha() and token.istitle() and len(token) > 2
            }
        )
        makers: dict[ConflictKind, Maker] = {
            ConflictKind.VALUE: self._values,
            ConflictKind.NAME: self._other_names,
            ConflictKind.NEGATION: self._negations,
            ConflictKind.MODALITY: lambda s: self._other_words(s, ConflictKind.MODALITY),
            ConflictKind.QUANTITY: lambda s: self._other_words(s, ConflictKind.QUANTITY),
            ConflictKind.OPPOSITE: self._opposites,
            ConflictKind.ROLES: self._exchanged,
            ConflictKind.CONDITION: lambda s: self._other_words(s, ConflictKind.CONDITION),
            ConflictKind.CODE: self._codes,
        }
        self._makers = {kind: make for kind, make in makers.items() if kind not in without}

    def change(
        self, source: Sentence, target: Sentence, links: frozenset[tuple[int, int]]
    ) -> MadeConflict | None:
        """Return the pair with its target changed, or None if nothing can be.

        Parameters
        ----------
        source, target : Sentence
            The target has tags and lemmas.
        links : frozenset of (int, int)
            Only what is linked with an equal word is changed.
        """
        partners: dict[int, list[int]] = {}
        for i, j in sorted(links):
            if source.tokens[i].lower() == target.tokens[j].lower():
                partners.setdefault(j, []).append(i)
        kinds = [kind for kind in self._makers if self._chance.random() < CHANCES.get(kind, 1.0)]
        self._chance.shuffle(kinds)
        for kind in kinds:
            ways = [
                way
                for way in self._makers[kind](target)
                if all(partners.get(min(each.start, len(target) - 1)) for each in way)
            ]
            if ways:
                return _written(source, target, partners, kind, self._chance.choice(ways))
        return None

    def _values(self, sentence: Sentence) -> list[list[Replacement]]:
        found = self._other_words(sentence, ConflictKind.VALUE)
        for at, token in enumerate(sentence.tokens):
            for series in _SERIES:
                if token.lower() in series and (token != "may" and token != "march"):
                    other = self._chance.choice([e for e in series if e != token.lower()])
                    found.append([Replacement(at, at + 1, (_like(token, other),))])
            if any(map(str.isdigit, token)) and not any(map(str.isalpha, token)):
                found.append([Replacement(at, at + 1, (self._other_number(token),))])
        return found

    def _other_number(self, token: str) -> str:
        places = [at for at, letter in enumerate(token) if letter.isdigit()]
        match self._chance.randrange(4):
            case 0 if "." in token.strip("."):
                return token.replace(".", "", 1)
            case 1 if len(places) == len(token):
                return f"{token}0"
            case 2 if len(places) > 1:
                one, other = self._chance.sample(places, 2)
                digits = list(token)
                digits[one], digits[other] = digits[other], digits[one]
                if "".join(digits) != token:
                    return "".join(digits)
        return self._with_other_digit(token, places)

    def _with_other_digit(self, token: str, places: Sequence[int]) -> str:
        at = self._chance.choice(places)
        other = self._chance.choice([each for each in "123456789" if each != token[at]])
        return token[:at] + other + token[at + 1 :]

    def _codes(self, sentence: Sentence) -> list[list[Replacement]]:
        return [
            [Replacement(at, at + 1, (self._with_other_digit(token, places),))]
            for at, token in enumerate(sentence.tokens)
            if any(map(str.isalpha, token))
            and (places := [k for k, letter in enumerate(token) if letter.isdigit()])
        ]

    def _other_names(self, sentence: Sentence) -> list[list[Replacement]]:
        return [
            [Replacement(at, at + 1, (self._chance.choice(self._names),))]
            for at, (token, tag) in enumerate(
                zip(sentence.tokens, sentence.tags or (), strict=True)
            )
            if tag == "NNP" and token.isalpha() and len(token) > 2
        ]

    def _negations(self, sentence: Sentence) -> list[list[Replacement]]:
        found = []
        tokens = sentence.tokens
        for at, token in enumerate(tokens):
            if token.lower() in ("not", "n't"):
                before = {"wo": "will", "ca": "can"}.get(tokens[at - 1].lower(), tokens[at - 1])
                found.append([Replacement(at - 1, at + 1, (before,))] if at else [])
            elif (
                token.lower() in DENIED
                and at + 1 < len(tokens)
                and tokens[at + 1] not in ("not", "n't", "?")
            ):
                found.append([Replacement(at, at + 1, (token, "not"))])
        return [each for each in found if each]

    def _other_words(self, sentence: Sentence, kind: ConflictKind) -> list[list[Replacement]]:
        return [
            [Replacement(at, at + 1, tuple(_like(token, self._chance.choice(others)).split()))]
            for at, token in enumerate(sentence.tokens)
            if (others := OTHER_WORDS[kind].get(token.lower()))
            and not (kind is ConflictKind.MODALITY and (sentence.tags or ())[at] == "NNP")
        ]

    def _opposites(self, sentence: Sentence) -> list[list[Replacement]]:
        found = []
        columns = zip(
            sentence.tokens, sentence.tags or (), sentence.lemmas or sentence.tokens, strict=True
        )
        for at, (token, tag, lemma) in enumerate(columns):
            others = [
                other
                for scale, grade in grades_of(token.lower())
                for other, another in words_of(scale)
                if grade * another < 0 and abs(grade) > 1 and scale not in ("sex", "negation")
            ]
            if tag[:2] not in CONTENT_TAGS:
                continue
            if tag in POS_OF_TAG and token == lemma:
                others += self._neighbours.related(token, POS_OF_TAG[tag], self._antonym)
            if others:
                other = _like(token, self._chance.choice(sorted(others)))
                found.append([Replacement(at, at + 1, (other,))])
        return found

    def _exchanged(self, sentence: Sentence) -> list[list[Replacement]]:
        tags, tokens = sentence.tags or (), sentence.tokens
        nouns = [at for at, tag in enumerate(tags) if tag in NOUNS and tokens[at].isalpha()]
        return [
            [
                Replacement(one, one + 1, (_like(tokens[one], tokens[other]),)),
                Replacement(other, other + 1, (tokens[one],)),
            ]
            for one in nouns
            for other in nouns
            if one + LEAST_NOUN_GAP <= other
            and tags[one] == tags[other]
            and tokens[one].lower() != tokens[other].lower()
        ]


def _written(
    source: Sentence,
    target: Sentence,
    partners: dict[int, list[int]],
    kind: ConflictKind,
    way: Sequence[Replacement],
) -> MadeConflict:
    tokens: list[str] = []
    conflicts = []
    last = 0
    for start, end, new in way:
        tokens += target.tokens[last:start]
        there = sorted({i for at in range(start, end) for i in partners.get(at, ())})
        own = list(range(len(tokens), len(tokens) + len(new)))
        conflicts.append({"kind": kind.value, "source": there, "target": own})
        tokens += new
        last = end
    tokens += target.tokens[last:]
    return MadeConflict(source, Sentence.from_tokens(tokens), conflicts)


def faced_bounds(sentence: Sentence, chance: random.Random) -> Iterator[MadeConflict]:
    """Yield a sentence with a number of things, if it has one, with a bound for it on both sides:
    once bounds that face each other, and once two of one direction, which are no conflict."""
    tags, tokens = sentence.tags or (), sentence.tokens
    for at, tag in enumerate(tags[1:]):
        if tag.startswith("NN") and tokens[at].isdigit():
            sides = chance.sample([LEAST, MOST], 2)
            for kinds in (sides, sides[:1] * 2):
                bounds = [chance.choice(each).format(tokens[at]).split() for each in kinds]
                source, target = (
                    Sentence.from_tokens((*tokens[:at], *bound, *tokens[at + 1 :]))
                    for bound in bounds
                )
                places = [[at + bound.index(tokens[at])] for bound in bounds]
                mark = {"kind": "quantity", "source": places[0], "target": places[1]}
                yield MadeConflict(source, target, [mark] if kinds is sides else [])
            return


def dropped_condition(sentence: Sentence) -> Iterator[MadeConflict]:
    """Yield a sentence that has a tree, if it has a condition, beside a copy without its first."""
    heads, relations = sentence.heads or (), sentence.relations or ()
    for at, token in enumerate(sentence.tokens):
        top = heads[at]
        is_condition = token.lower() in CONDITIONS and relations[at] == "mark"
        if not is_condition or not relations[top].startswith("advcl"):
            continue
        clause = {top}
        while more := {k for k, head in enumerate(heads) if head in clause} - clause:
            clause |= more
        kept = [k for k in range(len(sentence)) if k not in clause]
        if heads[top] in kept and len(kept) >= SHORTEST:
            copy = Sentence.from_tokens([sentence.tokens[k] for k in kept])
            mark = {"kind": "condition", "source": [at], "target": [kept.index(heads[top])]}
            yield MadeConflict(sentence, copy, [mark])
            return


def made_conflicts(
    pairs: Sequence[tuple[Sentence, Sentence, frozenset[tuple[int, int]]]],
    seed: int,
    without: Sequence[ConflictKind] = (),
) -> Iterator[MadeConflict]:
    """Yield each pair with a conflict, if one can be made; targets have tags and lemmas."""
    maker = ConflictMaker([target for _, target, _ in pairs], seed, without)
    for source, target, links in pairs:
        made = maker.change(source, target, links)
        if made is not None:
            yield made
