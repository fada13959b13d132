"""Lower-case words around a period that the sentence splitter knows.

Written by hand, and checked on the training documents of UD English EWT.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER_LAST = _words(
    """
    mr mrs ms messrs dr drs prof rev fr gen sen rep reps gov st mt ft lt col maj capt cpt cmdr sgt
    cpl hon pres supt vs v cf e.g i.e eg ie approx ca al esp viz dist gal resp
    """
)
"""Abbreviations of words that never end a sentence."""
BEFORE_DIGITS = _words(
    """
    no nos p pp vol vols ch chap sec sect art arts fig figs eq eqs ref refs thm lem cor prop def ex
    ext para ser op ph tel title jan feb mar
    apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    """
)
"""Abbreviations that do not end a sentence before a number."""
BEFORE_LOWER = _words(
    """
    etc cont contd qty thm lem fig figs vol vols eqs refs sec sect chap approx avg dept est max misc
    """
)
"""Abbreviations that do not end a sentence before a lower-case word; three letters or more."""
SHORT_LAST = _words("in no it is me us so do go up on to by be of at he we my ok hi tv")
"""Words of two letters that are no abbreviation: they end a sentence also before lower case."""
GO_ON = _words(
    """
    is was has had will would and or of for in on at to by with also says said announced offers
    """
)
"""Words in lower case before which an exclamation mark is a part of a name: Yahoo! is a firm."""
LABELLED = _words(
    """
    section sec step chapter part article figure table appendix annex clause rule item note exercise
    question phase level schedule exhibit principle
    """
)
"""Words that begin a label with a number: Step 1. Open the lid."""
SELDOM_LAST = _words(
    """
    inc corp ltd co cos llc plc jr sr esq bros dept univ assn ave blvd rd hwy sq apt bldg jan feb
    mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun est min
    max misc ed eds trans incl excl tel ph dep attn ref rec gov adm
    """
)
"""Abbreviations that end a sentence if one of `FIRST_WORDS` follows, capitalised."""
FIRST_WORDS = _words(
    """
    the this that these those it he she we they you i a an in on at but and if when however for as
    there what why how who where my our your his her their its is are was please thanks so also
    after before while although since then now no not yes to from with do does did can could would
    should have has one some many most all both each another other here let just only even still
    once during because
    """
)
"""Words that most likely begin a sentence when they are capitalised."""
LONGEST_WORD = 24
"""Number of characters looked at before a period, and after it."""
