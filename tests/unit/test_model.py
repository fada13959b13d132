"""Model files: they are read back as they were written, and damage is reported."""

import dataclasses
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from tokalign.crf.chains import TRANSITION_NAMES
from tokalign.errors import ModelError, ModelVersionError
from tokalign.features.feature_groups import FeatureTable
from tokalign.model import Model, ModelHeader, load_model, save_model
from tokalign.model.styles import OwnWeights, StyleHeader

GROUPS = ("string", "pos", "null")


def random_model() -> Model:
    rng = np.random.default_rng(0)
    table = FeatureTable(GROUPS)
    weights = np.zeros((table.n_slots, 2), dtype=np.float32)
    used = rng.choice(table.n_slots, size=40, replace=False)
    weights[used] = rng.normal(size=(40, 2))
    weights[used[0]] = (0.0, 1e-7)
    header = ModelHeader(
        name="tiny",
        version="0.1.2",
        description="Für Tests \N{EN DASH} “quoted”",
        license="none",
        corpora=("one", "two"),
        feature_groups=GROUPS,
        annotator="native",
        uses_trees=False,
        settings={"l2": 8.0, "pairs": {"one": 3}},
        figures={"f1": 0.9},
    )
    return Model(header, table, weights, rng.normal(size=(2, len(TRANSITION_NAMES))))


STYLES: tuple[StyleHeader, ...] = (
    {"name": "tight", "links": "little", "threshold": 0.45},
    {
        "name": "loose",
        "links": "much",
        "threshold": 0.25,
        "raw": (0.0, 0.5, 1.0),
        "calibrated": (0.0, 0.25, 0.9),
    },
)


def styled_model() -> Model:
    plain, rng = random_model(), np.random.default_rng(1)
    slots = np.array([1, 5, plain.table.n_slots - 1], dtype=np.int32)
    own = (
        OwnWeights(
            slots,
            rng.normal(size=(3, 2)).astype(np.float32),
            rng.normal(size=(2, len(TRANSITION_NAMES))),
        ),
        OwnWeights(slots[:0], np.zeros((0, 2), np.float32), np.zeros((2, len(TRANSITION_NAMES)))),
    )  # fmt: skip
    header = dataclasses.replace(plain.header, styles=STYLES)
    return dataclasses.replace(plain, header=header, own=own)


@pytest.fixture
def styled_path(tmp_path: Path) -> Path:
    path = tmp_path / "styled.tokalign"
    save_model(styled_model(), path)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.tokalign"
    save_model(random_model(), path)
    return path


def rewrite(path: Path, change) -> None:
    """Change the lines of a model file and give it the digest that fits."""
    lines = path.read_text("utf-8").splitlines()[:-1]
    body = "".join(f"{line}\n" for line in change(lines)).encode("utf-8", "surrogateescape")
    path.write_bytes(body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode())


def rewrite_header(path: Path, **changes: object) -> None:
    def change(lines: list[str]) -> list[str]:
        fields = json.loads(lines[1]) | changes
        kept = {key: value for key, value in fields.items() if value is not None}
        return [lines[0], json.dumps(kept), *lines[2:]]

    rewrite(path, change)


def test_a_model_is_read_back_to_five_digits(path: Path) -> None:
    model, found = random_model(), load_model(path)
    assert dataclasses.replace(found.header, digest="") == model.header
    assert found.table.groups == GROUPS
    np.testing.assert_allclose(found.weights, model.weights, rtol=5e-5)
    np.testing.assert_allclose(found.transitions, model.transitions, rtol=5e-5)
    assert found.weights.dtype == np.float32
    assert found.transitions.dtype == np.float64


def test_a_read_model_is_written_as_the_same_bytes(path: Path, tmp_path: Path) -> None:
    save_model(load_model(path), tmp_path / "again")
    save_model(random_model(), tmp_path / "anew")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    assert (tmp_path / "anew").read_bytes() == path.read_bytes()


def test_the_digest_is_that_of_the_lines_before_it(path: Path) -> None:
    body, _, last = path.read_bytes().rstrip(b"\n").rpartition(b"\n")
    digest = hashlib.sha256(body + b"\n").hexdigest()
    assert last == f"sha256 {digest}".encode()
    assert load_model(path).header.digest == digest


def test_a_file_can_be_read_by_eye(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert lines[0] == "tokalign-model 1"
    assert json.loads(lines[1])["name"] == "tiny"
    assert lines[2] == "feature\ts2t\tt2s"
    assert sum(line.startswith("transition:") for line in lines) == len(TRANSITION_NAMES)
    assert all(len(line.split("\t")) == 3 for line in lines[2:-1])


def test_features_that_weigh_nothing_have_no_line(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    weighing = int(random_model().weights.any(axis=1).sum())
    assert len(lines) == 3 + weighing + len(TRANSITION_NAMES) + 1


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nothing: cannot be read: No such file"):
        load_model(tmp_path / "nothing")


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read: Is a directory"):
        load_model(tmp_path)


@pytest.mark.parametrize(
    "first",
    [b"", b"{}", b"\x80\x02pickle", b"tokalign-model", b"tokalign-model one",
     "tokalign-model \N{SUPERSCRIPT TWO}".encode(), b"other-model 1"],
)  # fmt: skip
def test_a_file_of_another_kind(path: Path, first: bytes) -> None:
    path.write_bytes(first + b"\n" + path.read_bytes().partition(b"\n")[2])
    with pytest.raises(ModelError, match="not a model file") as caught:
        load_model(path)
    assert not isinstance(caught.value, ModelVersionError)


@pytest.mark.parametrize("version", ["3", "10", "9" * 5000])
def test_a_newer_version(path: Path, version: str) -> None:
    rewrite(path, lambda lines: [f"tokalign-model {version}", *lines[1:]])
    with pytest.raises(
        ModelVersionError, match=r"has format \d+, this tokalign reads up to 2; upgrade"
    ):
        load_model(path)


def test_truncation_anywhere(path: Path) -> None:
    content = path.read_bytes()
    for length in {1, 10, 17, 40, len(content) // 2, len(content) - 80, len(content) - 2}:
        path.write_bytes(content[:length])
        with pytest.raises(ModelError, match=r"truncated|damaged|not a model file"):
            load_model(path)


def test_a_changed_byte_anywhere(path: Path) -> None:
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    places = [*rng.integers(20, len(content) - 1, size=100).tolist(), len(content) - 3]
    for place in places:
        for mask in (0x01, 0x80):
            damaged = bytearray(content)
            damaged[place] ^= mask
            path.write_bytes(bytes(damaged))
            with pytest.raises(ModelError, match=r"damaged|truncated"):
                load_model(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": None}, "bad header: it has no field 'name'"),
        ({"colour": "red"}, "bad header: it has an unknown field 'colour'"),
        ({"corpora": 3}, "bad header: corpora is 3; wanted a list"),
        ({"corpora": None}, "bad header: it has no field 'corpora'"),
        ({"feature_groups": ["string", "magic"]}, r"unknown feature groups \['magic'\]"),
    ],
)
def test_a_bad_header(path: Path, changes: dict[str, object], message: str) -> None:
    rewrite_header(path, **changes)
    with pytest.raises(ModelError, match=rf"tiny\.tokalign:2: {message}"):
        load_model(path)


@pytest.mark.parametrize("header", ["[]", "5", "{", "", '"x"'])
def test_a_header_that_is_no_object(path: Path, header: str) -> None:
    rewrite(path, lambda lines: [lines[0], header, *lines[2:]])
    with pytest.raises(ModelError, match=r":2: bad header"):
        load_model(path)


@pytest.mark.parametrize(
    "line",
    [
        "string[nonsense]\t1\t2",
        "run[1 content-content]\t1\t2",  # a feature of a group that is off
        "string[prefix]\t1",
        "string[prefix]\t1\tmuch",
        "transition:nonsense\t1\t2",
        "",
    ],
)
def test_a_bad_weight_line(path: Path, line: str) -> None:
    rewrite(path, lambda lines: [*lines[:3], line, *lines[3:]])
    with pytest.raises(ModelError, match=r"tiny\.tokalign:4: bad weight line"):
        load_model(path)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e39", "-1.1e6"])
@pytest.mark.parametrize("name", ["string[prefix]", "transition:jump:+1"])
def test_a_weight_that_is_no_finite_number(path: Path, name: str, value: str) -> None:
    rewrite(path, lambda lines: [*lines, f"{name}\t0\t{value}"])
    with pytest.raises(
        ModelError, match=r"tiny\.tokalign:\d+: bad weight line .*wanted numbers of at most 1000000"
    ):
        load_model(path)


def test_a_wrong_column_line(path: Path) -> None:
    rewrite(path, lambda lines: [*lines[:2], "feature\tt2s\ts2t", *lines[3:]])
    with pytest.raises(ModelError, match=r":3: "):
        load_model(path)


def test_text_that_is_not_utf_8(path: Path) -> None:
    rewrite(path, lambda lines: [*lines, "string[prefix]\udcff\t1\t2"])
    with pytest.raises(ModelError, match=r"tiny\.tokalign:\d+: bad weight line .*utf-8"):
        load_model(path)


def test_styles_are_read_back(styled_path: Path, tmp_path: Path) -> None:
    model, read = styled_model(), load_model(styled_path)
    assert read.header.styles == STYLES
    np.testing.assert_allclose(read.weights, model.weights, rtol=1e-4)
    for one, other in zip(read.own, model.own, strict=True):
        np.testing.assert_array_equal(one.slots, other.slots)
        np.testing.assert_allclose(one.weights, other.weights, rtol=1e-4)
        np.testing.assert_allclose(one.transitions, other.transitions, rtol=1e-4)
    save_model(read, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == styled_path.read_bytes()


def test_a_styles_weights_are_added_to_the_shared_ones() -> None:
    model = styled_model()
    weights, transitions = model.summed()
    assert weights.shape == (2, model.table.n_slots, 2)
    for style, own in enumerate(model.own):
        wanted = model.weights.copy()
        for slot, added in zip(own.slots, own.weights, strict=True):
            wanted[slot] += added
        np.testing.assert_array_equal(weights[style], wanted)
        np.testing.assert_array_equal(transitions[style], model.transitions + own.transitions)
    plain = random_model()
    np.testing.assert_array_equal(plain.summed()[0], plain.weights[None])


def test_a_model_without_styles_is_a_file_of_format_1(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert lines[0] == "tokalign-model 1"
    assert "styles" not in json.loads(lines[1])


def test_as_many_weights_as_styles() -> None:
    with pytest.raises(ModelError, match="weights of 0 styles; the header has 2"):
        dataclasses.replace(styled_model(), own=())


def test_styles_and_formats_that_disagree(path: Path, styled_path: Path) -> None:
    rewrite(path, lambda lines: ["tokalign-model 2", *lines[1:]])
    rewrite(styled_path, lambda lines: ["tokalign-model 1", *lines[1:]])
    for each in (path, styled_path):
        with pytest.raises(ModelError, match=r":2: the header has \d styles"):
            load_model(each)


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [line for line in lines if line != "style loose"],
        lambda lines: [*lines, "style more"],
        lambda lines: [line.replace("style tight", "style loose") for line in lines],
    ],
)
def test_sections_other_than_the_headers_styles(styled_path: Path, change) -> None:
    rewrite(styled_path, change)
    wanted = r"styled\.tokalign:\d+: (has (no more styles|the style '\w+');|bad weight line)"
    with pytest.raises(ModelError, match=wanted):
        load_model(styled_path)


def test_a_bad_line_of_a_style_is_named(styled_path: Path) -> None:
    rewrite(styled_path, lambda lines: [*lines, "string[nonsense]\t1\t2"])
    number = len(styled_path.read_text("utf-8").splitlines()) - 1
    with pytest.raises(ModelError, match=rf"styled\.tokalign:{number}: bad weight line"):
        load_model(styled_path)


@pytest.mark.parametrize(
    ("style", "message"),
    [
        ({"threshold": 0}, r"style tight: threshold is 0; wanted one in \(0, 1\]"),
        ({"threshold": 1.5}, r"styles\[0\]\.threshold is 1\.5; wanted a number from 0 to 1"),
        ({"threshold": True}, r"styles\[0\]\.threshold is True"),
        ({"name": "loose"}, "two styles have one name"),
        ({"name": "../x"}, r"styles\[0\]\.name is '\.\./x'; wanted a name"),
        ({"colour": "red"}, r"styles\[0\] has an unknown field 'colour'"),
        ({"name": "auto"}, "or one is auto"),
        ({"beside": 0.9, "threshold": 0.5}, "beside is 0.9; wanted one in"),
        ({"unlike": [1]}, "unlike is .*; wanted a slope above 0"),
        ({"unlike": [-1, 0]}, "unlike is .*; wanted a slope above 0"),
        ({"unlike": [1, 1e9]}, "wanted a number of at most 1e6"),
        ({"choice": [0] * 17}, "some styles have weights of the choice"),
        ({"asks": 1}, r"styles\[0\]\.asks is 1; wanted true or false"),
        ({"raw": [0, 1]}, "2 raw and 0 calibrated knots"),
        ({"raw": [0.1, 1], "calibrated": [0, 1]}, r"raw goes from 0\.1 to 1"),
        ({"raw": [0, 1], "calibrated": [0.5, 0.5]}, "calibrated does not rise"),
        ({"raw": [0, 0.5, 0.5, 1], "calibrated": [0, 0.1, 0.2, 1]}, "raw does not rise"),
        ({"raw": [k / 16 for k in range(17)], "calibrated": [k / 16 for k in range(17)]},
         "17 raw and 17 calibrated knots"),
    ],
)  # fmt: skip
def test_a_bad_style(styled_path: Path, style: dict[str, object], message: str) -> None:
    changed = [dict(STYLES[0]) | style, STYLES[1]]
    rewrite_header(styled_path, styles=changed)
    with pytest.raises(ModelError, match=rf":2: bad header: .*{message}"):
        load_model(styled_path)


def test_a_choice_of_another_length(styled_path: Path) -> None:
    rewrite_header(styled_path, styles=[dict(style) | {"choice": [0.5] * 3} for style in STYLES])
    with pytest.raises(ModelError, match="3 weights of the choice; wanted 16"):
        load_model(styled_path)


def test_two_styles_of_pairs_with_a_question(styled_path: Path) -> None:
    rewrite_header(styled_path, styles=[dict(style) | {"asks": True} for style in STYLES])
    with pytest.raises(ModelError, match="several styles are those of pairs with a question"):
        load_model(styled_path)


def test_too_many_styles(styled_path: Path) -> None:
    many = [{"name": f"s{k}", "links": "", "threshold": 0.5} for k in range(9)]
    rewrite_header(styled_path, styles=many)
    with pytest.raises(ModelError, match="it has 9 styles; wanted at most 8"):
        load_model(styled_path)
