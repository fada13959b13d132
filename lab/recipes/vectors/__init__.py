"""The table of word vectors: their starting values and their training."""
