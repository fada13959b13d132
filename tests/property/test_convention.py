"""Confidences link by link against those of whole arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.decisions import calibrate
from tokalign.decoding.link_decision import Convention
from tokalign.model.styles import DEFAULT_THRESHOLD

inside = st.floats(0.001, 0.999, allow_subnormal=False)


@st.composite
def styles(draw) -> dict[str, object]:
    n_knots = draw(st.integers(0, 14))
    raw, calibrated = (
        [0.0, *sorted(draw(st.sets(inside, min_size=n_knots, max_size=n_knots))), 1.0]
        for _ in range(2)
    )
    calibrated[0], calibrated[-1] = draw(st.floats(0.0, 0.0005)), draw(st.floats(0.9995, 1.0))
    style = {"name": "x", "links": "", "threshold": 0.4, "raw": raw, "calibrated": calibrated}
    if draw(st.booleans()):
        style["unlike"] = draw(st.floats(0.1, 3.0)), draw(st.floats(-3.0, 3.0))
    return style


@given(styles(), st.lists(st.floats(0.0, 1.0), max_size=20), st.booleans())
def test_a_confidence_is_that_of_the_array(style, posteriors, are_unlike) -> None:
    convention = Convention(style)
    at = [*posteriors, *style["raw"]]
    found = [convention.confidence(each, are_unlike) for each in at]
    unlike = np.full(len(at), are_unlike)
    np.testing.assert_allclose(found, calibrate(style, np.array(at), unlike), rtol=1e-9, atol=1e-12)
    grid = np.array([at, at])
    assert convention.confidences(grid, np.array([unlike, unlike])).tolist() == [found, found]
    assert min(found) >= 0.0
    assert max(found) <= 1.0


def test_without_knots_a_confidence_is_the_posterior() -> None:
    convention = Convention({"name": "x", "links": "", "threshold": DEFAULT_THRESHOLD})
    assert convention.threshold == DEFAULT_THRESHOLD
    for are_unlike in (False, True):
        assert convention.confidence(0.3, are_unlike) == pytest.approx(0.3, abs=0)
