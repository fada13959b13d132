"""English as it is written: tokens, tags, tables, spelling, values."""
