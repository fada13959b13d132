"""Figures that support is judged by, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from lab.recipes.support import area, best_threshold, calibration, f1, precision_at

SUPPORT = np.array([0.1, 0.2, 0.4, 0.6, 0.8, 0.9])
SUPPORTED = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 1.0])


def test_area_is_the_share_of_pairs_in_the_right_order():
    assert area(SUPPORT, SUPPORTED) == pytest.approx(8 / 9)  # 0.6 stands above 0.4


def test_equal_values_count_half():
    assert area(np.ones(4), np.array([0.0, 1.0, 0.0, 1.0])) == 0.5


def test_f1_of_what_is_flagged():
    assert f1(SUPPORT, SUPPORTED, 0.3) == pytest.approx(0.8)  # two of two flagged, two of three
    assert f1(SUPPORT, SUPPORTED, 0.0) == 0.0


def test_the_best_threshold_flags_all_three():
    assert 0.6 < best_threshold(SUPPORT, SUPPORTED) <= 0.8


def test_precision_at_a_recall_is_of_the_fewest_flagged():
    assert precision_at(SUPPORT, SUPPORTED, 0.4) == 1.0
    assert precision_at(SUPPORT, SUPPORTED, 1.0) == 0.75


def test_perfect_support_is_calibrated():
    supported = np.array([0.0] * 10 + [1.0] * 10)
    assert calibration(supported, supported) == 0.0
    assert calibration(1.0 - supported, supported) == pytest.approx(1.0)
