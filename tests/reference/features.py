"""Slow, obvious twin of the feature kernels.

A row of features is a dict from names, as in FeatureTable.name, to values. A value that meets the
edge of a bin belongs above it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from tokalign.english.annotate.tags_and_relations import group_of

from reference.pair import MATCHED, NO_PARTNER, ReferencePair, Side
from reference.words import similarities

Row = dict[str, float]
Feature = tuple[str, float]
ROUNDING = 1e-5
FLOOR = -8.0
LIKELY = (0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 0.98)


def name(template: str, *labels: str) -> str:
    return f"{template}[{' '.join(labels)}]"


def bin_label(value: float, *edges: float) -> str:
    """Return the name of the bin that holds a value."""
    above = [edge for edge in edges if value >= edge - ROUNDING]
    below = [edge for edge in edges if edge not in above]
    if not above:
        return f"<{below[0]:g}"
    return f"{above[-1]:g}..{below[0]:g}" if below else f">={above[-1]:g}"


def likely_label(log_probability: float, *edges: float) -> str:
    """Return the name of the bin of probabilities that holds a log-probability."""
    reached = [edge for edge in edges if log_probability >= math.log(edge) - ROUNDING]
    return bin_label(reached[-1] if reached else 0.0, *edges)


def capped(count: int, cap: int) -> str:
    return str(count) if count < cap else f"{cap}+"


class ReferenceRows(ReferencePair):
    """The rows of an annotated pair."""

    def cell_row(self, i: int, j: int) -> Row:
        """Return the features of the link (i, j)."""
        features = itertools.chain(
            self._string(i, j), self._pos(i, j), self._position(i, j), self._wordnet(i, j),
            self._neighbour(i, j), self._lexical(i, j), self._names(i, j), self._context(i, j),
            self._competition(i, j), self._nearness(i, j), self._distributional(i, j),
            self._dependency(i, j), self._neural(i, j), self._anchors(i, j), self._rules(i, j),
        )  # fmt: skip
        return dict(features)

    def _string(self, i: int, j: int) -> Iterator[Feature]:
        a, b = self.words(i, j)
        for similarity, value in similarities(a, b).items():
            if value > 0:
                yield name("string", similarity), value
        if a.lower == b.lower:
            yield name("identical", "ignoring-case"), 1
        if a.form == b.form:
            yield name("identical", "exactly"), 1

    def _pos(self, i: int, j: int) -> Iterator[Feature]:
        a, b = self.words(i, j)
        yield name("pos_match", self.pos_label(i, j)), 1
        yield name("tag_pair", f"{a.tag}-{b.tag}"), 1

    def _position(self, i: int, j: int) -> Iterator[Feature]:
        strength = self.strength_label(i, j)
        distance = self.distance(i, j)
        yield name("position", "distance"), distance
        yield (
            name("position_bin", bin_label(distance, 0.02, 0.05, 0.1, 0.2, 0.35, 0.6), strength),
            1,
        )
        if i == j == 0:
            yield name("edges", "both-first", strength), 1
        n_last = (i == len(self.source) - 1) + (j == len(self.target) - 1)
        if n_last:
            yield name("edges", "both-last" if n_last == 2 else "one-last", strength), 1

    def _wordnet(self, i: int, j: int) -> Iterator[Feature]:
        for relation in self.relations[i, j]:
            yield name("wordnet", relation), 1
        a, b = self.words(i, j)
        if a.lemma == b.lemma:
            yield name("wordnet", "same-lemma"), 1

    def _neighbour(self, i: int, j: int) -> Iterator[Feature]:
        for side, step in (("left", -1), ("right", 1)):
            if (i + step, j + step) not in self.strengths:
                continue
            a, b = self.words(i + step, j + step)
            for label, match in (
                ("identical", a.lower == b.lower),
                ("same-lemma", a.lemma == b.lemma),
                ("same-tag", a.tag == b.tag),
            ):
                if match:
                    yield name("neighbour", side, label), 1

    def _lexical(self, i: int, j: int) -> Iterator[Feature]:
        a, b = self.words(i, j)
        kinds, cases = self.kinds(i, j), f"{a.case}-{b.case}"
        lexical = self.classes[i, j]
        yield name("lexical_class", lexical, kinds, self.coarse_pair(i, j)), 1
        if lexical == "none":
            likeness = bin_label(max(similarities(a, b).values()), 0.2, 0.35, 0.5, 0.65, 0.8)
            yield name("unrelated", likeness, kinds, cases), 1
            if a.is_listed and b.is_listed:
                yield name("function_pair", a.lower, b.lower), 1
        if lexical == "identical":
            yield name("identical_case", kinds, cases), 1
            if a.is_listed:
                yield name("same_word", a.lower), 1
        if a.is_number and b.is_number:
            yield name("number", "equal" if a.canonical == b.canonical else "different"), 1
        if (i, j) in self.acronyms:
            yield name("acronym", "holds"), 1

    def _names(self, i: int, j: int) -> Iterator[Feature]:
        if (i, j) in self.name_parts:
            yield name("name_part", *self.name_parts[i, j]), 10

    def _rules(self, i: int, j: int) -> Iterator[Feature]:
        if (i, j) in self.rules:
            yield name("rule", self.rules[i, j], self.kinds(i, j)), 1

    def _context(self, i: int, j: int) -> Iterator[Feature]:
        group = (self.kinds(i, j), self.strength_label(i, j))
        window, bag, run = self.window(i, j), self.bag(i, j), self.run(i, j)
        if window > 0:
            yield name("window", group[1]), window
        yield name("window_bin", bin_label(window, 0.1, 0.3, 0.6, 1.0, 1.5, 2.2), *group), 1
        if bag > 0:
            yield name("bag", group[1]), bag
        yield name("bag_bin", bin_label(bag, 0.3, 0.7, 1.5, 2.5), *group), 1
        if run:
            content = sum(self.source.words[i].kind == "content" for i, _ in run)
            yield name("run", capped(len(run), 6), group[0]), 1
            yield name("content_run", capped(content, 4), group[0]), 1
        for side, step in (("left", -1), ("right", 1)):
            adjacent = bin_label(self.V(i + step, j + step), 0.1, 0.4, 0.7, 0.9)
            yield name("adjacent", side, adjacent, *group), 1
            yield self._content_neighbour(i, j, side, step), 1
            for skipped, ii, jj in (
                ("target", i + step, j + 2 * step),
                ("source", i + 2 * step, j + step),
            ):
                if self.V(ii, jj) >= MATCHED:
                    yield name("skip", f"{side}-{skipped}", group[1]), 1

    def _content_neighbour(self, i: int, j: int, side: str, step: int) -> str:
        ii, jj = self.source.content_neighbour(i, step), self.target.content_neighbour(j, step)
        match, distance = "edge", "equally-far"
        if ii is not None and jj is not None:
            match = bin_label(self.V(ii, jj), 0.1, 0.4, 0.7, 0.9)
            if max(abs(ii - i), abs(jj - j)) > 3:
                distance = "beyond-3"
            elif abs(ii - i) != abs(jj - j):
                distance = "unequally-far"
        return name("content_neighbour", side, match, distance, self.strength_label(i, j))

    def _competition(self, i: int, j: int) -> Iterator[Feature]:
        group = (self.kinds(i, j), self.strength_label(i, j))
        strength, tension = self.V(i, j), self.tensions[i, j]
        ranks = []
        for line, cells in (("row", self.row(i)), ("column", self.column(j))):
            gap = self.best(cells) - strength
            yield name(f"{line}_gap", bin_label(gap, 0.01, 0.2, 0.5), *group), 1
            others = [cell for cell in cells if cell != (i, j)]
            rivals = [self.tensions[cell] for cell in others]
            ranks.append(sum(rival > tension + ROUNDING for rival in rivals))
            if strength < 0.1:
                continue
            ties = sum(self.V(*cell) >= 0.9 for cell in others)
            yield name(f"{line}_ties", capped(ties, 3 if line == "row" else 4), *group), 1
            margin = bin_label(tension - max([-1.0, *rivals]), -2, -1, -0.4, -0.1, 0.1, 0.4, 1, 2)
            yield name(f"{line}_margin", margin, *group), 1
        if strength >= 0.1:
            places = ("1st", "2nd", "3rd", "4th+")
            row_place = "3rd+" if ranks[0] >= 2 else places[ranks[0]]
            column_place = places[min(ranks[1], 3)]
            yield name("rank", f"row-{row_place}", f"column-{column_place}", *group), 1
        if self.lacks_partner(i, j) and "mark" not in group[0]:
            yield name("residual", self.coarse_pair(i, j)), 1
            window = bin_label(self.window(i, j), 0.1, 0.6, 1.5)
            bag = bin_label(self.bag(i, j), 0.3, 1.2, 2.5)
            yield name("residual_context", window, bag, self.pos_label(i, j)), 1

    def _distributional(self, i: int, j: int) -> Iterator[Feature]:
        if self.source.heads is None or self.target.heads is None:
            return
        similarity, strength = float(self.company[i, j]), self.strength_label(i, j)
        if similarity > 0:
            yield name("distributional", strength), similarity
        label = bin_label(similarity, 0.01, 0.2, 0.4, 0.6, 0.8)
        yield name("distributional_bin", label, self.kinds(i, j), strength), 1

    def _nearness(self, i: int, j: int) -> Iterator[Feature]:
        a, b = self.words(i, j)
        if self.are_paraphrases(i, j) and a.lower != b.lower:
            yield name("paraphrase", self.pos_label(i, j)), 1
        if (i, j) not in self.cosines or self.V(i, j) >= MATCHED:
            return
        near = self.cosines[i, j]
        label = bin_label(near, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
        free = [self.best(self.row(i)) < NO_PARTNER, self.best(self.column(j)) < NO_PARTNER]
        place = ("taken", "one-free", "both-free")[sum(free)]
        yield name("cosine", label, self.pos_label(i, j), place), 1
        if all(free):
            rivals = {c: cosine for c, cosine in self.cosines.items() if self.lacks_partner(*c)}
            is_best = [
                near >= max(cosine for c, cosine in rivals.items() if c[side] == (i, j)[side])
                for side in (0, 1)
            ]
            nearest = {(1, 1): "both", (1, 0): "row", (0, 1): "column", (0, 0): "neither"}
            yield name("nearest", label, nearest[is_best[0], is_best[1]], self.pos_label(i, j)), 1

    def _neural(self, i: int, j: int) -> Iterator[Feature]:
        if self.encoded is None:
            return
        group = (self.kinds(i, j), self.strength_label(i, j))
        both, ranks = [], []
        for direction, encoded, at, label in (
            ("s2t", self.encoded[0], i, j + 1),
            ("t2s", self.encoded[1], j, i + 1),
        ):
            value = float(encoded[at, label])
            rivals = [float(rival) for k, rival in enumerate(encoded[at]) if k != label]
            yield name("neural", direction, group[1]), max(value, FLOOR)
            yield name("neural_bin", direction, likely_label(value, *LIKELY), *group), 1
            margin = max(value, FLOOR) - max(*rivals, FLOOR)
            margin_label = bin_label(margin, -4, -2, -1, -0.3, 0.3, 1, 2, 4)
            yield name("neural_margin", direction, margin_label, *group), 1
            both.append(likely_label(value, 0.02, 0.15, 0.5, 0.9))
            ranks.append(min(2, sum(rival > value + ROUNDING for rival in rivals)))
        yield name("neural_both", *both, *group), 1
        places = ("1st", "2nd", "3rd+")
        yield (
            name("neural_rank", f"row-{places[ranks[0]]}", f"column-{places[ranks[1]]}", *group),
            1,
        )

    def _agreement(self, i: int, j: int) -> str:
        a, b = self.source.relation(i), self.target.relation(j)
        if a == b:
            return "same-relation"
        return "same-group" if group_of(a) == group_of(b) else "other-relation"

    def _dependency(self, i: int, j: int) -> Iterator[Feature]:
        if self.source.heads is None or self.target.heads is None:
            return
        kinds, strength = self.kinds(i, j), self.strength_label(i, j)
        head_i, head_j = self.source.head(i), self.target.head(j)
        if head_i is None or head_j is None:
            heads = "both-roots" if head_i is head_j else "one-root"
        else:
            heads = bin_label(self.V(head_i, head_j), 0.1, 0.4, 0.7, 0.9)
        yield name("head", heads, self._agreement(i, j), kinds, strength), 1
        if self.V(head_i, head_j) >= MATCHED:
            groups = f"{group_of(self.source.relation(i))}-{group_of(self.target.relation(j))}"
            yield name("head_relation", groups, strength), 1
        matches = [self._child_match(child, j) for child in self.source.children(i)]
        for label in ("same-relation", "same-group", "other", "function"):
            yield name("children", label, capped(matches.count(label), 3), strength), 1
        if self.V(head_i, j) >= MATCHED:
            yield name("crossed_head", "source-head", kinds, strength), 1
        if self.V(i, head_j) >= MATCHED:
            yield name("crossed_head", "target-head", kinds, strength), 1
        if self.lacks_partner(i, j) and kinds == "content-content":
            matched = capped(len(matches) - matches.count(""), 2)
            a, b = self.words(i, j)
            same = "same-class" if a.coarse == b.coarse else "other-class"
            yield name("residual_head", heads, self._agreement(i, j), matched, same), 1

    def _child_match(self, child: int, j: int) -> str:
        """Return how a child of a source word matches the best of the target word's children."""
        matched = [
            self._agreement(child, other)
            for other in self.target.children(j)
            if self.V(child, other) >= MATCHED
        ]
        if not matched:
            return ""
        if self.source.words[child].kind != "content":
            return "function"
        for label in ("same-relation", "same-group"):
            if label in matched:
                return label
        return "other"

    def null_row(self, side: Side, at: int) -> Row:
        """Return the features of a token of one side that is left unaligned."""
        return dict(
            itertools.chain(
                self._null(side, at),
                self._null_dependency(side, at),
                self._neural_null(side, at),
                self._null_anchors(side, at),
            )
        )

    def _line(self, side: Side, at: int) -> list[tuple[int, int]]:
        return self.row(at) if side is self.source else self.column(at)

    def _best_label(self, side: Side, at: int | None, otherwise: str) -> str:
        if at is None or not 0 <= at < len(side):
            return otherwise
        return bin_label(self.best(self._line(side, at)), 0.1, 0.4, 0.65, 0.85, 0.97)

    def _match_label(self, side: Side, at: int) -> str:
        return "matched" if self.best(self._line(side, at)) >= MATCHED else "unmatched"

    def _null(self, side: Side, at: int) -> Iterator[Feature]:
        word, match = side.words[at], self._match_label(side, at)
        other = self.target if side is self.source else self.source
        matches = sum(self.V(*cell) >= 0.9 for cell in self._line(side, at))
        yield name("null_bias", "bias"), 1
        yield name("null_tag", word.tag), 1
        yield name("null_best", self._best_label(side, at, ""), word.kind, word.coarse), 1
        yield name("null_matches", capped(matches, 3), word.kind), 1
        if word.is_listed:
            yield name("null_word", word.lower, match), 1
        left, right = (self._best_label(side, at + step, "edge") for step in (-1, 1))
        yield name("null_neighbours", left, right, match, word.kind), 1
        ratio = bin_label(len(side) / len(other), 0.4, 0.7, 1.1, 1.8, 3.0)
        yield name("null_length", ratio, word.kind, match), 1

    def _null_dependency(self, side: Side, at: int) -> Iterator[Feature]:
        if side.heads is None:
            return
        word, match = side.words[at], self._match_label(side, at)
        group = group_of(side.relation(at))
        matched = sum(
            side.words[child].kind == "content" and self._match_label(side, child) == "matched"
            for child in side.children(at)
        )
        yield name("null_relation", group, match, word.kind), 1
        yield name("null_head", self._best_label(side, side.head(at), "root"), group, match), 1
        yield name("null_children", capped(matched, 3), word.kind, match), 1

    def _neural_null(self, side: Side, at: int) -> Iterator[Feature]:
        if self.encoded is None:
            return
        value = float(self.encoded[0 if side is self.source else 1][at, 0])
        best = self.best(self._line(side, at))
        strength = "same" if best >= 0.9 else "related" if best >= 0.4 else "unrelated"
        yield name("neural_null", strength), max(value, FLOOR)
        yield (
            name("neural_null_bin", likely_label(value, *LIKELY), side.words[at].kind, strength),
            1,
        )

    def _share(self, side: Side) -> float:
        """Return the idf share of a side's content words that have a twin on the other side."""
        assert self.frequencies is not None
        content = [at for at, word in enumerate(side.words) if word.kind == "content"]
        idf = {at: self.frequencies.idf(side.words[at].lemma) for at in content}
        twins = [at for at in content if self.best(self._line(side, at)) >= 0.9]
        total = sum(idf.values())
        return sum(idf[at] for at in twins) / total if total else 0.0

    def _anchors(self, i: int, j: int) -> Iterator[Feature]:
        if self.frequencies is None:
            return
        edges = (0.05, 0.2, 0.4, 0.6, 0.8)
        shares = [self._share(side) for side in (self.source, self.target)]
        labels = [bin_label(share, *edges) for share in shares]
        strength = self.strength_label(i, j)
        yield name("anchored", *labels, self.kinds(i, j), strength), 1
        if self.kinds(i, j) != "content-content" or strength == "same":
            return
        larger = bin_label(max(shares), *edges)
        bag = bin_label(self.bag(i, j), 0.3, 1.2, 2.5)
        yield name("anchored_class", larger, bag, self.classes[i, j]), 1
        if (i, j) in self.cosines and self.V(i, j) < MATCHED:
            cosine = bin_label(self.cosines[i, j], 0.1, 0.25, 0.4, 0.5, 0.6)
            yield name("anchored_cosine", larger, cosine, self.pos_label(i, j)), 1

    def _null_anchors(self, side: Side, at: int) -> Iterator[Feature]:
        if self.frequencies is None:
            return
        other = self.target if side is self.source else self.source
        labels = [bin_label(self._share(each), 0.05, 0.2, 0.4, 0.6, 0.8) for each in (side, other)]
        best = self._best_label(side, at, "")
        yield name("null_anchored", *labels, side.words[at].kind, best), 1
