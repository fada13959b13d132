"""What commands read and write, line by line: sources, sinks, formats and runs."""
