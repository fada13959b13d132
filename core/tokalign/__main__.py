"""The program: ``tokalign``, and ``python -m tokalign``."""

import sys

from tokalign.cli import resident


def main() -> None:
    """Run the command line, by the resident process where that is wanted."""
    arguments = sys.argv[1:]
    if resident.is_wanted(arguments) and (code := resident.ask(arguments)) is not None:
        sys.exit(code)
    from tokalign.cli.main import main as command

    command(prog_name="tokalign")


if __name__ == "__main__":
    main()
