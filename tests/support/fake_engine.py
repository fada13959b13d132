"""A do-nothing engine: answers, fails, dies or hangs as a pair's id or text says."""

import ctypes
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from tokalign.codec.servers import ErrorReason, ModelInfo, StyleInfo
from tokalign.errors import ModelError
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.wire import decode_answer_sentence
from tokalign.server.status import Failure
from tokalign.types.options import Symmetrization
from tokalign.v1 import align_pb2

MODEL = ModelInfo(
    name="fake",
    version="1.0.0",
    digest="0" * 64,
    description="links nothing",
    corpora=("none",),
    feature_groups=("identity",),
    symmetrizations=tuple(Symmetrization),
    uses_trees=False,
    is_default=True,
    styles=(StyleInfo("plain", "nothing"), StyleInfo("fancy", "nothing, in style")),
)

# Names that no answer can hold.
UNFIT = {"number": 5, "surrogate": "\ud800"}


class FakeEngine:
    def __init__(self, name):
        self.models = (replace(MODEL, name=name),)

    def run(self, runs):
        answers = [
            self._grounded(data) if run.options.ground else self._answer(run.shared + data)
            for run in runs
            for data in run.pairs
        ]
        return answers, {"align": 0.001}

    def _grounded(self, data):
        """Answer a sentence of an answer, which says what to do as a pair's text does."""
        start, text = decode_answer_sentence(data)
        answer = self._answer(align_pb2.Pair(source={"text": text}).SerializeToString())
        if answer.code:
            return answer
        end = start + len(text)
        sentence = align_pb2.GroundedSentence(start=start, end=end, support=answer.score)
        return Answer(sentence.SerializeToString())

    def _answer(self, data):
        pair = align_pb2.Pair.FromString(data)
        action, _, value = (pair.id or pair.source.text).partition(":")
        score = 0.5
        if action == "die":
            os.abort()
        elif action == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        elif action in ("die-once", "killed-once", "hang-once"):
            try:
                os.close(os.open(value, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                if action == "hang-once":
                    signal.pause()
                os.kill(os.getpid(), signal.SIGABRT if action == "die-once" else signal.SIGKILL)
        elif action == "sleep":
            time.sleep(float(value))
        elif action == "until":
            # Busy for exactly as long as a test wants, however slow the machine; it can see that a
            # worker has begun.
            Path(f"{value}.begun").touch()
            while not Path(value).exists():
                time.sleep(0.005)
        elif action == "hang":
            signal.pause()
        elif action == "score":
            score = float(value.split()[0])  # words may follow
        elif action == "raise":
            raise ValueError(f"cannot read {pair.source.text}")
        elif action == "internal":
            return Answer.failed(Failure(ErrorReason.INTERNAL_FAULT, "as told"))
        elif action == "fail":
            return Answer.failed(Failure(ErrorReason.INVALID_INPUT, "as told", value))
        elif action == "grpc":
            return Answer(b"", score=float("grpc" in sys.modules))
        alignment = align_pb2.Alignment(source=pair.source, target=pair.target, score=score)
        judged = align_pb2.RankedCandidate(judgement={"score": score}).SerializeToString()
        return Answer(alignment.SerializeToString(), score=score, judgement=judged)


def start_native_thread():
    """Start a thread that Python does not know of, as libraries do."""
    library = ctypes.CDLL(None)
    thread = ctypes.c_void_p()
    library.pthread_create(
        ctypes.byref(thread), None, ctypes.cast(library.pause, ctypes.c_void_p), None
    )


def load(settings):
    if settings.models == ("missing",):
        raise ModelError("no model 'missing'; shipped are: fake")
    if settings.models[0].startswith("file:") and not Path(settings.models[0][5:]).exists():
        raise ModelError("the model's file is gone")
    if settings.models[0].startswith("slow:"):
        time.sleep(float(settings.models[0][5:]))
    if settings.models[0].startswith("gate:"):
        while not Path(settings.models[0][5:]).exists():
            time.sleep(0.005)
    if settings.models == ("broken",):
        raise RecursionError("too deep")
    if settings.models == ("suicidal",):
        os.kill(os.getpid(), signal.SIGKILL)
    if settings.models == ("threaded",):
        start_native_thread()
    (name,) = settings.models
    if name in UNFIT:
        return FakeEngine(UNFIT[name])
    return FakeEngine("fake" if name == "en" else name)
