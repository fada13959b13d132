"""Settings of the shipped models, and the styles of those that hold several conventions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tokalign.evaluate import LinkChoice
from tokalign.features.feature_groups import FeatureTable
from tokalign.model.training import TrainingSettings

from lab.recipes.corpora import EDINBURGH, MTREF, RTE2, WIKI

LICENSE = "research use"
"""Terms of the corpora, and so of the models trained on them."""
OPEN_LICENSE = "Apache-2.0"
"""Terms of Edinburgh++."""

GROUPS = (
    "string", "pos", "position", "wordnet", "neighbour", "lexical", "names", "context",
    "competition", "vectors", "null",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Style:
    """A style to be fitted.

    Attributes
    ----------
    corpus : str
        The corpus that shows it, below the folder of the corpora.
    choice : LinkChoice
        Which of the corpus' links count.
    links : str
        What the style links, for people.
    """

    corpus: str
    choice: LinkChoice
    links: str


STYLES = {
    "strict": Style(
        RTE2, LinkChoice.SURE, "words that mean the same where they stand (RTE2); links least"
    ),
    "paraphrase": Style(
        EDINBURGH,
        LinkChoice.SURE,
        "also words and phrases that paraphrase each other (Edinburgh++)",
    ),
    "free": Style(
        MTREF,
        LinkChoice.SURE_AND_POSSIBLE,
        "also words that play the same part in both sentences (MultiMWA-MTRef); links most",
    ),
    "edits": Style(
        WIKI, LinkChoice.SURE, "what an edit kept or replaced, punctuation too (MultiMWA-Wiki)"
    ),
}
"""By name, the default first."""

EN_RTE2_SETTINGS = TrainingSettings(feature_groups=GROUPS)
EN_SETTINGS = TrainingSettings(
    feature_groups=(*GROUPS, "anchors", "rules"),
    max_iterations=60,
    unrelated_importance=0.35,
    possible_in=((Path(MTREF).name, "sure"),),
    styles=tuple((Path(style.corpus).name, name) for name, style in STYLES.items()),
)
EN_OPEN_SETTINGS = TrainingSettings(
    feature_groups=(*(group for group in GROUPS if group != "vectors"), "rules"),
    max_iterations=60,
    unrelated_importance=0.35,
    possible="half",
)
"""Without word vectors and counts, whose tables have seen corpora for research use."""


def with_encoder(settings: TrainingSettings) -> TrainingSettings:
    """Return the settings of a model without an encoder for one that has one."""
    groups = FeatureTable((*settings.feature_groups, "neural")).groups  # in its order
    return replace(settings, feature_groups=groups)


EN_NEURAL_SETTINGS = with_encoder(
    replace(
        EN_SETTINGS,
        feature_groups=(*GROUPS, "anchors"),
        unrelated_importance=TrainingSettings().unrelated_importance,
    )
)
"""Without the rules of values and spelling, and without rewritten pairs: both came later."""
LICENSES = {
    "edits": "research use (arXivEdits names no licence; its papers have different ones)",
    "relations": "research use (SemEval 2016 task 2, MTRef)",
    "support": "ODC-By-1.0 (annotations of WiCE; its text: CC BY-SA and terms of Common Crawl)",
}
"""Terms of tables that were learned from corpora, by the table's name."""
