"""Evidence for the words of an answer in source passages."""
