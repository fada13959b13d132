"""Pairs of texts on which conflicts and relations are compared with their twins."""

from __future__ import annotations

import json
from pathlib import Path

from support.sample import sample_pairs

_LINES = Path(__file__).parents[1] / "data" / "contrasts.jsonl"
CONTRASTS = [json.loads(line) for line in _LINES.read_text(encoding="utf-8").splitlines()]
TEXTS = [(each["source"]["text"], each["target"]["text"]) for each in CONTRASTS]
_MODALS = ("must", "shall not", "has to", "need not", "is not required to", "may not", "will")
TEXTS += [
    (f"The operator {one} move.", f"An operator {other} move it.")
    for one in _MODALS
    for other in _MODALS
]
_RATES = ("twice a day", "three times daily", "every day", "every second week", "4 times per year",
          "every 2 weeks", "weekly", "once", "ten times per hour", "10 per day")  # fmt: skip
TEXTS += [
    (f"It is checked {one}.", f"Staff check it {other}.") for one in _RATES for other in _RATES
]
_BOUNDS = ("at least 5", "up to 5", "no more than 5", "over 5", "5 or fewer", "a minimum of 5")
TEXTS += [
    (f"Keep {one} copies of it.", f"They keep {other} copies.")
    for one in _BOUNDS
    for other in _BOUNDS
]
_BEFORE = ("by 5%", "to 5%", "5%", "on Monday", "after Monday", "before Monday")
TEXTS += [(f"It rose {one}.", f"Rates rose {other}.") for one in _BEFORE for other in _BEFORE]
_GIVEN = (
    "gave the boy a coat",
    "gave a coat to the boy",
    "met the boy",
    "mixed a coat with the boy",
)
TEXTS += [(f"The man {one}.", f"Today the man {other}.") for one in _GIVEN for other in _GIVEN]
TEXTS += [
    ("Ann met Tom.", "Tom met Ann."),
    ("Mix the oil with the salt.", "Mix the salt with the oil."),
    ("The shop is not closed.", "The store is open."),
    ("We paid 35 grams and 4 euros.", "They got 53 g, for € 9."),
]
"""Both texts of every contrast and paraphrase, and of modals, rates, bounds and words before
values side by side."""
SIDES = sorted({side for pair in TEXTS for side in pair})
SIDES += [pair.source.text for pair in sample_pairs()[:60]]
"""Those texts, and some of the sample."""
