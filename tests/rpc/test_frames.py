"""Messages between the server and its workers as frames."""

from hypothesis import given
from hypothesis import strategies as st
from support.messages import REQUEST_OPTIONS
from tokalign.codec.servers import ModelInfo, StyleInfo
from tokalign.server.requests.answers import Answer
from tokalign.server.workers.frames import Done, Fork, FrameReader, Ready, Refused, Run, encode

MODELS = st.builds(ModelInfo, styles=st.lists(st.builds(StyleInfo), max_size=2).map(tuple))
RUNS = st.builds(
    Run,
    REQUEST_OPTIONS,
    st.binary(max_size=50),
    st.lists(st.binary(max_size=50), max_size=3).map(tuple),
)
ANSWERS = st.builds(
    Answer,
    st.binary(max_size=50),
    st.floats(0, 1),
    message=st.text(),
    repetition=st.none() | st.floats(0, 1),
)
MESSAGES = st.one_of(
    st.lists(RUNS, max_size=3),
    st.builds(
        Done,
        st.lists(ANSWERS),
        st.dictionaries(st.text(), st.floats(0, 1)),
        st.integers(0, 2**50),
    ),
    st.builds(Refused, st.text()),
    st.builds(Fork),
    st.builds(
        Ready,
        st.integers(0, 2**22),
        st.lists(MODELS, max_size=2).map(tuple),
        st.integers(0, 2**50),
        st.booleans(),
    ),
)


@given(messages=st.lists(MESSAGES, max_size=5), cut=st.integers(1, 300))
def test_frames_survive_any_cut(messages, cut):
    stream = b"".join(map(encode, messages))
    reader = FrameReader()
    pieces = [stream[start : start + cut] for start in range(0, len(stream), cut)]
    assert [message for piece in pieces for message in reader.feed(piece)] == messages
