"""What linked words and phrases say of one another: relations, conflicts and chunks."""
