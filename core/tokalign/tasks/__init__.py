"""Methods of `Aligner` for many sentences, chunks and texts, by subject."""
