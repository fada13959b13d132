"""How English is written: annotators, the lexicon, and rules of spelling and of values."""
