"""The program: ``tokalign``, and ``python -m tokalign``."""

import gc
import os
import sys


def main() -> None:
    """Run the command line, by the resident process where that is wanted."""
    # A thread of NumPy's for each processor waits busily as it starts, and has nothing to do here.
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(100_000)  # what modules make stays, and would be searched a hundred times
    arguments = sys.argv[1:]
    if "--git" in arguments:
        from tokalign.cli import resident

        if resident.is_wanted(arguments) and (code := resident.ask(arguments)) is not None:
            sys.exit(code)
    from tokalign.cli.main import main as command

    command(prog_name="tokalign")


if __name__ == "__main__":
    main()
