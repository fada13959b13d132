"""The table of word vectors: where they start from, and how they are bent."""
