"""``python -m tokalign``: the command."""

from tokalign.cli.main import main

if __name__ == "__main__":
    main(prog_name="tokalign")
