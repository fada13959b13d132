"""British and American spelling; an own table."""

from __future__ import annotations

RULES: tuple[tuple[str, str, int, int, tuple[str, ...]], ...] = (
    ("ae", "e", 0, 6, ()),
    ("ence", "ense", 2, 0, ()),
    ("gramme", "gram", 0, 0, ("", "s")),
    ("is", "iz", 3, 0, ()),
    ("ll", "l", 4, 0, ("ed", "er", "ers", "ing", "ings", "or", "ors", "ous")),
    ("oe", "e", 0, 6, ()),
    ("ogue", "og", 2, 0, ("", "s")),
    ("our", "or", 2, 0, ()),
    ("re", "er", 2, 0, ("", "s")),
    ("red", "ered", 3, 0, ("",)),
    ("ys", "yz", 3, 0, ()),
)
"""British, American, letters before them at least, letters of the British word at least, and the
endings that may follow (none given: any)."""

_PAIRS = """
    acknowledgement acknowledgment, ageing aging, aluminium aluminum, artefact artifact, axe ax,
    burnt burned, cheque check, cosy cozy, disc disk, distil distill, doughnut donut,
    draught draft, dreamt dreamed, enrol enroll, enrolment enrollment, fulfil fulfill,
    fulfilment fulfillment, grey gray, instalment installment, jail gaol, jewellery jewelry,
    judgement judgment, kerb curb, leant leaned, learnt learned, licence license,
    manoeuvre maneuver, maths math, mould mold, moustache mustache, mum mom, plough plow,
    practise practice, pyjamas pajamas, sceptic skeptic, sceptical skeptical, skilful skillful,
    smelt smelled, speciality specialty, spelt spelled, spoilt spoiled, storey story,
    sulphur sulfur, tyre tire, whisky whiskey, wilful willful, yoghurt yogurt
"""

PAIRS: tuple[tuple[str, str], ...] = tuple(
    (british, american) for british, american in (pair.split() for pair in _PAIRS.split(","))
)
"""Words that follow no rule; each also with -s behind both."""
