"""The accuracy of alignments on corpora, and of what they are used for."""
