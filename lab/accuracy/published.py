"""The papers' main tables: published figures, and what of this project stands beside them."""

from __future__ import annotations

from dataclasses import dataclass

from tokalign.types.options import DEFAULT_SYMMETRIZATION, Symmetrization

CORPORA = {
    "RTE2": "msr_rte2/RTE2_dev_M.align.txt",
    "Edinburgh++": "edinburgh/gold.train.sure.json",
}
NOTES = {
    "RTE2": "published: test half, 800 pairs; here: development half, 800 pairs, majority vote",
    "Edinburgh++": "published: test half, 306 pairs; here: training half, 714 pairs",
}
Figures = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A published row.

    Attributes
    ----------
    system : str
        As the paper calls it.
    published : tuple of float or None
        P, R, F1 and E in percent; None where the paper has none.
    name : str
        Of tokalign.systems.SYSTEMS or tokalign.model.training.PUBLISHED; empty without one.
    direction : Symmetrization
        Of what is trained.
    why : str
        Why there is nothing beside it, or what else differs.
    """

    system: str
    published: Figures
    name: str = ""
    direction: Symmetrization = DEFAULT_SYMMETRIZATION
    why: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a paper, or the part of it on one corpus."""

    title: str
    corpus: str
    rows: tuple[Row, ...]


OWN_TREES = "trees: this project's Universal Dependencies; the paper's: Stanford"
ABSENT = "not part of this project"
S2T, T2S = Symmetrization.SOURCE_TO_TARGET, Symmetrization.TARGET_TO_SOURCE
GIZA, STANFORD, MANLI, CONSTRAINT = (
    Row("GIZA++, intersection", (82.5, 74.4, 78.3, 14.0), why="another program's output"),
    Row("Stanford RTE", (82.7, 75.8, 79.1, None), why=ABSENT),
    Row("MANLI", (85.4, 85.3, 85.3, 21.3), why=ABSENT),
    Row("MANLI-constraint", (89.5, 86.2, 87.8, 33.0), why=ABSENT),
)
APPROXIMATE = (
    Row("MANLI-approx.", (87.2, 86.3, 86.7, 24.5), why=ABSENT),
    Row("MANLI-exact", (87.2, 86.1, 86.8, 24.8), why=ABSENT),
)
YAO = (
    Row("S2T", (91.8, 83.4, 87.4, 25.9), "yao2013", S2T),
    Row("T2S", (93.7, 84.0, 88.6, 35.3), "yao2013", T2S),
    Row("intersection", (95.4, 80.8, 87.5, 31.3), "yao2013", Symmetrization.INTERSECTION),
    Row("union", (90.3, 86.6, 88.4, 29.6), "yao2013", Symmetrization.UNION),
)
SWAPPED = "the paper's two rows are exchanged here: an intersection has no more recall than a side"
TABLES = (
    Table(
        "Yao et al. (2013), table 1",
        "RTE2",
        (
            GIZA,
            Row("TED", (80.6, 79.0, 79.8, 13.5), "ted", why=OWN_TREES),
            STANFORD,
            MANLI,
            *APPROXIMATE,
            CONSTRAINT,
            *YAO,
            Row(
                "grow-diag-final",
                (94.4, 81.8, 87.6, 30.8),
                "yao2013",
                Symmetrization.GROW_DIAG_FINAL,
            ),
        ),
    ),
    Table(
        "Sharma et al. (2018), table 1",
        "RTE2",
        (
            STANFORD,
            MANLI,
            *APPROXIMATE,
            CONSTRAINT,
            *YAO,
            Row("this work, s2t", (96.6, 91.2, 93.8, 58.6), "sharma2018", S2T),
            Row("this work, t2s", (94.3, 92.0, 93.1, 57.0), "sharma2018", T2S),
            Row(
                "this work, intersection",
                (96.1, 88.4, 92.1, 47.0),
                "sharma2018",
                Symmetrization.INTERSECTION,
                why=SWAPPED,
            ),
            Row(
                "this work, union",
                (89.8, 93.3, 91.5, 46.1),
                "sharma2018",
                Symmetrization.UNION,
                why=SWAPPED,
            ),
        ),
    ),
    Table(
        "Sultan et al. (2014), table 2, MSR",
        "RTE2",
        (
            MANLI,
            CONSTRAINT,
            YAO[1],
            Row("Yao et al. (2013b)", (92.1, 82.8, 86.8, 29.1), why=ABSENT),
            Row("this work", (93.7, 89.8, 91.7, 43.8), "sultan", why=OWN_TREES),
        ),
    ),
    Table(
        "Sultan et al. (2014), table 2, EDB++",
        "Edinburgh++",
        (
            Row("Yao et al. (2013a)", (91.3, 82.0, 86.4, 15.0), "yao2013", T2S),
            Row("Yao et al. (2013b)", (90.4, 81.9, 85.9, 13.7), why=ABSENT),
            Row("this work", (93.5, 82.5, 87.6, 18.3), "sultan", why=OWN_TREES),
        ),
    ),
    Table(
        "Beside them, in no table",
        "RTE2",
        tuple(Row(name, (None, None, None, None), name) for name in ("lemma", "meteor")),
    ),
)
