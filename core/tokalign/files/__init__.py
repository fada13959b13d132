"""Files that are checked before use: headers, and tables of named arrays."""
