from tokalign.english.lexicon.vocabulary import Vocabulary
from tokalign.files.tables import Table

POS_LETTERS: str
SYNONYM: int
DERIVED: int
DERIVED_SYNONYM: int

def relation_bit(name: str) -> int: ...

class WordNet:
    source: Table
    vocabulary: Vocabulary
    def __init__(self, source: Table) -> None: ...
    @classmethod
    def open_shipped(cls) -> WordNet: ...
    def entry(self, lemma: str, pos: int) -> int: ...
    def relations(self, a: str, b: str, pos_a: str = ..., pos_b: str = ...) -> frozenset[str]: ...
