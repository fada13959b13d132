"""The parsing kernel against the same transitions in plain Python, over the shipped table.

The templates below are in the kernel's order; a value is written as one tuple of (bits, field),
packed left to right as the kernel packs it.
"""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from tokalign.english.annotate.tagger_and_parser import Parser
from tokalign.english.annotate.tagging import Forms

from lab.kernels.doors import feature_slot

PARSER = Parser.load()
ACTIONS = PARSER.action_weights
LABELS = PARSER.label_weights
SHIFT, LEFT, RIGHT = range(3)
ROOT_TAG, NO_TAG, NO_LABEL = 62, 63, 63


class Node:
    def __init__(self, word=0, suffix=0, tag=NO_TAG):
        self.word, self.suffix, self.tag = word, suffix, tag
        self.label, self.head = NO_LABEL, None
        self.lefts, self.rights, self.labels = [], [], 0


NONE = Node()


def distance(a, b):
    gap = abs(a - b)
    return gap if gap <= 4 else 5 if gap <= 6 else 6 if gap <= 10 else 7


def tags(*nodes):
    value = 0
    for node in nodes:
        value = value * 64 + node.tag
    return value


def both(a, b):
    return a << 32 | b


def wt(node):
    return both(node.word, node.tag)


def last(children, k=1):
    return children[-k] if len(children) >= k else None


class State:
    def __init__(self, rows, tag_ids):
        self.n = len(rows)
        self.nodes = [
            Node(row["lower"], row["suffix3"], tag) for row, tag in zip(rows, tag_ids, strict=True)
        ]
        self.nodes.append(Node(1, 0, ROOT_TAG))
        self.stack, self.next = [], 0

    def node(self, index):
        return NONE if index is None or not 0 <= index <= self.n else self.nodes[index]

    def on_stack(self, k):
        return self.stack[-k] if len(self.stack) >= k else None

    def action_features(self):
        i0, i1, j0 = self.on_stack(1), self.on_stack(2), self.next
        s0, s1, s2 = self.node(i0), self.node(i1), self.node(self.on_stack(3))
        b0, b1, b2 = self.node(j0), self.node(j0 + 1), self.node(j0 + 2)
        s0l, s0r = self.node(last(s0.lefts)), self.node(last(s0.rights))
        s1l, s1r = self.node(last(s1.lefts)), self.node(last(s1.rights))
        b0l = self.node(last(b0.lefts))
        s0l2, s1r2 = self.node(last(s0.lefts, 2)), self.node(last(s1.rights, 2))
        gap = 8 if i0 is None else distance(i0, j0)
        gap1 = 8 if i1 is None else distance(i1, i0)
        s0n = min(len(s0.lefts), 3) * 4 + min(len(s0.rights), 3)
        s1n = min(len(s1.lefts), 3) * 4 + min(len(s1.rights), 3)
        b0n = min(len(b0.lefts), 3)
        pair, pair1, core = tags(s0, b0), tags(s1, s0), tags(s1, s0, b0)
        return [
            (s0.word, 0), (s0.tag, 0), (wt(s0), 0), (s1.word, 0), (s1.tag, 0), (wt(s1), 0),
            (b0.word, 0), (b0.tag, 0), (wt(b0), 0), (b1.word, b1.tag), (b2.word, b2.tag),
            (s2.word, s2.tag), (b1.tag, b2.tag), (s0.word, b0.word), (wt(s0), b0.tag),
            (wt(b0), s0.tag), (pair, 0), (s1.word, s0.word), (wt(s1), s0.tag), (wt(s0), s1.tag),
            (pair1, 0), (s1.word, b0.word), (tags(s1, b0), 0), (tags(b0, b1), b0.word),
            (tags(b0, b1), b1.word), (tags(b0, b1, b2), 0), (tags(s0, b0, b1), 0),
            (tags(s0, b0, b1), b2.tag), (core, 0), (core, b1.tag), (tags(s2, s1, s0), 0),
            (core, s2.tag), (tags(s0, s0l, b0), 0), (tags(s0, s0r, b0), 0), (tags(s0, b0, b0l), 0),
            (tags(s1, s0, s0l), 0), (tags(s1, s1r, s0), 0), (tags(s1, s1l, s0), 0),
            (tags(s1, s0, s0r), 0), (tags(s1, s1r, b0), s0.tag), (gap, s0.word), (gap, b0.word),
            (gap, pair), (gap1, pair1), (gap1, core), (s0n, wt(s0)), (s0n, pair), (s1n, pair1),
            (b0n, pair), (b0n, wt(b0)), (s1n, wt(s1)), (s0.labels, pair), (s1.labels, pair1),
            (b0.labels, pair), (s0.labels, s0.word), (s1.labels, s1.word), (b0.labels, b0.word),
            (s0l.word, pair), (s0r.word, pair), (b0l.word, pair), (s1r.word, pair1),
            (s0l.word, both(b0.word, s0.tag)), (s0l.word, both(s1.word, s0.tag)),
            (s0.labels, core), (both(s0.suffix, b0.suffix), 0), (both(s1.suffix, s0.suffix), 0),
            (both(b0.word, s0.word), s1.word), (both(s1.word, s0.tag), b0.tag),
            (both(s1.tag, s0.word), b0.tag), (both(s1.tag, s0.tag), b0.word),
            (tags(s0, s0l2, s0l), pair), (tags(s1, s1r2, s1r), s0.tag),
        ]  # fmt: skip

    def label_features(self, head, child):
        h, d = self.node(head), self.node(child)
        dp, dn = self.node(child - 1), self.node(child + 1)
        hp, hn = self.node(head - 1), self.node(head + 1)
        dl, dr = self.node(last(d.lefts)), self.node(last(d.rights))
        side = (head < child) * 8 + distance(head, child)
        pair = tags(h, d) * 2 + (head < child)
        around = tags(dp, dn)
        return [
            (d.word, 0), (d.tag, side), (d.suffix, d.tag), (h.word, 0), (h.tag, side), (pair, 0),
            (pair, distance(head, child)), (both(h.word, d.word), int(head < child)),
            (pair, d.word), (pair, h.word), (dp.tag, pair), (dn.tag, pair), (dp.word, d.tag),
            (dn.word, d.tag), (hp.tag, pair), (hn.tag, pair), (dl.word, pair),
            (tags(dl, dr), pair), (d.labels, 0), (d.labels, d.tag), (d.labels, pair),
            (h.labels, 0), (h.labels, d.tag), (h.labels, pair), (h.labels, both(d.tag, h.word)),
            (dl.word, h.word), (self.node(last(h.lefts)).label, pair),
            (self.node(last(h.rights)).label, pair), (d.word, d.tag), (dl.word, d.word),
            (around, d.word), (h.suffix, pair), (around, pair), (dn.word, d.word),
            (len(h.rights) * 8 + len(h.lefts), pair), (d.labels, both(d.word, h.tag)),
        ]  # fmt: skip

    def valid(self):
        if self.next < self.n:
            yield SHIFT
        if len(self.stack) == 1 or (len(self.stack) > 1 and self.next < self.n):
            yield LEFT
        if len(self.stack) > 1:
            yield RIGHT


def best(weights, first_template, features, choices):
    bits = len(weights).bit_length() - 1
    slots = [feature_slot(first_template + k, a, b, bits) for k, (a, b) in enumerate(features)]
    scores = weights[slots].astype(int).sum(axis=0)
    return max(choices, key=lambda choice: (scores[choice], -choice))


def reference_parse(rows, tag_ids):
    state = State(rows, tag_ids)
    while state.stack or state.next < state.n:
        action = best(ACTIONS, 0, state.action_features(), list(state.valid()))
        if action == SHIFT:
            state.stack.append(state.next)
            state.next += 1
            continue
        child = state.stack[-1]
        head = state.next if action == LEFT else state.stack[-2]
        found = state.label_features(head, child)
        label = best(LABELS, 100, found, range(len(PARSER.labels)))
        node = state.nodes[head]
        state.nodes[child].head, state.nodes[child].label = head, label
        (node.lefts if child < head else node.rights).append(child)
        node.labels |= 1 << label
        state.stack.pop()
    return [
        (node.head if node.head < state.n else -1, node.label) for node in state.nodes[: state.n]
    ]


WORDS = "the dog barked loudly at a man who was reading in Paris , and ( it ran away ) ."
tagged_words = st.tuples(st.sampled_from(WORDS.split()), st.integers(0, len(PARSER.tags) - 1))
sentences = st.lists(
    st.lists(
        st.tuples(st.sampled_from(WORDS.split()), st.integers(0, len(PARSER.tags) - 1)), max_size=12
    ),
    max_size=3,
)


@settings(max_examples=60, deadline=None)
@given(sentences)
def test_kernel_equals_reference(batch):
    forms = Forms([[word for word, _ in sentence] for sentence in batch])
    tag_ids = [tag for sentence in batch for _, tag in sentence]
    names = [PARSER.tags[tag] for tag in tag_ids]
    heads, labels = PARSER.parse_ids(forms, PARSER.tag_ids(names))
    rows = forms.rows()
    expected = []
    for start, end in pairwise(forms.offsets_list()):
        expected += reference_parse(rows[start:end], tag_ids[start:end])
    assert list(zip(heads.tolist(), labels.tolist(), strict=True)) == expected


@settings(max_examples=60, deadline=None)
@given(sentences.map(lambda batch: [sentence for sentence in batch if sentence]))
def test_every_parse_is_a_tree_with_one_root(batch):
    words = [[word for word, _ in sentence] for sentence in batch]
    tags = [[PARSER.tags[tag] for _, tag in sentence] for sentence in batch]
    for heads, relations in PARSER.parse(words, tags):
        assert heads.count(-1) == 1
        assert len(relations) == len(heads)
        for child in range(len(heads)):
            seen = set()
            while child != -1:
                assert child not in seen
                seen.add(child)
                child = heads[child]
