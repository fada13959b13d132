"""What an aligner does with many sentences, chunks and texts: methods of `Aligner`, by subject."""
