"""The tagging kernel against the same arithmetic in plain Python, over the shipped table."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from tokalign.english.annotate.tagger_and_parser import Tagger
from tokalign.english.annotate.tagging import Forms
from tokalign.files.shipped import LISTS

from lab.kernels.doors import feature_slot

TAGGER = Tagger.load()
START = 63

WORDS = """The the dog barks bark quickly U.S. 1994 15-year ( -LRB- `` '' " , . n't 's naïve NASA
I"""
words = st.sampled_from(WORDS.split())
tokens = st.one_of(words, st.text(min_size=1, max_size=8))
IN_TITLES = """Firm Sells Old Plant Loss Price NASA's U.S. İ Ann Bree Kuhl of the in 's 7 , ran"""
titles = st.lists(
    st.one_of(
        st.sampled_from(IN_TITLES.split()[:12]),
        st.sampled_from([*IN_TITLES.split()[12:], "A" * 64, "Plant" * 13]),
    ),
    max_size=9,
)
shouted = titles.map(lambda row: [*map(str.upper, row)])
sentences = st.lists(
    st.one_of(st.lists(tokens, max_size=12), titles, shouted),
    max_size=4,
)


def lexicon():
    keys, values = TAGGER.lexicon_keys, TAGGER.lexicon_values
    return {key: value for key, value in zip(keys.tolist(), values.tolist(), strict=True) if key}


CLASSES = lexicon()
BITS = len(TAGGER.weights).bit_length() - 1
TITLE_WORDS = LISTS.words("title-words")
MISSING = {"lower": 0, "suffix3": 0, "suffix2": 0, "shape": 0}


def features(rows, classes, i, tag1, tag2, case):
    """Every feature as (value a, value b), in template order."""
    n = len(rows)
    w = rows[i]
    previous = rows[i - 1] if i >= 1 else MISSING
    before = rows[i - 2] if i >= 2 else MISSING
    following = rows[i + 1] if i + 1 < n else MISSING
    after = rows[i + 2] if i + 2 < n else MISSING
    c0 = classes[i]
    c1 = classes[i + 1] if i + 1 < n else 1
    c2 = classes[i + 2] if i + 2 < n else 1
    tags = tag1 * 64 + tag2
    return [
        (w["form"], 0),
        (w["lower"], 0),
        (previous["lower"], 0),
        (before["lower"], 0),
        (following["lower"], 0),
        (after["lower"], 0),
        (w["prefix1"], 0),
        (w["prefix2"], 0),
        (w["prefix3"], 0),
        (w["suffix1"], 0),
        (w["suffix2"], 0),
        (w["suffix3"], 0),
        (w["suffix4"], w["shape"]),
        (w["shape"], case * 2 + (i == 0)),
        (tag1, 0),
        (tags, 0),
        (tag1, w["lower"]),
        (tag1, following["lower"]),
        (tags, w["suffix3"]),
        (w["lower"], following["lower"]),
        (w["lower"], previous["lower"]),
        (previous["lower"], following["lower"]),
        (following["suffix3"], w["suffix2"]),
        (following["suffix2"], following["shape"]),
        (previous["shape"], w["shape"]),
        (following["shape"], w["shape"]),
        (previous["suffix3"], tag1),
        (c0, tag1),
        (c0, c1),
        (c1 << 32 | c2, tag1),
        (c1, w["suffix3"]),
        (c0 << 32 | c1, tags),
        (w["lower"], c1),
        (c0, tags << 32 | w["suffix2"]),
    ]


def is_often_a_name(lower):
    """Return whether a word is unknown to the lexicon, or most often a proper noun there."""
    code = CLASSES.get(lower, 0) - 1
    while code >= 64:
        code //= 64
    return code <= 0 or TAGGER.tags[code - 1] in ("NNP", "NNPS")


def as_tagged(sentence):
    """Return a sentence, in lower case if it is titled."""
    rows = Forms([sentence]).rows()
    lower, upper = 1, 2
    if any(
        row["case"] == lower and token.replace("’", "'") not in TITLE_WORDS
        for token, row in zip(sentence, rows, strict=True)
    ):
        return sentence
    often = [is_often_a_name(row["lower"]) for row in rows[1:] if row["case"] & upper]
    n_plain = often.count(False)
    if n_plain < 3 or 2 * n_plain < len(often):
        return sentence
    return [
        token if len(token) > 64 else "".join(letter.lower()[0] for letter in token)
        for token in sentence
    ]


def reference_tags(rows):
    """Greedy tagging, one token after the other."""
    weights = TAGGER.weights
    classes = [CLASSES.get(row["lower"], 0) for row in rows]
    case = 0
    for row in rows:
        case |= row["case"]
    tags = []
    tag1 = tag2 = START
    for i, row in enumerate(rows):
        if row["fixed"]:
            tag = TAGGER.tags.index("``" if row["fixed"] == 1 else "''")
        else:
            found = features(rows, classes, i, tag1, tag2, case)
            slots = [feature_slot(k, a, b, BITS) for k, (a, b) in enumerate(found)]
            scores = weights[slots].astype(int).sum(axis=0)[: len(TAGGER.tags)]
            tag = int(scores.argmax())
        tags.append(tag)
        tag1, tag2 = tag, tag1
    return tags


@settings(max_examples=100, deadline=None)
@given(sentences)
def test_kernel_equals_reference(batch):
    forms = Forms([as_tagged(sentence) for sentence in batch])
    rows, offsets = forms.rows(), forms.offsets_list()
    expected = []
    for start, end in pairwise(offsets):
        expected += reference_tags(rows[start:end])
    assert TAGGER.tag_ids(batch).tolist() == expected
