"""English: annotators, the lexicon, and rules of spelling and of values."""
