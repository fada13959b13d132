"""The command line: ``main.py`` and a file for each subcommand, or for a few."""
