"""Checks an installed tokalign that has one extra: what must work does, and the rest says what to
install.

    python tests/extras.py EXTRA [EXTRA...]      (base: none of them)

Run with the environment's python, outside the source. Exits 1 at the first thing that is wrong.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

USES = {
    "arrow": "import tokalign.arrow",
    "client": "from tokalign.client import Client; Client('localhost:1')",
    "dedupe": "from tokalign.comparison.near_duplicates import Signatures; Signatures()",
    "deepeval": "import tokalign.integrations.deepeval",
    "haystack": "import tokalign.integrations.haystack",
    "langchain": "import tokalign.integrations.langchain",
    "llama-index": "import tokalign.integrations.llama_index",
    "mcp": "import tokalign.integrations.mcp",
    "ragas": "import tokalign.integrations.ragas",
    "spacy": "import tokalign.integrations.spacy",
    "neural": "from tokalign import Aligner; Aligner.load('en-neural').align('a dog', 'dogs')",
    "server": "from tokalign.cli.shared_flags import require; require('serve', 'server')"
    "; import tokalign.server.rpc.frontend, tokalign.server.http.routes",
    "train": "from tokalign.model.training.train import optimizer; optimizer()",
    "otel": "from tokalign.server.observe.tracing import otlp_provider; otlp_provider().shutdown()",
    "remote": "from tokalign.cli.lines.sources import open_url; open_url('memory://x', 'wb')",
    "zstd": "from tokalign.files.packed import zstd_module; zstd_module().compress(b'x')",
}
"""What each extra makes possible, as a program."""

BRINGS = {
    "server": {"server", "client"},
    "neural": {"neural", "remote"},
}
"""Extra -> all that it brings, where that is more than itself. The tokenizers of the neural models
bring fsspec."""

BASE = """
from tokalign import Aligner
alignment = Aligner.load().align("Marta opened a bakery.", "The bakery Marta founded.")
assert (0, 2) in {(link.source, link.target) for link in alignment.links}, alignment.links
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    """Return how a program ended in a new interpreter."""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )


def check(holds: bool, message: str) -> None:
    """Exit with the message unless the claim holds."""
    if not holds:
        sys.exit(f"extras test failed: {message}")


def main(extras: list[str]) -> None:
    """Check every use."""
    there = set().union(*(BRINGS.get(extra, {extra}) for extra in extras))
    done = run(BASE)
    check(done.returncode == 0, f"aligning: {done.stderr}")
    done = subprocess.run(
        [Path(sys.executable).parent / "tokalign", "align"],
        input="A dog barked.\tThe dogs barked.\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    check("1-1" in done.stdout, f"tokalign align: {done.stdout}{done.stderr}")
    for extra, program in USES.items():
        done = run(program)
        if extra in there:
            check(done.returncode == 0, f"with {extra}: {done.stderr}")
            continue
        last = done.stderr.strip().rpartition("\n")[2]
        check(done.returncode != 0, f"without {extra}: it works, so this test checks nothing")
        check(
            "MissingPackageError" in last and f"pip install '.[{extra}]'" in last,
            f"without {extra}: {done.stderr}",
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        import os

        os.chdir(folder)
        main([extra for extra in sys.argv[1:] if extra != "base"])
