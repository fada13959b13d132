"""Words that rules relate, and values."""

from __future__ import annotations

_FAMILIES = """
$+5+million/CD $5m five/CD+million/CD+dollars/NNS $+6 million/CD 5+million/CD+euros
16GB 16+gigabytes/NNS 16+GB 16+km 32GB memory
May/NNP+3+,/,+2019 3+May/NNP 2019-05-03 June/NNP+3 03/05/2019 Monday/NNP
half 50+% 50% 3+per/IN+cent 10+to/TO+15+km 10-20+km 3-1 a/DT+third/JJ one/CD+third
3.1 31 3+million/CD 3+billion/CD first/JJ 1 v2.0 version+2 3:30 half+past/IN+three/CD
well/RB we/PRP+'ll/MD leaders leader+'s/POS ii iii use/VB use united/JJ+states+europe
recieve/VB receive/VB receives/VBZ Gonzalz/NNP Gonzalez/NNP zzqx zzqy dog dig governmnet government
sooo/RB so/RB soooo/RB yesss/UH yes/UH
colour color colours/NNS gaol jail cheque check draught draft kerb curb programme program
database data+base ice-cream ice+cream icecream base
getUserName get_user_name get/VB+user+name get-user-name user
imf IMF/NNP International/NNP+Monetary/NNP+Fund/NNP a/DT fund
Federal/NNP+Bureau/NNP+of/IN+Investigation/NNP fbi F.B.I./NNP foi of/IN
artificial/JJ+intelligence ai AI/NNP ai/VBP is/VBZ are/VBP
idk/UH I/PRP+do/VBP+not/RB+know/VB know/VB u/PRP you/PRP &/CC and/CC
dept department Dept./NNP departments/NNS 2 to/TO 's/POS 's/VBZ da/NNP da the/DT
km/NNS kilometres/NNS kilometers/NNS 5+km 5+kilometres/NNS
"""

Word = tuple[str, ...]
"""Form, tag and lemma."""


def rule_word(text: str) -> Word:
    """Return the word of a form, or of a form and its tag with a slash between them."""
    form, slash, tag = text.rpartition("/")
    if not slash or (not tag.isupper() and tag != ","):
        form, tag = text, "CD" if text[0].isdigit() else "NN"
    return form, tag, form.lower()


RULE_UNITS: list[list[list[Word]]] = [
    [[rule_word(word) for word in unit.split("+")] for unit in family.split()]
    for family in _FAMILIES.strip().splitlines()
]
"""Families of units of one or several words, which relate to others of their family."""
