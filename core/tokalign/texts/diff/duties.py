"""Duties: which sentences oblige, forbid, permit or deny."""

import re

from tokalign.english.values import find_values
from tokalign.texts.block_forms import TextRange
from tokalign.texts.diff.text_diff import token_spans
from tokalign.types.patterns import regex

DUTIES = ("prohibition", "obligation", "permission", "denial")
"""What sentences do, the most important first."""
_MODALS = frozenset(("must", "shall", "may"))
_STATES = {
    **dict.fromkeys(
        ("required", "mandatory", "compulsory", "obliged", "recommended"), "obligation"
    ),
    **dict.fromkeys(("allowed", "entitled", "permitted", "optional"), "permission"),
    **dict.fromkeys(("forbidden", "prohibited"), "prohibition"),
}
"""What is said of something by the words that follow a form of be."""
_DENIED = {"obligation": "permission", "permission": "prohibition", "prohibition": "permission"}
_BEING = frozenset(("am", "are", "be", "been", "is", "was", "were"))
_KNOWN = frozenset(("covered", "different", "found", "obtained", "seen", "subject"))
"""What may be without a permission."""
_ASIDES = frozenset(
    ("although", "because", "case", "check", "e.g.", "how", "i.e.", "if", "once", "since", "though",
     "unless", "verify", "what", "when", "whenever", "where", "whereby", "whether", "which",
     "while", "who", "whose", "why", "with", "(")
)  # fmt: skip
"""Words that begin what a sentence does not say of itself."""
_PAST = frozenset(("could", "did", "had", "was", "were"))
_ENDS = frozenset((",", ";", ".", "then"))
_UNSAID = regex(r"\S*://\S*|\bmay or may not\b", re.IGNORECASE)
_OPTION = regex(r"\s*--?[A-Za-z][\w-]*[\s,=\[]")
"""Begins the description of an option, which says what that does."""
_BARE_NOT = regex(
    r"\b((?:ai|are|ca|could|did|do|does|had|has|have|is|might|must|need|should|was|were|wo|would)?)nt\b",
    re.IGNORECASE,
)
_PROMISING = frozenset(("agrees", "covenants", "has", "have", "undertakes"))
"""Words that oblige, if "to" follows."""
_DENYING = frozenset(("neither", "never", "no", "nobody", "none", "nor", "not", "nothing"))
"""Words of a sentence that denies; without, fail and their like are a part of what it says."""
_NEVER = regex(r"(?:never|no|nobody|none|nor|not|nothing|(?:at|in|on|under) no)\b")
"""Follows a modal that forbids."""
_NOTHING = frozenset(("also", "always", "just", "matter", "necessarily", "none", "only", "to"))
"""Words behind "not" in a sentence that need not deny."""
_TURNING = frozenset(("and", "but", "may", "might", "or", "to", ","))
"""Words before a negation of a part of a sentence."""
_SAYING = regex(
    r"am|are|be|been|is|was|were|also|always|longer|much|never|no|not|now|only|still|(?!common|general|normal|typical|usual)\w+ly"
)
_BARRED = regex(
    r"(?:\W*\w+::?|note)?\W*(?:(?:please|but|so|also|and|then)\W+)?"
    r"(?:(?:if|when|to|unless|before|after|for|while)\b[^,;]{3,100}, (?:please )?)?"
    r"(?:do not|don['\u2019]t|never|refrain from) "
    r"(be\b|bother|care|confuse|expect|feel|forget|hesitate|mind|need|never|panic|take my"
    r"|think|want|worry)?",
    re.IGNORECASE,
)
"""Begins sentences that tell a reader what not to do, but for those with the words at their end."""
_RULING = regex(
    r"\b(?:must|shall|MUST|SHALL|SHOULD|MAY|hereby|liable|entitled|prohibited|agrees)\b"
)
_RELEASE = regex(
    r"(?:\A|^[ \t\f]*\n|^(?=#))\s?(?:(?:#+ |\*\*)\[?v?\d+(?:\.\d+){2}\b.*"
    r"|[\w.+-]+ \(\S+\) [\w -]+; urgency=.*|\d{4}([-.])\d\d\1\d\d(?:[ \t]+\S.*<\S+@.*| - \S.*\d.*)"
    r"|.{0,40}\b(?i:changes|new) (?:(?i:from|between)|.*[\"']) .{0,40}\d (?i:to|and) \d.{0,20}"
    r"|(?:#+ |=+ )?[^\w`]{0,3}(?:\w+(?:\.?[ \t]|-(?:\w+-)?)\W{0,3}"
    r"|.{0,40}\b(?:(?:changes|new) (?:in|since)|release|version)\b.{0,20}[ \t])?"
    r"v?\d+(?:\.\d+){1,3}\w{0,6}\W{0,3}"
    r"(?:[ \t]\W{0,5}(?:(?:.{0,30}\W)?\d{4}[-/]\d\d|\d{1,2}[ .-]|released?\b|un|\w+ \d).{0,40})?)$",
    re.MULTILINE,
)
_TOLD_OF_RELEASES = regex(
    r"(?!address|fix|bug)(?:.*\W)?(?:must|now|(?:no|not|never|n['\u2019]t)\b(?:\W+\w+){0,3}?\W+(?:accept|allow"
    r"|available|compatib|distribut|exist|need|permit|provid|recommend|requir|ship|support))",
    re.IGNORECASE,
)
"""What of changes is told: not how faults were mended."""
_URGENT = regex(
    r"(?i:\bnow\W+(?:\w+\W+)?(?:deprecat|disab|forb|ignor|mandator|must|only|prohib|reject|requir)"
    r"|\bmust now\b|\b(?:later|higher|newer) (?:is|are) (?:now )?required\b"
    r"|\bplease (?:do not|don|never)\b|\bno(?: \w+){1,3} any ?more\b|\bno longer "
    r"(?:accept|allow|available|compatib|distribut|exist|maint|permit|provid|recommend|ship|support))"
)
"""Is in what matters wherever it stands, in a new passage or an entry of a release, too."""
_STOP = regex(r"[.!?](?=\s)")
_OUTRIGHT = regex(
    r"(?:must|shall|should(?! not| never)|required|mandatory|compulsory|obliged|allowed|permitted"
    r"|optional|forbidden|prohibited|no longer(?! (?:\w+ly )?(?:break|caus|crash|emit|fail|hang"
    r"|ignor|leak|los|overwrit|rais|report|warn))|not yet|(?:no|not)\b.{1,50} any ?more)\b"
    r"|cannot (?:contain|be (?:\w+ly )?\w*(?:ed|en|ne|nt|pt|un|ut|wn|ld|set|read))\b"
    r"|should (?:not|never) (?!impact|affect|matter|be (?:needed|required|under))"
    r"|no (?:\w+ )?(?:breaking|charge|fee|guarant|liabil|obligat|refund|right|support|warra)"
    r"|(?:not|never)(?: \w+ly| been| be| get| yet)*"
    r" (?:accept|add|affiliat|allow|applicable|apply|assign|author|availab|backward|bind|call|charg"
    r"|clos|collect|compatib|complet|cover|delet|disclos|edit|eligib|enabl|encrypt|endors|entitl"
    r"|expos|for sale|guarant|implement|install|intend|liab|licens|maintain|modif|paid|pay"
    r"|permit|provid|recommend|refund|releas|reli[ae]|require|responsib|restor|safe|secure|sell"
    r"|share|sold|store|suitab|support|test|transfer|valid|waive|warrant|work)"
)
"""What sentences oblige and deny in texts that are not of rules: what readers rely on."""
_PERSON = regex(
    r"(?:anybody|anyone|bod(?:y|ies)|buyer|candidate|child|committee|council|customer|employee|firm"
    r"|employer|everybody|everyone|guest|holder|landlord|lessee|licensee|licensor|member|owner"
    r"|participant|part(?:y|ies)|passenger|patient|people|person|pupil|resident|seller|staff"
    r"|student|subscriber|supplier|tenant|trustee|visitor|voter|worker)s?"
)
"""Who may and does not by rules, in texts that are not of rules, too."""
_EXAMPLE = regex(r"\W*(?:for (?:example|instance)|e\.g\.)\W", re.IGNORECASE)
_LEAST_RELEASES, _LEAST_WORDS = 3, 3  # headings; words of a sentence that obliges or denies
_MOST_WORDS = 40  # of a sentence, about; what has no stops may be long


def releases_of(text: str) -> TextRange:
    """Return the range of a text's list of changes, if three headings are of releases: from the
    first to the next other heading of their level behind the last; otherwise an empty one."""
    found = [each.span() for each in _RELEASE.finditer(text)]
    if len(found) < _LEAST_RELEASES:
        return 0, 0
    (start, _), (_, end) = found[0], found[-1]
    level = len(re.findall(r"\A\s*(#*)", text[start:])[0])
    other = re.search(rf"^#{{1,{level}}} ", text[end:], re.MULTILINE) if level else None
    return start, end + other.start() if other else len(text)


def is_urgent(text: str, kind: str) -> bool:
    """Whether a sentence tells readers what not to do, what they need now, or can do no longer."""
    return bool((kind == "prohibition" and _BARRED.match(text)) or _URGENT.search(text))


def is_of_rules(text: str) -> bool:
    """Whether one of ten sentences of a text has a word such as must, or the text is very short."""
    n = max(len(_STOP.findall(text)), len(text.split()) // _MOST_WORDS)
    return len(_RULING.findall(text)) >= (n + 6) // 10


def with_apostrophes(text: str) -> str:
    """Return a text whose negations have their apostrophe: can't for cant, and n't for nt."""
    return _BARE_NOT.sub(r"\1n't", text)


def duty_of(text: str, *, is_of_rules: bool = True, is_of_releases: bool = False) -> str | None:
    """Return what a sentence does: a prohibition, an obligation, a permission, a denial, or None.

    In a text that is not of rules, most sentences with may, cannot and not explain how things are.
    Those permit and forbid nothing, and deny only if they say that something does not work, is not
    supported, and the like. Lists of changes tell what is no longer supported, and what must be.

    Examples
    --------
    >>> duty_of("The host must not sell it."), duty_of("A client SHOULD ask.")
    ('prohibition', 'obligation')
    >>> duty_of("Dogs may enter."), duty_of("It is not for sale."), duty_of("It rained in May.")
    ('permission', 'denial', None)
    >>> duty_of("It may rain.", is_of_rules=False), duty_of("It is not red.", is_of_rules=False)
    (None, None)
    """
    is_option = _OPTION.match(text) is not None
    text = with_apostrophes(" ".join(_UNSAID.sub("", text).split()))
    spans = list(token_spans(text))
    words = [text[start:end] for start, end in spans]
    if len(text.split()) < _LEAST_WORDS or text[-1:] in ":?" or _EXAMPLE.match(text):
        return None
    if is_of_releases and _TOLD_OF_RELEASES.match(text) is None:
        return None
    is_value = {
        at for each in find_values(words) for at in range(each.start, each.end) if not each.rank
    }
    lower = [word.lower() for word in words]
    aside = ""
    duties = set()
    for at, word in enumerate(lower):
        is_aside = word in _ASIDES and (word != "case" or lower[at - 1] == "in")
        is_aside |= at > 1 and word == "that" and lower[at - 1] != "note"
        start, end = spans[at]
        is_end = word in _ENDS and not text[end : end + 1].strip()
        if word == '"':
            aside = "" if aside == word else word
        elif aside not in ("(", '"') and (is_aside or is_end):
            aside = word if at or word != "(" else ""
        elif word == ")":
            aside = ""
        is_part = not set("-['\u2018`").isdisjoint((text[start - 1 : start], text[end : end + 1]))
        if at in is_value or is_part or aside == '"' or aside in _ASIDES:
            continue
        duty = _duty(words, lower, at)
        if duty and not is_of_rules:
            is_said = any(
                _OUTRIGHT.match(" ".join(lower[k : at + 12])) for k in (at, max(at - 1, 0))
            ) or any(map(_PERSON.fullmatch, lower[max(at - 2, 0) : at]))
            is_state = duty == "permission" and word != "may"
            is_past = duty == "denial" and lower[max(at - 1, 0)] in _PAST
            if not is_said or is_past or is_state:
                continue
        if (duty == "denial" and is_option) or (aside == "that" and lower[at - 1] == "that"):
            continue  # a pattern that must match
        if aside != "that" or word in _MODALS or duty == "prohibition":  # they agree that he must
            duties.add(duty)
    if (barred := _BARRED.match(text)) is not None and not (is_of_releases or is_option):
        duties.discard("denial")
        duties |= {"prohibition"} if barred[1] is None else set()
    return next((kind for kind in DUTIES if kind in duties), None)


def _duty(words: list[str], lower: list[str], at: int) -> str | None:
    """Return what a word makes its sentence do, or None."""
    word = lower[at]
    following = lower[at + 1 : at + 2]
    if following == ["mean"] or (word == "may" and not _KNOWN.isdisjoint(lower[at + 2 : at + 3])):
        return None  # "Work" shall mean; it may be found there
    if (word in _MODALS or words[at] == "SHOULD") and following:
        denies = _NEVER.match(" ".join(lower[at + 1 : at + 4])) is not None
        denies |= not _DENYING.isdisjoint(lower[:2]) and lower[:2] != ["not", "only"]
        return "prohibition" if denies else "permission" if word == "may" else "obligation"
    if word in ("cannot", "can't", "can\u2019t") or lower[at : at + 2] == ["can", "not"]:
        return "prohibition" if lower[at - 1] != "that" else None
    if word in _PROMISING and following == ["to"] and lower[at + 2 : at + 3] != ["do"]:
        is_free = lower[at - 1] == "not" or lower[at - 1].endswith(("n't", "n\u2019t"))
        return "permission" if is_free else "obligation"
    duty = _STATES.get(word)
    if duty is not None:
        before = set(lower[max(at - 3, 0) : at])
        is_said = _SAYING.fullmatch(lower[at - 1]) is not None
        is_said &= not (before.isdisjoint(_BEING) or before & {"would", "may", "might", "could"})
        if not words[at].isupper() and not is_said:
            return None  # the notice required by law
        if _DENYING & {*before, lower[0]}:
            return "prohibition" if word == "recommended" else _DENIED[duty]
        return duty
    if lower[max(at - 1, 0)] in _TURNING or "".join(following).endswith("ing"):
        return None
    denies = word in _DENYING and _NOTHING.isdisjoint(following) and words[at] != "None"
    if not (denies or word.endswith(("n't", "n\u2019t"))):
        return None
    is_free = lower[at - 1] == "need" or word in ("needn't", "needn\u2019t")
    return "permission" if is_free or lower[at + 1 : at + 3] == ["need", "to"] else "denial"
