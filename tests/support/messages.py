"""Hypothesis strategies for messages on the wire."""

import dataclasses

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tokalign.codec.options import RequestOptions
from tokalign.codec.servers import ModelInfo, ServerInfo, ServerLimits
from tokalign.types import Alignment, FeatureContribution, Link, LinkExplanation, Sentence
from tokalign.types.edits import Change, Edit, EditKind
from tokalign.types.links import Phrase
from tokalign.types.options import (
    AlignOptions,
    Detail,
    Direction,
    OffsetUnit,
    RankBy,
    Symmetrization,
)
from tokalign.types.ranking import Judgement
from tokalign.types.relations import Conflict, ConflictKind, ConflictReason, Relation, RelationKind

SHARES = st.floats(0, 1, width=32)
SINGLES = st.floats(allow_nan=False, width=32)
DOUBLES = st.floats(allow_nan=False)
NAMES = st.text(max_size=8)
WORDS = st.text(st.characters(exclude_categories=["Cs", "Z", "C"]), min_size=1, max_size=6)
ALIGN_OPTIONS = st.sampled_from(Detail).flatmap(
    lambda detail: st.builds(
        AlignOptions,
        symmetrization=st.sampled_from(Symmetrization),
        style=NAMES,
        min_confidence=SHARES,
        explain=st.booleans(),
        offsets=st.sampled_from(OffsetUnit),
        detail=st.just(detail),
        truncate=st.booleans(),
        effort=st.floats(0, 1),
        # Scores alone go with none of these.
        **dict.fromkeys(
            ("posteriors", "phrases", "relations", "edits"),
            st.just(value=False) if detail is Detail.SCORES else st.booleans(),
        ),
    )
)
REQUEST_OPTIONS = st.builds(RequestOptions, NAMES, NAMES, ALIGN_OPTIONS)


def columns(n_tokens, entries):
    return st.none() | st.lists(entries, min_size=n_tokens, max_size=n_tokens).map(tuple)


@st.composite
def sentences(draw):
    """Return a checked sentence with any of its columns; its tokens lie in its text."""
    tokens = draw(st.lists(WORDS, min_size=1, max_size=6))
    # The first token is the root, and every other one depends on one before it.
    heads = draw(
        st.none() | st.tuples(st.just(-1), *(st.integers(0, i) for i in range(len(tokens) - 1)))
    )
    relations = None if heads is None else draw(st.tuples(*[WORDS] * len(tokens)))
    return Sentence.from_tokens(
        tokens,
        text=draw(st.sampled_from([None, "  ".join(tokens), "(" + " ".join(tokens) + ")"])),
        tags=draw(columns(len(tokens), WORDS)),
        lemmas=draw(columns(len(tokens), WORDS)),
        heads=heads,
        relations=relations,
    )


EXPLANATIONS = st.builds(
    LinkExplanation,
    source=st.integers(-1, 600),
    target=st.integers(-1, 600),
    direction=st.sampled_from(Direction),
    score=DOUBLES,
    features=st.lists(st.builds(FeatureContribution, NAMES, SINGLES, SINGLES), max_size=3).map(
        tuple
    ),
    runner_up=st.integers(-1, 600),
    margin=DOUBLES,
)


RELATIONS = st.lists(SHARES, min_size=len(RelationKind), max_size=len(RelationKind)).map(
    Relation.of
)
PHRASES = st.builds(Phrase, *[st.integers(0, 600)] * 4, SHARES, st.none() | RELATIONS)
CONFLICTS = st.builds(
    Conflict,
    st.sampled_from(ConflictKind),
    st.integers(0, 600),
    st.integers(0, 600),
    SHARES,
    st.tuples(st.integers(0, 600), st.integers(0, 600)),
    st.tuples(st.integers(0, 600), st.integers(0, 600)),
    st.sampled_from(ConflictReason),
)
RUNS = st.builds(
    lambda start, n: tuple(range(start, start + n)), st.integers(0, 600), st.integers(0, 3)
)
EDITS = st.builds(Edit, st.sampled_from(EditKind), RUNS, RUNS, st.none() | st.sampled_from(Change))


JUDGEMENTS = st.builds(
    Judgement,
    by=st.sampled_from([by for by in RankBy if by is not RankBy.AUTO]),
    score=SHARES,
    evidence=st.lists(st.builds(FeatureContribution, NAMES, SINGLES, SINGLES), max_size=3).map(
        tuple
    ),
)


@st.composite
def alignments(draw):
    source, target = draw(sentences()), draw(sentences())
    shape = len(source), len(target)
    cells = [(i, j) for i in range(shape[0]) for j in range(shape[1])]
    links = draw(st.dictionaries(st.sampled_from(cells), SHARES))
    of_links = RELATIONS if draw(st.booleans()) else st.none()
    return Alignment(
        source=source,
        target=target,
        links=tuple(Link(*cell, links[cell], draw(of_links)) for cell in sorted(links)),
        score=draw(SHARES),
        similarity=draw(SHARES),
        model=draw(NAMES),
        version=draw(NAMES),
        symmetrization=draw(st.sampled_from(Symmetrization)),
        posteriors=draw(st.none() | hnp.arrays(np.float32, shape, elements=SHARES)),
        explanations=draw(st.lists(EXPLANATIONS, max_size=3).map(tuple)),
        phrases=draw(st.lists(PHRASES, max_size=3).map(tuple)),
        source_truncated=draw(st.booleans()),
        target_truncated=draw(st.booleans()),
        distance=draw(st.none() | st.floats(0, 1e9)),
        target_covered=draw(SHARES),
        covered=draw(SHARES),
        agreement=draw(SHARES),
        cosine=draw(st.none() | st.floats(-1, 1)),
        encoded=draw(st.none() | st.booleans()),
        conflicts=draw(st.lists(CONFLICTS, max_size=3).map(tuple)),
        edits=draw(st.lists(EDITS, max_size=3).map(tuple)),
    )


MODELS = st.builds(
    ModelInfo,
    corpora=st.lists(NAMES, max_size=3).map(tuple),
    feature_groups=st.lists(NAMES, max_size=3).map(tuple),
    symmetrizations=st.lists(st.sampled_from(Symmetrization), unique=True).map(tuple),
    **dict.fromkeys(("name", "version", "digest", "description"), NAMES),
    **dict.fromkeys(("uses_trees", "is_default", "is_system"), st.booleans()),
)
LIMITS = st.builds(
    ServerLimits,
    **{each.name: st.integers(0, 2**32 - 1) for each in dataclasses.fields(ServerLimits)},
)
SERVER_INFOS = st.builds(
    ServerInfo,
    server_version=NAMES,
    models=st.lists(MODELS, max_size=2).map(tuple),
    annotators=st.lists(NAMES, max_size=3).map(tuple),
    limits=LIMITS,
)
