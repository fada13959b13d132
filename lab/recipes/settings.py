"""Settings of the shipped models, and the styles of those that hold several conventions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tokalign.evaluate import LinkChoice
from tokalign.features.feature_groups import FeatureTable
from tokalign.model.training import TrainingSettings

from lab.recipes.corpora import (
    EDINBURGH,
    MTREF,
    OWN_CLAIMS,
    OWN_ENTAILMENT,
    OWN_MADE_VERSIONS,
    OWN_PARAPHRASES,
    OWN_QUESTIONS,
    OWN_TRANSLATIONS,
    OWN_VERSIONS,
    RTE2,
    WIKI,
)

LICENSE = "research use"
"""Terms of the corpora, and so of the models trained on them."""
OPEN_LICENSE = "Apache-2.0"
"""Terms of Edinburgh++; the project's own corpus has none."""

GROUPS = (
    "string", "pos", "position", "wordnet", "neighbour", "lexical", "names", "context",
    "competition", "vectors", "null",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Style:
    """A style to be fitted.

    Attributes
    ----------
    corpora : tuple of str
        Those that show it, as `lab.recipes.corpora.read_corpus` names them.
    choice : LinkChoice
        Which of the corpus' links count.
    links : str
        What the style links, for people.
    least : (float, float)
        Least thresholds of a link, and of one beside another, among which the best are chosen.
    """

    corpora: tuple[str, ...]
    choice: LinkChoice
    links: str
    least: tuple[float, float] = (0.4, 0.2)


FEW = 0.45, 0.35
"""Least thresholds of styles whose corpora are small, or of few writers. Lower ones are often best
there, and lose on all other corpora."""
STYLES = {
    "strict": Style(
        (OWN_ENTAILMENT,),
        LinkChoice.SURE,
        "words that mean the same where they stand (texts and hypotheses); links least",
        FEW,
    ),
    "paraphrase": Style(
        (EDINBURGH,),
        LinkChoice.SURE,
        "also words and phrases that paraphrase each other (Edinburgh++)",
        FEW,
    ),
    "free": Style(
        (OWN_TRANSLATIONS, OWN_PARAPHRASES),
        LinkChoice.SURE_AND_POSSIBLE,
        "also words that play the same part in both sentences (translations); links most",
        FEW,
    ),
    "edits": Style(
        (OWN_VERSIONS, OWN_MADE_VERSIONS),
        LinkChoice.SURE,
        "what an edit kept or replaced, punctuation too (versions of a sentence)",
        (0.5, 0.5),
    ),
    "questions": Style(
        (OWN_QUESTIONS, OWN_CLAIMS),
        LinkChoice.SURE,
        "what an answer or a claim says of what is asked or known, in whatever words",
        FEW,
    ),
}
"""Those of `en` by name, the default first."""
RESEARCH_STYLES = {
    "strict": Style(
        (RTE2,), LinkChoice.SURE, "words that mean the same where they stand (RTE2); links least"
    ),
    "paraphrase": Style(
        (EDINBURGH,),
        LinkChoice.SURE,
        "also words and phrases that paraphrase each other (Edinburgh++)",
    ),
    "free": Style(
        (MTREF,),
        LinkChoice.SURE_AND_POSSIBLE,
        "also words that play the same part in both sentences (MultiMWA-MTRef); links most",
    ),
    "edits": Style(
        (WIKI,), LinkChoice.SURE, "what an edit kept or replaced, punctuation too (MultiMWA-Wiki)"
    ),
}
"""Those of `en-research` and of the neural models."""

EN_RTE2_SETTINGS = TrainingSettings(feature_groups=GROUPS)


def _followed(styles: Mapping[str, Style]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (Path(corpus).name, name) for name, style in styles.items() for corpus in style.corpora
    )


EN_SETTINGS = TrainingSettings(
    feature_groups=(*GROUPS, "anchors", "rules"),
    max_iterations=60,
    unrelated_importance=1.0,
    possible="half",
    possible_in=((OWN_TRANSLATIONS, "sure"), (OWN_PARAPHRASES, "sure")),
    styles=_followed(STYLES),
)
EN_RESEARCH_SETTINGS = replace(
    EN_SETTINGS,
    unrelated_importance=0.35,
    possible="ignore",
    possible_in=((Path(MTREF).name, "sure"),),
    styles=_followed(RESEARCH_STYLES),
)


def with_encoder(settings: TrainingSettings) -> TrainingSettings:
    """Return the settings of a model without an encoder for one that has one."""
    groups = FeatureTable((*settings.feature_groups, "neural")).groups  # in its order
    return replace(settings, feature_groups=groups)


EN_NEURAL_SETTINGS = with_encoder(
    replace(
        EN_RESEARCH_SETTINGS,
        feature_groups=(*GROUPS, "anchors"),
        unrelated_importance=TrainingSettings().unrelated_importance,
    )
)
"""Without the rules of values and spelling, and without rewritten pairs: both came later."""
EN_NEURAL_OPEN_SETTINGS = with_encoder(EN_SETTINGS)
LICENSES = {
    "conflicts": "CC0-1.0 (tokalign corpus), WordNet 3.0 license, ODC-By-1.0 (annotations of WiCE)",
    "edits": "Apache-2.0 (Edinburgh++), CC0-1.0 (tokalign corpus), WordNet 3.0 license",
    "relations": "Apache-2.0 (Edinburgh++), CC0-1.0 (tokalign corpus), WordNet 3.0 license",
    "relations-research": "research use (SemEval 2016 task 2, SSD)",
    "support": "ODC-By-1.0 (annotations of WiCE; its text: CC BY-SA and terms of Common Crawl), "
    "CC0-1.0 (tokalign corpus)",
}
"""Terms of tables that were learned from corpora, by the table's name."""
