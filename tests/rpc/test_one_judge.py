"""Changes of one word: every task and surface tells the same conflict."""

from __future__ import annotations

import httpx
import pytest
from support.server_process import started
from tokalign.aligner import Aligner
from tokalign.edits.pair_edits import MEANINGS
from tokalign.texts.diff import summarize

CHANGES = [
    ("The parcel costs EUR 10 in all.", "The parcel costs EUR 20 in all.", "value"),
    ("The fund paid GBP 210,000 in May.", "The fund paid GBP 240,000 in May.", "value"),
    ("The city spent 5 million euros on it.", "The city spent 5 billion euros on it.", "value"),
    ("Patients take 5 mg every morning.", "Patients take 5 g every morning.", "value"),
    ("The shop opens at 9 am on Fridays.", "The shop opens at 9 pm on Fridays.", "value"),
    ("The lease began on 3 May 2021.", "The lease began on 3 June 2021.", "value"),
    ("The tour takes 2 hours in summer.", "The tour takes 90 minutes in summer.", "value"),
    ("The company moved to Paris last year.", "The company moved to London last year.", "name"),
    ("The museum opens on public holidays.", "The museum never opens on public holidays.",
     "negation"),
    ("The tomb was opened by thieves.", "The tomb was not opened by thieves.", "negation"),
    ("Guests must register at the desk.", "Guests may register at the desk.", "modality"),
    ("The sender should encrypt the file.", "The sender must encrypt the file.", "modality"),
    ("All files are checked at night.", "Some files are checked at night.", "quantity"),
    ("Staff may use the lower car park.", "Only staff may use the lower car park.", "quantity"),
    ("Prices rose sharply in the north.", "Prices fell sharply in the north.", "opposite"),
    ("The gate was locked after dark.", "The gate was unlocked after dark.", "opposite"),
    ("Ann thanked Bob for the flowers.", "Bob thanked Ann for the flowers.", "roles"),
    ("Cancel the trip if it rains.", "Cancel the trip unless it rains.", "condition"),
    ("Order A123 was sent on Monday.", "Order A124 was sent on Monday.", "code"),
    ("Flight BA117 left on time today.", "Flight BA171 left on time today.", "code"),
]  # fmt: skip


@pytest.fixture(scope="module")
def aligner() -> Aligner:
    return Aligner.load("en")


@pytest.mark.parametrize(("old", "new", "kind"), CHANGES)
def test_align_diff_and_ground_tell_the_same(aligner, old, new, kind):
    assert {str(each.kind) for each in aligner.align(old, new).conflicts} == {kind}
    assert aligner.similarity(old, new) < 0.8
    assert {each.change for each in summarize(aligner.diff(old, new)).alarms} == {MEANINGS[kind]}
    (sentence,) = aligner.ground(new, [old]).sentences
    assert {str(each.kind) for each in sentence.conflicts} == {kind}


def test_the_server_tells_the_same():
    pairs = [{"source": old, "target": new} for old, new, _ in CHANGES]
    with started("--workers", "1", "--http-port", "0", fake=False) as server:
        answer = httpx.post(f"{server.http_url}/v1/align", json={"pairs": pairs}, timeout=60).json()
    found = [{each["kind"] for each in result.get("conflicts", ())} for result in answer["results"]]
    assert found == [{kind} for _, _, kind in CHANGES]
