"""Kinds of change that an edit makes, to the form alone or to the meaning."""

import re
from functools import cache

from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.english.lexicon.word_lists import negates
from tokalign.english.spelling import is_typo, is_variant
from tokalign.english.values import find_values, only_value, readings
from tokalign.types.edits import CONFLICTING, Change, EditKind
from tokalign.types.relations import ConflictKind

MEANINGS = {
    kind: Change.NUMBER if kind is ConflictKind.VALUE else Change[kind.name]
    for kind in ConflictKind
}
"""The change that each kind of conflict makes: that of the same name, but for values."""
cdef object EQUAL = EditKind.EQUAL, MOVE = EditKind.MOVE
_SIGN_REACH = 2  # tokens from a minus to its number, over a currency
_ROLE_REACH = 3  # from a moved word to the one whose roles are exchanged
_NEGATION_REACH = 8  # from a negation to the word that it denies
_MODALS = {
    "must": 6, "shall": 6, "will": 6, "ought": 4, "should": 4, "can": 1, "could": 1, "may": 1,
    "might": 1,
}  # fmt: skip
"""Modal verbs with the grades that scales.tsv has of them, and shall and will as must."""
_NUMBER = re.compile(r"\d+")
_NUMERALS = {
    numeral: str(number)
    for number, numeral in enumerate(
        ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"), 1
    )
}


cdef change_of(
    kind, source, target, tuple before, tuple after, tuple rows, tuple columns, conflicts
):
    """Return the kind of change of an edit, a Change or None; of several, the most important one.

    `before`, `after`: its tokens; `rows`, `columns`: their indices in the sentences. `conflicts`
    are those of the pair.
    """
    if kind is EQUAL:
        return None if before == after else Change.CASE
    if kind is MOVE:
        return Change.ROLES if _moves_roles(rows, conflicts) else Change.ORDER
    meaning = _meaning(before, after, rows, columns, conflicts) if conflicts else None
    if meaning is not None:
        return meaning
    lower_before, lower_after = _lower(before), _lower(after)
    if _is_other_modal(lower_before, lower_after):
        return Change.MODALITY
    if not before or not after:
        return Change.CONTENT if _words(before) or _words(after) else Change.PUNCTUATION
    form = _form(before, after, lower_before, lower_after)
    if form is None and _lemmas(source, rows) == _lemmas(target, columns):
        return Change.INFLECTION
    if form is not None:
        return form
    if _is_typo(source, target, before, after, rows, columns):
        return Change.SPELLING
    one = _value_of(source, before, rows)
    other = one and _value_of(target, after, columns)
    if one and other and one.kind is other.kind and one.key != other.key:
        return Change.NUMBER
    return Change.WORDING


cdef _meaning(tuple before, tuple after, tuple rows, tuple columns, conflicts):
    """Return the most important change that the conflicts of an edit's words make, or None."""
    changes = {
        MEANINGS[each.kind]
        for each in conflicts
        if each.source in rows or each.target in columns
        or _makes(each, before, after, rows, columns)
    }
    for change in CONFLICTING:
        if change in changes:
            return change
    return None


cdef bint _is_other_modal(tuple before, tuple after):
    """Whether a modal verb took the place of one of another grade: shall and may."""
    if len(before) != 1 or len(after) != 1:
        return False
    one, other = _MODALS.get(before[0]), _MODALS.get(after[0])
    return one is not None and other is not None and one != other


cdef bint _moves_roles(tuple rows, conflicts):
    """Whether moved words are next to a verb or a noun whose roles are exchanged."""
    return any([
        each.kind is ConflictKind.ROLES
        and min([abs(i - each.source) for i in rows]) <= _ROLE_REACH
        for each in conflicts
    ])


cdef bint _makes(conflict, tuple before, tuple after, tuple rows, tuple columns):
    """Whether an edit makes a conflict of words that it keeps: by their negation, or their sign."""
    own, at = (rows, conflict.source) if before else (columns, conflict.target)
    if conflict.kind is ConflictKind.VALUE:
        is_sign = before + after in (("-",), ("\u2212",))
        return is_sign and own[0] < at <= own[0] + _SIGN_REACH
    return (
        _is_negated(before) != _is_negated(after)
        and min([abs(each - at) for each in own]) <= _NEGATION_REACH
    )


cdef _form(tuple before, tuple after, tuple lower_before, tuple lower_after):
    """Return the kind of change if only the form differs, or None."""
    if lower_before == lower_after:
        return Change.CASE
    if _words(before) == _words(after):
        return Change.PUNCTUATION
    if _has_letters("".join(before), "".join(after)) and _digits(before) == _digits(after):
        return Change.SPELLING
    if _is_one_value(before, after) or (
        len(before) == len(after)
        and all([a == b or is_variant(a, b) for a, b in zip(lower_before, lower_after)])
    ):
        return Change.SPELLING
    return None


cdef tuple _lower(tuple words):
    return tuple([(<str>word).lower() for word in words])


cdef bint _has_letters(str one, str other):
    """Whether two texts have the same letters and digits in the same order."""
    cdef Py_ssize_t j = 0
    cdef Py_UCS4 letter
    for letter in one:
        if not letter.isalnum():
            continue
        while j < len(other) and not other[j].isalnum():
            j += 1
        if j == len(other) or other[j] != letter:
            return False
        j += 1
    return not _is_word(other[j:])


cdef list _digits(tuple tokens):
    return _NUMBER.findall(" ".join(tokens))


cdef bint _is_one_value(tuple before, tuple after):
    """Whether both sides are one value and nothing else, and the same: five, 5; II, 2."""
    if len(before) == len(after) == 1 and (
        _NUMERALS.get(before[0]) == after[0] or _NUMERALS.get(after[0]) == before[0]
    ):
        return True
    one = only_value(before)
    other = one and only_value(after)
    return bool(one and other and (one.kind, one.key) == (other.kind, other.key))


cdef _value_of(side, tuple words, tuple indices):
    """Return the value that holds all tokens of an edit, or None."""
    if not readings(words[0]):
        return None  # a value holds no such token
    for each in find_values(side.tokens):
        if not each.rank and each.start <= indices[0] and indices[len(indices) - 1] < each.end:
            return each
    return None


cdef bint _is_typo(source, target, tuple before, tuple after, tuple rows, tuple columns):
    """Whether words differ by typing errors, where one of the two is not a known word."""
    cdef Py_ssize_t k
    if len(before) != len(after):
        return False
    for k in range(len(before)):
        if before[k] != after[k] and not (
            is_typo(before[k], after[k])
            and _is_known(_lemmas(source, rows)[k]) != _is_known(_lemmas(target, columns)[k])
        ):
            return False
    return True


cdef bint _is_known(lemma):
    return _wordnet().vocabulary.find(lemma) >= 0


@cache
def _wordnet():
    return WordNet.open_shipped()


cdef list _words(tuple tokens):
    return [token for token in tokens if _is_word(token)]


cdef bint _is_word(str token):
    """Whether a token has a letter or digit."""
    cdef Py_UCS4 letter
    for letter in token:
        if letter.isalnum():
            return True
    return False


cdef list _lemmas(side, tuple indices):
    words = side.lemmas or side.tokens
    return [words[i].lower() for i in indices]


cdef bint _is_negated(tuple words):
    return sum([negates(word.lower()) for word in words]) % 2 == 1
