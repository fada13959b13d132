"""The project's own corpus: its notes, the agreement of passes, and the files of its parts."""
