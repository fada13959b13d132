"""Lines that commands read and write: their sources, sinks, formats and runs."""
