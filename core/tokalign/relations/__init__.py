"""Relations of linked words and phrases, conflicts of sentences, and alignment of chunks."""
