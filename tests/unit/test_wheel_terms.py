"""Each of the three wheels names the terms of what it holds, and carries their texts alone."""

from __future__ import annotations

import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from tokalign.cli.info import license_terms as printed_terms
from tokalign.files.shipped import data_dir

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ENDINGS = {".table", ".tokalign", ".tsv", ".txt"}
DATA = [path.name for path in data_dir().iterdir() if path.suffix in ENDINGS]
EXPRESSIONS = {
    "tokalign": "Apache-2.0",
    "tokalign-data": PROJECT["license"],
    "tokalign-neural-data": "Apache-2.0 AND CC0-1.0 AND LicenseRef-research-use",
}


@pytest.fixture(scope="module")
def packaging():
    """The modules split and terms of packaging/, which import each other by these names."""
    sys.path.insert(0, str(ROOT / "packaging"))
    try:
        import split
        import terms
    finally:
        sys.path.remove(str(ROOT / "packaging"))
    yield split, terms
    del sys.modules["split"], sys.modules["terms"]


def whole_wheel(split, into: Path, data: list[str]) -> Path:
    """Pack a wheel of all of tokalign whose files of data hold a version alone."""
    texts = [path for pattern in PROJECT["license-files"] for path in ROOT.glob(pattern)]
    named = [f"License-File: {path.relative_to(ROOT).as_posix()}" for path in sorted(texts)]
    head = ["Metadata-Version: 2.4", "Name: tokalign", "Version: 1.0"]
    rest = ["Provides-Extra: neural", 'Requires-Dist: onnx; extra == "neural"', "", "Read me."]
    # setuptools writes the expression and the files apart.
    expression = f"License-Expression: {PROJECT['license']}"
    lines = [*head, expression, "Requires-Python: >=3.11", *named, *rest]
    folder = into / "tokalign-1.0"
    info = folder / "tokalign-1.0.dist-info"
    (folder / "tokalign" / "data").mkdir(parents=True)
    (folder / "tokalign" / "__init__.py").touch()
    for name in data:
        (folder / "tokalign" / "data" / name).write_text("1.0")
    for path in texts:
        copy = info / "licenses" / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    (info / "METADATA").write_text("\n".join(lines))
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n")
    (info / "RECORD").touch()
    split.packed(folder, into)
    (wheel,) = into.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheels(packaging, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheels")
    split, _ = packaging
    split.split(whole_wheel(split, folder, DATA), folder / "split")
    found = sorted((folder / "split").glob("*.whl"))
    return {path.name.partition("-")[0].replace("_", "-"): path for path in found}


def test_each_wheel_names_the_licences_of_its_own_files(packaging, wheels):
    _, terms = packaging
    assert {name: terms.check(path) for name, path in wheels.items()} == EXPRESSIONS


def test_each_wheel_carries_the_texts_of_its_own_licences(wheels):
    found = {}
    for name, path in wheels.items():
        with zipfile.ZipFile(path) as archive:
            (metadata,) = (each for each in archive.namelist() if each.endswith("/METADATA"))
            said = message_from_bytes(archive.read(metadata))
            folder = metadata.removesuffix("METADATA") + "licenses/"
            texts = {each.removeprefix(folder) for each in archive.namelist() if folder in each}
            assert texts == set(said.get_all("License-File"))
            assert said["License-Expression"] == EXPRESSIONS[name]
            found[name] = {Path(each).stem for each in texts}
    others = {"CC-BY-SA-4.0", "CC-BY-3.0", "CC0-1.0", "ODC-By-1.0", "PDDL-1.0"}
    assert found == {
        "tokalign": {"LICENSE"},
        "tokalign-data": {"LICENSE", "NOTICE"} | others,
        "tokalign-neural-data": {"LICENSE", "NOTICE", "CC0-1.0"},
    }


def test_the_notice_of_a_wheel_is_of_its_own_files(wheels):
    with zipfile.ZipFile(wheels["tokalign-neural-data"]) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("/NOTICE"))
        text = archive.read(name).decode()
    assert "== gates.table" in text
    assert "== LicenseRef-research-use" in text
    assert "Princeton" not in text


def test_a_wheel_that_names_more_is_refused(packaging, tmp_path):
    split, terms = packaging
    wheel = whole_wheel(split, tmp_path, ["version.txt", "en.tokalign"])
    with pytest.raises(SystemExit, match="more or less than it holds: expression, texts, notice"):
        terms.check(wheel)


def test_a_file_without_terms_is_refused(packaging):
    _, terms = packaging
    with pytest.raises(SystemExit, match=r"no licence for new\.table"):
        terms.licences(["en.tokalign", "new.table"])


def test_all_files_together_have_the_terms_of_the_project(packaging):
    _, terms = packaging
    assert " AND ".join(terms.licences(DATA, has_code=True)) == PROJECT["license"]
    assert terms.OF_FILES.keys() == set(DATA) - terms.WITHOUT_TERMS


def test_the_notice_has_a_section_for_each_file(packaging):
    _, terms = packaging
    sections = (ROOT / "NOTICE").read_text().split("\n== ")[1:]
    named = {name for each in sections for name in terms.names_of(each)}
    assert named == terms.OF_FILES.keys() | {terms.RESEARCH}


def test_headers_and_the_table_of_terms_agree(packaging):
    """A header says the same in words: each licence that it names, and research use or not."""
    _, terms = packaging
    endings = {"model": ".tokalign", "table": ".table"}
    for each in printed_terms():
        kind, _, name = each["name"].partition(" ")
        if kind == "code":
            continue
        own = terms.OF_FILES[f"{name}{endings[kind]}" if name else kind]
        says_research = "research" in each["license"]
        assert says_research == (terms.RESEARCH in own), each["name"]
        spdx = [each for each in terms.ORDER if not each.startswith("LicenseRef-")]
        assert {one for one in spdx if one in each["license"]} <= set(own), each["name"]
