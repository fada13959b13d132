"""Pairs that share only a frame: captions of unlike scenes, definitions of unlike words.

Two captions are both of someone who does something somewhere, and two definitions both begin with
"the act of". Nothing of what they say is the same but for words that both have, so a model learns
from them not to link a guitar with an onion. Captions are put together from parts that were written
for this project; definitions are WordNet's.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from lab.recipes.wordnet import POS_FILES

N_CAPTIONS = 500
N_DEFINITIONS = 700
SEED = 3
LENGTHS = range(4, 15)
"""Words of a definition."""
FRAME = 2
"""First words that two definitions share."""
_SUBJECTS = (
    "a man", "a woman", "a boy", "a girl", "a dog", "a cat", "two men", "two women", "a child",
    "a group of people", "a person", "a horse", "several children", "an old man", "a cyclist",
    "a small bird", "a chef", "the band", "a player in red", "three friends", "a worker",
)  # fmt: skip
_ACTIONS = (
    "playing the guitar", "slicing an onion", "riding a bicycle", "running along the beach",
    "reading a newspaper", "jumping over a fence", "climbing a rock", "drinking from a bowl",
    "washing a car", "throwing a ball", "sleeping on a sofa", "cutting some paper",
    "painting a wall", "waiting for a bus", "dancing on a stage", "swimming in a pool",
    "holding a baby", "frying an egg", "chasing a stick", "pulling a cart", "feeding the ducks",
    "sweeping the floor", "looking out of a window", "typing on a keyboard", "kicking a football",
    "peeling a potato", "rowing a boat", "digging a hole", "carrying a ladder", "singing a song",
    "putting on make-up", "loading a gun", "mixing flour and water", "brushing its fur",
    "sitting under a tree", "talking on the phone", "driving a tractor", "picking apples",
    "walking through the snow", "opening a parcel", "tearing a sheet of cloth",
    "diving into a lake",
    "hanging from a rope", "skating down a ramp", "buttering a slice of bread", "folding a shirt",
    "building a sandcastle", "pouring oil into a pan", "standing on one leg", "hammering a nail",
)  # fmt: skip
_PLACES = (
    "", "", "", "in a park", "on the street", "in the kitchen", "near the river", "outdoors",
    "at night", "in front of a house", "on a green field", "in the rain", "indoors",
)  # fmt: skip
_BEGINNINGS = ("{} is {}", "{} {}", "there is {} {}")


def _caption(subject: str, action: str, rng: random.Random) -> str:
    text = rng.choice(_BEGINNINGS).format(subject, action)
    return f"{text} {rng.choice(_PLACES)}".strip().capitalize() + rng.choice((".", ""))


def captions() -> Iterator[tuple[str, str]]:
    """Yield pairs of captions of unlike scenes, a third of them of one person or animal."""
    rng = random.Random(SEED)
    for _ in range(N_CAPTIONS):
        actions = rng.sample(_ACTIONS, 2)
        subjects = [rng.choice(_SUBJECTS)] * 2 if rng.random() < 1 / 3 else rng.sample(_SUBJECTS, 2)
        one, other = (
            _caption(subject, action, rng)
            for subject, action in zip(subjects, actions, strict=True)
        )
        yield one, other


def definitions(wordnet: Path) -> Iterator[tuple[str, str]]:
    """Yield pairs of definitions that begin alike; `wordnet` is the folder of WordNet's files."""
    by_frame: dict[str, list[str]] = defaultdict(list)
    for name in POS_FILES:
        for line in (wordnet / f"data.{name}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):
                continue
            text = re.sub(r"^\([^)]*\)\s*", "", line.partition("|")[2].strip())
            text = re.split(r"[;:(]", text)[0].strip()
            words = text.split()
            if len(words) in LENGTHS:
                by_frame[" ".join(words[:FRAME])].append(text)
    frames = sorted(frame for frame, texts in by_frame.items() if len(texts) >= 2)
    rng = random.Random(SEED)
    for frame in rng.choices(frames, [len(by_frame[each]) for each in frames], k=N_DEFINITIONS):
        one, other = rng.sample(by_frame[frame], 2)
        yield one, other
