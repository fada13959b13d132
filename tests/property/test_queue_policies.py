"""Calls with deadlines in simulated time: what is let in is answered, whatever comes."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.queue_simulation import SPEED, Arrival, arrivals, simulate

ALIGN = [4]  # fewer calls than of one pair each, so that the simulation is quick
RANK = [1] * 50
BATCH = [1] * 100
LONG = [60]
SECONDS = 4.0
CAPACITY = 2 * SPEED


def ran(calls, **settings):
    with pytest.MonkeyPatch.context() as patch:
        return asyncio.run(simulate(calls, patch, **settings))


@pytest.mark.parametrize("times", [1.5, 3])
@pytest.mark.parametrize("within_s", [0.5, 2.0])
@pytest.mark.parametrize(
    "kinds",
    [
        [(ALIGN, True)],
        [(RANK, True)],
        [(BATCH, False)],
        [(ALIGN, True)] * 8 + [(RANK, True), (BATCH, False)],
        [(ALIGN, True)] * 8 + [(RANK, True), (BATCH, False), (LONG, False)],
    ],
    ids=["align", "rank", "batch", "mix", "mix-with-long-pairs"],
)
def test_goodput_under_overload_is_nearly_the_capacity(kinds, within_s, times):
    every = [(costs, within_s, interactive) for costs, interactive in kinds]
    done = ran(arrivals(every, times * CAPACITY, SECONDS, seed=1))
    assert done.in_time >= 0.85 * CAPACITY * SECONDS
    assert done.late + done.dropped <= 0.05 * done.in_time


def test_without_refusals_the_same_load_collapses():
    calls = arrivals([(RANK, 1.0, True)], 3 * CAPACITY, SECONDS, seed=1)
    done = ran(calls, refuses=False)
    assert done.in_time < 0.4 * CAPACITY * SECONDS < done.late


def test_below_the_capacity_nothing_is_refused():
    every = [(ALIGN, 1.0, True)] * 8 + [(RANK, 1.0, True), (BATCH, 1.0, False)]
    done = ran(arrivals(every, 0.7 * CAPACITY, SECONDS, seed=2))
    assert done.refused == done.late == done.dropped == 0


def test_short_deadlines_are_kept_beside_long_ones():
    every = [(RANK, 0.3, True), (BATCH, 2.0, False)]
    done = ran(arrivals(every, 0.9 * CAPACITY, SECONDS, seed=3))
    assert done.late + done.dropped <= 0.02 * done.in_time
    assert done.refused <= 0.1 * done.in_time


@given(
    calls=st.lists(
        st.builds(
            Arrival,
            at=st.floats(0, 1),
            costs=st.lists(st.integers(1, 90), min_size=1, max_size=60),
            within_s=st.floats(0.01, 3),
            is_interactive=st.booleans(),
        ),
        max_size=60,
    ),
    n_workers=st.integers(1, 4),
)
@settings(max_examples=60)
def test_every_call_ends_in_one_way_and_none_waits_for_ever(calls, n_workers):
    done = ran(sorted(calls), n_workers=n_workers)
    total = sum(sum(call.costs) for call in calls)
    assert done.in_time + done.late + done.refused + done.dropped == total
    # Nothing that was let in runs on past its deadline for more than a shard or a long pair.
    assert done.longest_wait_s <= 3 + (90 + 4 * 32) / SPEED * 4
