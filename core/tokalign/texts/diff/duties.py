"""Duties: which sentences oblige, forbid, permit or deny."""

from __future__ import annotations

import re

from tokalign.english.values import find_values
from tokalign.texts.diff.text_diff import token_spans

DUTIES = ("prohibition", "obligation", "permission", "denial")
"""What sentences do, the most important first."""
_MODALS = frozenset(("must", "shall", "may"))
_STATES = {
    "required": "obligation", "mandatory": "obligation", "compulsory": "obligation",
    "obliged": "obligation", "recommended": "obligation", "allowed": "permission",
    "permitted": "permission", "optional": "permission", "forbidden": "prohibition",
    "prohibited": "prohibition",
}  # fmt: skip
"""What is said of something by the words that follow a form of be."""
_DENIED = {"obligation": "permission", "permission": "prohibition", "prohibition": "permission"}
_BEING = frozenset(("am", "are", "be", "been", "is", "was", "were"))
_ASIDES = frozenset(
    (
        "although", "because", "case", "check", "e.g.", "how", "i.e.", "if", "since", "though",
        "unless", "verify", "what", "when", "whenever", "where", "whereby", "whether", "which",
        "while", "who", "why", "with", "(",
    )
)  # fmt: skip
"""Words that begin what a sentence does not say of itself."""
_ENDS = frozenset((",", ";", ".", "then"))
_ADDRESS = re.compile(r"\S*://\S*")
_DENYING = frozenset(("never", "no", "nobody", "none", "nor", "not", "nothing"))
"""Words of a sentence that denies; without, fail and their like are a part of what it says."""
_DENYING_NOTHING = frozenset(
    (
        "also", "always", "impact", "just", "limited", "matter", "necessarily", "none", "only",
        "reason", "strictly", "to",
    )
)  # fmt: skip
"""Words behind "not" in a sentence that need not deny."""
_POSSIBLE = frozenset(
    (
        "accidentally", "accumulate", "affect", "appear", "apply", "become", "benefit", "break",
        "cause", "change", "contain", "depend", "differ", "encounter", "exist", "fail", "find",
        "happen", "have", "help", "include", "lead", "look", "need", "notice", "occur", "omit",
        "require", "result", "seem", "show", "vary", "want", "wish", "work",
    )
)  # fmt: skip
"""Words behind "may" in a sentence that permits nothing."""
_ADVERB = re.compile(r"(?!(?:app|supp|comp|re|rep)ly\Z)\w+ly")
_LATER = frozenset(("future", "later", "soon"))
_DONE = frozenset(
    (
        "amended", "appointed", "assigned", "brought", "built", "cancelled", "copied", "disclosed",
        "distributed", "elected", "extended", "given", "held", "kept", "made", "modified", "paid",
        "parked", "published", "redistributed", "reproduced", "sent", "shared", "sold",
        "sublicensed", "suspended", "taken", "terminated", "transferred", "withdrawn",
    )
)  # fmt: skip
"""What "may be" permits: deeds of people. Of the rest, such as used and raised, most may happen."""
_WEAKENING = frozenset(("but", "may", "or", "probably", "typically", "usually", "why"))
"""Words before a negation in a sentence that need not deny."""
_LEAST_WORDS = 3  # of a sentence that obliges or denies


def duty_of(text: str) -> str | None:
    """Return what a sentence does: a prohibition, an obligation, a permission, a denial, or None.

    Examples
    --------
    >>> duty_of("The host must not sell it."), duty_of("A client SHOULD ask.")
    ('prohibition', 'obligation')
    >>> duty_of("Dogs may enter."), duty_of("It is not for sale."), duty_of("It rained in May.")
    ('permission', 'denial', None)
    """
    text = _ADDRESS.sub("", text)
    spans = list(token_spans(text))
    words = [text[start:end] for start, end in spans]
    if len(text.split()) < _LEAST_WORDS or text.rstrip()[-1:] in ":?":
        return None
    is_value = {
        at for each in find_values(words) for at in range(each.start, each.end) if not each.rank
    }
    lower = [word.lower() for word in words]
    aside = ""
    duties = set()
    for at, word in enumerate(lower):
        is_aside = word in _ASIDES or (at > 1 and word == "that" and lower[at - 1] != "note")
        start, end = spans[at]
        is_end = word in _ENDS and not text[end : end + 1].strip()
        if word == '"':
            aside = "" if aside == word else word
        elif aside not in ("(", '"') and (is_aside or is_end):
            aside = word if at or word != "(" else ""
        elif word == ")":
            aside = ""
        is_part = "-" in (text[start - 1 : start], text[end : end + 1])  # not-for-profit
        if at in is_value or is_part or aside == '"' or aside in _ASIDES:
            continue
        duty = _duty(words, lower, at)
        if aside != "that" or duty in ("prohibition", "obligation"):  # they agree that he must
            duties.add(duty)
    if lower[0] in ("never", "don't", "don\u2019t") or lower[:2] == ["do", "not"]:
        duties.add("prohibition")
    return next((kind for kind in DUTIES if kind in duties), None)


def _duty(words: list[str], lower: list[str], at: int) -> str | None:
    """Return what a word makes its sentence do, or None."""
    word = lower[at]
    following = lower[at + 1 : at + 2]
    if word in _MODALS or words[at] == "SHOULD":
        denies = not _DENYING.isdisjoint((*lower[:2], *following))
        if word == "may":
            behind = [each for each in lower[at + 1 : at + 5] if not _ADVERB.fullmatch(each)]
            deed = [each for each in behind if each not in _DENYING][:2]
            is_done = deed[:1] != ["be"] or deed[-1] in _DONE
            is_done &= _LATER.isdisjoint(lower[at : at + 9]) and "also" not in behind
            if not is_done or not _POSSIBLE.isdisjoint(deed):
                return None
        return "prohibition" if denies else "permission" if word == "may" else "obligation"
    if word == "cannot":
        return "prohibition" if lower[at - 1] != "that" else None
    duty = _STATES.get(word)
    if duty is not None:
        before = set(lower[max(at - 3, 0) : at])
        if not words[at].isupper() and before.isdisjoint(_BEING):
            return None  # the notice required by law
        if before & _DENYING:
            return "prohibition" if word == "recommended" else _DENIED[duty]
        return duty
    if lower[max(at - 1, 0)] in _WEAKENING or "".join(following).endswith("ing"):
        return None
    denies = word in _DENYING and _DENYING_NOTHING.isdisjoint(following) and words[at] != "None"
    return "denial" if denies or word.endswith(("n't", "n\u2019t")) else None
