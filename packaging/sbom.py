"""Writes what the wheels and the image are made of, as CycloneDX documents."""

import hashlib
import re
import tomllib
from datetime import UTC, datetime
from os import environ
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

PINNED = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>\S+) \\$")


def component(name: str, version: str | None, hashes: list[str], kind: ComponentType) -> Component:
    """Return a package by its name and version, with the digests of its files."""
    purl = PackageURL("pypi", name=name.lower(), version=version)
    found = [HashType.from_composite_str(f"sha256:{each}") for each in hashes]
    return Component(
        type=kind, name=name, version=version, purl=purl, hashes=found, bom_ref=str(purl)
    )


def locked(lock: Path) -> list[Component]:
    """Return the packages that a lock file names, each with all its digests."""
    packages: list[Component] = []
    for block in re.split(r"^(?=[\w.-]+==)", lock.read_text(), flags=re.M)[1:]:
        first, *rest = block.splitlines()
        if (pin := PINNED.match(first)) is None:
            raise SystemExit(f"{lock}: {first!r} is no pinned package with digests")
        digests = re.findall(r"--hash=sha256:([0-9a-f]{64})", "\n".join(rest))
        packages.append(component(pin["name"], pin["version"], digests, ComponentType.LIBRARY))
    return packages


def document(own: Component, parts: list[Component], file: Path) -> None:
    """Write one document; its bytes depend on its content and SOURCE_DATE_EPOCH alone."""
    bom = Bom(components=parts, dependencies=[])
    bom.metadata.component = own
    bom.metadata.timestamp = datetime.fromtimestamp(int(environ["SOURCE_DATE_EPOCH"]), UTC)
    content = "".join(sorted(f"{each.purl} {sorted(map(str, each.hashes))}" for each in parts))
    bom.serial_number = uuid5(NAMESPACE_URL, f"{own.purl} {content}")
    bom.dependencies.add(Dependency(own.bom_ref, [Dependency(each.bom_ref) for each in parts]))
    outputter = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6)
    file.write_text(outputter.output_as_string(indent=1) + "\n")


def write_sbom(pyproject: Path, lock: Path, dist: Path) -> None:
    """Write sbom-wheels.json and sbom-image.json into a folder of wheels.

    The first names each wheel with its digest and what the library needs, in no version, for pip
    chooses that; the second what the image's lock pins.
    """
    project = tomllib.loads(pyproject.read_text())["project"]
    name, version = project["name"], project["version"]
    own = component(name, version, [], ComponentType.APPLICATION)
    wheels = [
        Component(
            type=ComponentType.FILE,
            name=path.name,
            bom_ref=path.name,
            hashes=[
                HashType.from_composite_str(
                    f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
                )
            ],
        )
        for path in sorted(dist.glob("*.whl"))
    ]
    needed = [
        component(re.split(r"[<>=]", each)[0], None, [], ComponentType.LIBRARY)
        for each in project["dependencies"]
    ]
    document(own, [*wheels, *needed], dist / "sbom-wheels.json")
    document(own, locked(lock), dist / "sbom-image.json")
