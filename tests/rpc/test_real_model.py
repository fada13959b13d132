"""`tokalign serve` with the shipped models, as users run it."""

import dataclasses
import json
from pathlib import Path

import grpc
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.rewritten import FORMS, links_of
from support.rewritten import PAIRS as SENTENCES
from support.server_process import started
from support.statuses import details
from tokalign.aligner import Aligner
from tokalign.cli.main import main
from tokalign.client import Client, InvalidInputError
from tokalign.codec.alignments import decode_judgement
from tokalign.codec.options import encode_rank_options
from tokalign.types import Sentence
from tokalign.types.options import RankBy, RankOptions
from tokalign.v1 import align_pb2, align_pb2_grpc

DATA = Path(__file__).parents[1] / "data"
SAMPLE = [json.loads(line) for line in (DATA / "sample.jsonl").read_text().splitlines()]
PAIRS = [{side: pair[side]["text"] for side in ("source", "target")} for pair in SAMPLE]
CLIENT_ERRORS = {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND}


@pytest.fixture(scope="module")
def server():
    with started("--model", "en", "--model", "en-rte2", fake=False) as server:
        with grpc.insecure_channel(server.address) as channel:
            server.channel = channel
            server.stub = align_pb2_grpc.AlignServiceStub(channel)
            yield server
        assert server.stop() == 0


@pytest.fixture(scope="module")
def aligners():
    return {name: Aligner.load(name) for name in ("en", "en-rte2")}


def pharaoh(alignment):
    links = zip(alignment.source_indices, alignment.target_indices, strict=True)
    return " ".join(f"{i}-{j}" for i, j in links)


@pytest.mark.parametrize("write", FORMS.values(), ids=FORMS)
def test_what_a_text_is_written_with_changes_no_link(server, aligners, write):
    pairs = [(write(source), target) for source, target in SENTENCES]
    with Client(server.address) as client:
        found = [client.align(*pair) for pair in pairs]
    for alignment, plain in zip(found, aligners["en"].pipe(SENTENCES), strict=True):
        assert links_of(alignment) == links_of(plain)


@pytest.mark.parametrize("model", ["", "en", "en-rte2"])
def test_served_alignments_equal_local_ones(server, aligners, model):
    request = align_pb2.BatchAlignRequest(
        pairs=[
            {"id": str(i), "source": {"text": pair["source"]}, "target": {"text": pair["target"]}}
            for i, pair in enumerate(PAIRS)
        ],
        options={"model": model},
    )
    answer = server.stub.BatchAlign(request)
    aligner = aligners[model or "en"]
    local = list(aligner.pipe((pair["source"], pair["target"]) for pair in PAIRS))
    assert answer.model.name == aligner.header.name
    assert [result.id for result in answer.results] == [str(i) for i in range(len(PAIRS))]
    for result, expected in zip(answer.results, local, strict=True):
        assert pharaoh(result.alignment) == expected.to_pharaoh()
        assert result.alignment.style == expected.style
        assert result.alignment.score == pytest.approx(expected.score, abs=1e-6)
        assert tuple(result.alignment.source.tokens) == expected.source.tokens
        assert tuple(result.alignment.target.starts) == expected.target.starts


@pytest.mark.parametrize(
    "symmetrization", ["s2t", "t2s", "intersection", "union", "grow-diag-final", "joint"]
)
def test_answers_of_every_symmetrization_equal_local_ones(server, aligners, symmetrization):
    source, target = PAIRS[0]["source"], PAIRS[0]["target"]
    names = {
        "s2t": align_pb2.SYMMETRIZATION_SOURCE_TO_TARGET,
        "t2s": align_pb2.SYMMETRIZATION_TARGET_TO_SOURCE,
        "intersection": align_pb2.SYMMETRIZATION_INTERSECTION,
        "union": align_pb2.SYMMETRIZATION_UNION,
        "joint": align_pb2.SYMMETRIZATION_JOINT,
        "grow-diag-final": align_pb2.SYMMETRIZATION_GROW_DIAG_FINAL,
    }
    request = align_pb2.AlignRequest(
        pair={"source": {"text": source}, "target": {"text": target}},
        options={
            "symmetrization": names[symmetrization],
            "posteriors": True,
            "explain": True,
            "phrases": True,
        },
    )
    served = server.stub.Align(request).alignment
    local = aligners["en"].align(
        source, target, symmetrization=symmetrization, posteriors=True, explain=True, phrases=True
    )
    assert pharaoh(served) == local.to_pharaoh()
    assert list(served.posteriors.values) == local.posteriors.ravel().tolist()
    assert len(served.explanations) == len(local.explanations) > 0
    assert [
        (each.source_start, each.source_end, each.target_start, each.target_end, each.confidence)
        for each in served.phrases
    ] == [(*each[:4], np.float32(each[4])) for each in map(dataclasses.astuple, local.phrases)]
    assert len(served.phrases) > 0
    why = served.explanations[0]
    assert why.score == pytest.approx(sum(f.value * f.weight for f in why.features), abs=1e-4)


@pytest.mark.parametrize("model", ["en", "en-rte2"])
def test_edits_are_those_of_the_library(server, aligners, model):
    pair = "The old dog barked at 3 cats.", "Now the dog barks at 4 cats."
    with Client(server.address) as client:
        served = client.align(*pair, edits=True, model=model).edits
        assert client.align(*pair, model=model).edits == ()
    assert served == aligners[model].align(*pair, edits=True).edits
    assert {"number", "inflection"} <= {edit.change for edit in served if edit.change}


def test_the_command_line_asks_a_server_for_edits(server):
    command = ["align", "--edits", "--format", "jsonl", "--tokenized"]
    text = "The old dog barked .\tNow the dog barks .\n"
    lines = [
        CliRunner().invoke(main, [*command, *more], input=text).stdout
        for more in ([], ["--server", server.address])
    ]
    assert json.loads(lines[0])["edits"] == json.loads(lines[1])["edits"]


def test_min_confidence_drops_links(server):
    pair = {"source": {"text": PAIRS[0]["source"]}, "target": {"text": PAIRS[0]["target"]}}
    request = align_pb2.AlignRequest(pair=pair, options={"min_confidence": 0.95})
    confidences = server.stub.Align(request).alignment.confidences
    assert confidences
    assert min(confidences) >= 0.95


@pytest.mark.parametrize("by", list(RankBy))
def test_served_ranking_is_the_local_one(server, aligners, by):
    lists = [line.split(" | ") for line in (DATA / "question-lists.txt").read_text().splitlines()]
    repeated = [{"question": own[1], "candidates": own[2:]} for own in lists[::8]]
    for asked in [*map(json.loads, (DATA / "rank.jsonl").read_text().splitlines()), *repeated]:
        request = align_pb2.RankRequest(
            question={"text": asked["question"]},
            candidates=[{"sentence": {"text": text}} for text in asked["candidates"]],
            **encode_rank_options(RankOptions(by=by)),
            options={"explain": True},
        )
        served = server.stub.Rank(request).ranking
        local = aligners["en"].rank(asked["question"], asked["candidates"], by=by, explain=True)
        assert [each.index for each in served] == [each.index for each in local]
        judgements = [decode_judgement(each.judgement) for each in served]
        for mine, theirs in zip(judgements, local, strict=True):
            assert mine.by is theirs.judgement.by is not RankBy.AUTO
            assert mine.score == pytest.approx(theirs.judgement.score, abs=1e-6)
            assert [each.name for each in mine.evidence] == [
                each.name for each in theirs.judgement.evidence
            ]
            assert bool(mine.evidence) == (mine.by is RankBy.ANSWER)


def test_given_annotation_is_kept(server):
    source = {
        "tokens": ["Dogs", "bark"],
        "tags": ["NNPS", "VBP"],
        "lemmas": ["dog", "bark"],
        "heads": [1, -1],
        "relations": ["nsubj", "root"],
    }
    request = align_pb2.AlignRequest(
        pair={"source": source, "target": {"text": "A dog barks."}}, options={"style": "strict"}
    )
    answer = server.stub.Align(request).alignment
    assert list(answer.source.tags) == ["NNPS", "VBP"]
    assert list(answer.source.heads) == [1, -1]
    assert pharaoh(answer).startswith("0-1 1-2")


def test_sentence_over_the_token_limit_is_named(server):
    request = align_pb2.AlignRequest(
        pair={"source": {"text": "word " * 600}, "target": {"text": "word"}}
    )
    with pytest.raises(grpc.RpcError) as caught:
        server.stub.Align(request)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "512" in caught.value.details()


def call_wrong(server, name, request, answer, stream=False):
    """Call with a request in which each "@@" is no UTF-8."""
    data = request.SerializeToString().replace(b"@@", b"\xed\xa0")
    path = f"/tokalign.v1.AlignService/{name}"
    if stream:
        chunks = server.channel.stream_stream(path)(iter([data, b"\x0a\x04last"]), timeout=60)
        return list(map(answer.FromString, chunks))
    return answer.FromString(server.channel.unary_unary(path)(data, timeout=60))


WRONG_PAIRS = [
    {"id": "0", "source": {"text": "Dogs bark."}, "target": {"text": "Dogs bark."}},
    {"id": "1", "source": {"text": "Dogs @@ bark."}, "target": {"text": "Dogs bark."}},
    {"id": "2@@", "source": {"text": "Dogs bark."}, "target": {"text": "Dogs bark."}},
    {"id": "3", "source": {"text": "Dogs bark."}, "target": {"tokens": ["Dogs", "@@"]}},
]
WRONG_FIELDS = ["", "source.text", "id", "target.tokens[1]"]


def seen(results):
    results = list(results)
    assert all("is not UTF-8" in each.status.message for each in results if each.status.code)
    return [(each.status.code, each.status.field) for each in results]


def test_a_string_that_is_not_utf8_costs_its_own_pair_alone(server):
    expected = [(3 if field else 0, field) for field in WRONG_FIELDS]
    batch = align_pb2.BatchAlignRequest(pairs=WRONG_PAIRS)
    answer = call_wrong(server, "BatchAlign", batch, align_pb2.BatchAlignResponse)
    assert seen(answer.results) == expected
    chunk = align_pb2.AlignStreamRequest(chunk_id="first", pairs=WRONG_PAIRS)
    answers = call_wrong(server, "AlignStream", chunk, align_pb2.AlignStreamResponse, stream=True)
    chunks = {each.chunk_id: each for each in answers}
    assert seen(chunks["first"].results) == expected
    assert chunks["last"].status.code == 0


def test_a_string_that_is_not_utf8_costs_its_own_candidate_alone(server):
    request = align_pb2.RankRequest(
        question={"text": "Who barks?"},
        candidates=[
            {"id": "0", "sentence": {"text": "Dogs @@ bark."}},
            {"id": "@@", "sentence": {"text": "Dogs bark."}},
            {"id": "2", "sentence": {"text": "Dogs bark."}},
        ],
    )
    ranking = call_wrong(server, "Rank", request, align_pb2.RankResponse).ranking
    assert [each.index for each in ranking] == [2, 0, 1]
    assert seen(each.result for each in ranking) == [(0, ""), (3, "sentence.text"), (3, "id")]


@pytest.mark.parametrize(
    ("name", "request_", "field"),
    [
        ("Align", align_pb2.AlignRequest(pair=WRONG_PAIRS[1]), "pair.source.text"),
        ("Align", align_pb2.AlignRequest(options={"model": "@@"}), "options.model"),
        ("Rank", align_pb2.RankRequest(question={"text": "@@"}), "question.text"),
    ],
)
def test_a_call_that_is_not_utf8_names_the_field(server, name, request_, field):
    with pytest.raises(grpc.RpcError) as caught:
        call_wrong(server, name, request_, align_pb2.AlignResponse)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "is not UTF-8: byte 0xED" in caught.value.details()
    bad_request = details(caught.value)["BadRequest"]
    assert [each.field for each in bad_request.field_violations] == [field]


def test_a_chunk_id_that_is_not_utf8_costs_its_chunk_alone(server):
    chunk = align_pb2.AlignStreamRequest(chunk_id="@@", pairs=WRONG_PAIRS[:1])
    answers = call_wrong(server, "AlignStream", chunk, align_pb2.AlignStreamResponse, stream=True)
    found = {each.chunk_id: (each.status.code, each.status.field) for each in answers}
    assert found == {"\ufffd\ufffd": (3, "chunk_id"), "last": (0, "")}


def test_offsets_beyond_the_basic_plane_count_what_is_asked_for(server):
    text = "\U0001f600 Dogs caf\u00e9 bark."
    held = (
        ("CODE_POINTS", "utf-32-le", 4),
        ("UTF8_BYTES", "utf-8", 1),
        ("UTF16_UNITS", "utf-16-le", 2),
    )
    for unit, encoding, width in held:
        request = align_pb2.AlignRequest(
            pair={"source": {"text": text}, "target": {"text": "Dogs bark."}},
            options={"offsets": f"OFFSET_UNIT_{unit}"},
        )
        sentence = server.stub.Align(request, timeout=60).alignment.source
        data = text.encode(encoding)
        assert [
            data[start * width : end * width].decode(encoding)
            for start, end in zip(sentence.starts, sentence.ends, strict=True)
        ] == list(sentence.tokens)


def test_the_style_is_chosen_named_and_told(server, aligners):
    pair = ("We bought a couch.", "They sold their sofa.")
    with Client(server.address, timeout_s=60) as client:
        for options in ({}, {"style": "auto"}, {"style": "strict"}, {"related": True}):
            found, expected = (each.align(*pair, **options) for each in (client, aligners["en"]))
            assert (found.style, found.to_pharaoh()) == (expected.style, expected.to_pharaoh())
        assert client.align(*pair, detail="scores").style == ""
        for options, field in (
            ({"style": "loose", "related": True}, "style"),
            ({"model": "en-rte2", "style": "auto"}, "style"),
        ):
            with pytest.raises(InvalidInputError) as caught:
                client.align(*pair, **options)
            assert [each.field for each in caught.value.violations] == [f"options.{field}"]
        models = {each.name: each for each in client.list_models().models}
    assert [models[name].default_style for name in ("en", "en-rte2")] == ["auto", ""]


def test_client_asks_for_offsets_and_for_links_alone(server):
    sent = Sentence.from_tokens(["\U0001f600", "bark"])
    with Client(server.address, timeout_s=60) as client:
        alignment = client.align("\U0001f600 bark", sent, offsets="utf-16")
        assert (alignment.source.starts, alignment.target.starts) == ((0, 3), (0, 3))
        full, links = (client.align("Dogs bark.", sent, detail=d) for d in ("full", "links"))
        assert (links.links, links.score) == (full.links, full.score)
        assert links.source.tokens == links.target.tokens == ()
        best, other = client.rank("Who barks?", ["Rain.", "Dogs bark."], detail="scores")
        assert (best.index, best.alignment.links) == (1, ())
        assert best.judgement.score > 1.5 * other.judgement.score


words = st.text(max_size=60) | st.sampled_from(["The dog barks.", "\u2028", "\x00", "a" * 3000])
sentences = st.builds(
    align_pb2.Sentence,
    text=words,
    tokens=st.lists(words, max_size=5),
    tags=st.lists(words, max_size=5),
    lemmas=st.lists(words, max_size=5),
    heads=st.lists(st.integers(-3, 6), max_size=5),
    relations=st.lists(words, max_size=5),
) | st.builds(align_pb2.Sentence, text=words)
requests = st.builds(
    align_pb2.AlignRequest,
    pair=st.builds(align_pb2.Pair, id=words, source=sentences, target=sentences),
    options=st.builds(
        align_pb2.AlignOptions,
        symmetrization=st.integers(-1, 9),
        min_confidence=st.floats(width=32),
        posteriors=st.booleans(),
        explain=st.booleans(),
    ),
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=requests.map(lambda request: request.SerializeToString()) | st.binary(max_size=200))
def test_any_bytes_get_an_answer_or_a_client_error(server, data):
    call = server.channel.unary_unary("/tokalign.v1.AlignService/Align")
    try:
        align_pb2.AlignResponse.FromString(call(data, timeout=30))
    except grpc.RpcError as error:
        assert error.code() in CLIENT_ERRORS, error
