"""The tables of the tagger and the parser, trained on a treebank."""
