"""Builds and checks all of a release, of what is committed, into dist/; nothing is uploaded.

    python packaging/release.py [PYTHON...]        (make release)

Without names, wheels are for every Python that may run tokalign, on the PATH or from pyenv, that
can compile. Then come the site, the OpenAPI
document, the descriptor set of the contract, what deploys and watches a server, what all is made
of, and the checksums. What the first Python builds, and all that no Python does, is built twice, in
two folders, and must have the same bytes. Each wheel is installed into empty environments, where
the README and the extras are used.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import extras
from sbom import write_sbom
from split import epoch
from terms import check
from wheels import ROOT, WORK, build, interpreters, run, tool, unpacked_sdist

DIST = ROOT / "dist"
DEVELOPER = ROOT / ".venv" / "bin"
"""Where MkDocs and buf are."""
MAX_BYTES = {
    "tokalign_data": 24_000_000,
    "tokalign_neural_data": 12_000_000,
    "tokalign": 8_000_000,
    ".tar.gz": 32_000_000,
}
"""What a user waits for, by the first part of a wheel's name; the sdist has all of it."""
OVERLAYS = {"envoy": "deploy", "plain": "deploy/kubernetes/base", "tls": "deploy/kubernetes/tls"}
OPENAPI = """
import json
from tokalign.server.http.openapi import openapi
print(json.dumps(openapi(), indent=1))
"""


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in a folder."""
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def pack(folder: Path, archive: Path) -> None:
    """Write a .tar.gz of a folder; its bytes depend on content and SOURCE_DATE_EPOCH alone."""
    time = int(os.environ["SOURCE_DATE_EPOCH"])
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = f"{archive.name.removesuffix('.tar.gz')}/{path.relative_to(folder).as_posix()}"
            member = tarfile.TarInfo(name)
            content = path.read_bytes()
            mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
            member.size, member.mtime, member.mode = len(content), time, mode
            tar.addfile(member, io.BytesIO(content))
    archive.write_bytes(gzip.compress(packed.getvalue(), mtime=time))


def write_site(clone: Path, archive: Path) -> None:
    """Write the pages and the API reference."""
    site = clone / "site"
    run(DEVELOPER / "mkdocs", "build", "-q", "-f", clone / "mkdocs.yml", "-d", site)
    for packed in site.rglob("*.gz"):
        packed.unlink()  # of the sitemap, with the time of now
    pack(site, archive)


def write_deployment(clone: Path, archive: Path) -> None:
    """Write deploy/, with dashboards and alerts, and the manifests that Kustomize renders."""
    kubectl = shutil.which("kubectl", path=f"{DEVELOPER}:{os.environ['PATH']}")
    if kubectl is None:
        raise SystemExit("no kubectl renders the manifests; packaging/kubectl.py fetches one")
    for name, folder in OVERLAYS.items():
        done = subprocess.run([kubectl, "kustomize", clone / folder], stdout=subprocess.PIPE)
        if done.returncode != 0:
            raise SystemExit(f"{kubectl} cannot render {folder}")
        (clone / "deploy" / f"kubernetes-{name}.yaml").write_bytes(done.stdout)
    pack(clone / "deploy", archive)


def pack_sdist(source: Path, dist: Path) -> None:
    """Pack the sdist again: setuptools gives its files the time of now."""
    pack(source, dist / f"{source.name}.tar.gz")


def write_all(clone: Path, dist: Path, version: str) -> None:
    """Write what is the same for every Python, but for the wheels of data."""
    write_site(clone, dist / f"tokalign-{version}-site.tar.gz")
    write_deployment(clone, dist / f"tokalign-{version}-deploy.tar.gz")
    contract = dist / f"tokalign-{version}.binpb"
    as_frozen = ("--exclude-source-info", "--as-file-descriptor-set")
    run(DEVELOPER / "buf", "build", clone, *as_frozen, "-o", contract)
    if contract.read_bytes() != (clone / "protos" / f"{version}.binpb").read_bytes():
        raise SystemExit(f"protos/{version}.binpb is another contract; `make freeze` writes it")


def use(source: Path, python: str, name: str, wheel: Path) -> Path:
    """Install the wheel of one Python into an empty environment, and use it there.

    Returns
    -------
    Path
        The environment's interpreter.
    """
    wanted = f"tokalign[server] @ {wheel.resolve().as_uri()}"
    found = extras.environment(name, python, DIST, wanted)
    run(found, source / "tests" / "smoke.py")
    run(found, source / "docs" / "examples.py", "--check", source / "README.md", cwd=WORK)
    return found


def check_reproducible(python: str, name: str, version: str) -> None:
    """Build once more, from another clone in another folder; SystemExit if a byte differs."""
    again = WORK / "again"
    clone, dist = again / "clone", again / "dist"
    dist.mkdir(parents=True)
    run("git", "clone", "-q", WORK / "clone", clone)  # of the same commit, whatever came since
    source = unpacked_sdist(clone, dist, again / "source")
    pack_sdist(source, dist)
    build(source, python, name, dist)
    write_all(clone, dist, version)
    first = digests(DIST)
    for file, digest in digests(dist).items():
        if first.get(file) != digest:
            raise SystemExit(f"two builds differ: {file} was {first.get(file)} and is {digest}")


def print_table() -> None:
    """Print what is in dist/, with sizes and licences; SystemExit if one is too large."""
    print("| file | MB | licences |")
    print("| --- | --- | --- |")
    for path in sorted(DIST.iterdir()):
        n_bytes = path.stat().st_size
        terms = check(path) if path.suffix == ".whl" else ""
        print(f"| {path.name} | {n_bytes / 1e6:.2f} | {terms} |")
        first = path.name.partition("-")[0] if path.suffix == ".whl" else ".tar.gz"
        if n_bytes > MAX_BYTES[first]:
            raise SystemExit(f"{path.name} is larger than {MAX_BYTES[first] / 1e6:.0f} MB")


def main(named: list[str]) -> None:
    """Do all of it."""
    pythons = interpreters(named)
    for folder in (DIST, WORK):
        shutil.rmtree(folder, ignore_errors=True)
    DIST.mkdir()
    os.environ["SOURCE_DATE_EPOCH"] = epoch(ROOT)
    version = extras.project()["version"]
    clone = WORK / "clone"
    run("git", "clone", "-q", ROOT, clone)
    source = unpacked_sdist(clone, DIST, WORK / "source")
    pack_sdist(source, DIST)
    write_all(clone, DIST, version)
    for (major, minor), python in pythons.items():
        print(f"== {major}.{minor}: {python}", flush=True)
        name = f"cp{major}{minor}"
        build(source, python, name, DIST)
        (wheel,) = DIST.glob(f"tokalign-*-{name}-manylinux*.whl")
        found = use(source, python, name, wheel)
        if python == next(iter(pythons.values())):
            (DIST / f"tokalign-{version}-openapi.json").write_text(extras.run(found, "-c", OPENAPI))
            check_reproducible(python, name, version)
            extras.use_all(python, DIST, wheel)
    packages = [path for path in DIST.iterdir() if path.suffix == ".whl"]
    tool("twine", "check", "--strict", *packages, DIST / f"tokalign-{version}.tar.gz")
    write_sbom(ROOT / "pyproject.toml", ROOT / "deploy" / "requirements.lock", DIST)
    print_table()
    sums = "".join(f"{digest}  {file}\n" for file, digest in digests(DIST).items())
    (DIST / "SHA256SUMS").write_text(sums)
    print(sums, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
