"""A server in this process that answers as the request's own text says; it aligns nothing.

Words that are equal are linked. A source text ``fail CODE`` fails with that code, ``fail CODE n``
only the first n times; ``hang`` is never answered; ``late`` in a chunk's first pair holds its
answer back until another chunk was answered.
"""

# ruff: noqa: N802 (methods are named as in the .proto)

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from concurrent import futures

import grpc
from google.protobuf import duration_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_status import rpc_status
from tokalign.types import Sentence
from tokalign.v1 import align_pb2, align_pb2_grpc

SERVICE = align_pb2.DESCRIPTOR.services_by_name["AlignService"].full_name
MODEL = align_pb2.ModelRef(name="scripted", version="1.2")


class RefusalError(Exception):
    """What a text asks for instead of an answer."""

    def __init__(self, status):
        super().__init__(status.message)
        self.status = status


def refusal(code, message):
    status = status_pb2.Status(code=code_pb2.Code.Value(code), message=message)
    if code == "INVALID_ARGUMENT":
        violation = error_details_pb2.BadRequest.FieldViolation(
            field="pair.source.text", description=message
        )
        status.details.add().Pack(error_details_pb2.BadRequest(field_violations=[violation]))
    if code == "RESOURCE_EXHAUSTED":
        delay = duration_pb2.Duration(nanos=250_000_000)
        status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay))
    return RefusalError(status)


def sentence(message):
    tokens = list(message.tokens) or message.text.split()
    value = Sentence.from_tokens(tokens, text=message.text or None)
    return align_pb2.Sentence(
        text=value.text,
        tokens=value.tokens,
        starts=value.starts,
        ends=value.ends,
        tags=message.tags or ["NN"] * len(tokens),
        lemmas=message.lemmas,
        heads=message.heads,
        relations=message.relations,
    )


class Servicer(align_pb2_grpc.AlignServiceServicer):
    """The service; `seen` holds the requests, `stopping` releases what hangs."""

    def __init__(self):
        self.seen = []
        self.metadata = []
        self.failures = Counter()
        self.stopping = threading.Event()

    def _align_pair(self, pair, options):
        if not all(side.text or side.tokens for side in (pair.source, pair.target)):
            raise refusal("INVALID_ARGUMENT", "empty")
        words = [*pair.source.text.split(), "", "", ""]
        if words[0] == "hang":
            self.stopping.wait(30)
        if words[0] == "fail":
            self.failures[pair.source.text] += 1
            if not words[2] or self.failures[pair.source.text] <= int(words[2]):
                raise refusal(words[1], "as the text asks")
        source, target = sentence(pair.source), sentence(pair.target)
        links = [
            (i, j)
            for i, left in enumerate(source.tokens)
            for j, right in enumerate(target.tokens)
            if left == right
        ]
        answer = align_pb2.Alignment(
            source=source,
            target=target,
            source_indices=[i for i, _ in links],
            target_indices=[j for _, j in links],
            confidences=[0.75] * len(links),
            score=len(links) / len(target.tokens),
            similarity=len(links) / max(len(source.tokens), len(target.tokens)),
        )
        if options.posteriors:
            answer.posteriors.n_source = len(source.tokens)
            answer.posteriors.n_target = len(target.tokens)
            answer.posteriors.values.extend(
                float((i, j) in links)
                for i in range(len(source.tokens))
                for j in range(len(target.tokens))
            )
        if options.explain:
            for i, j in links:
                answer.explanations.add(
                    source=i,
                    target=j,
                    direction=align_pb2.DIRECTION_TARGET_TO_SOURCE,
                    score=2.0,
                    features=[align_pb2.FeatureContribution(name="equal", value=1, weight=2)],
                    runner_up=-1,
                    margin=1.5,
                )
        return answer

    def _result(self, pair, options):
        try:
            aligned = self._align_pair(pair, options)
        except RefusalError as error:
            status = align_pb2.Status(
                code=error.status.code, message=error.status.message, field="source.text"
            )
            return align_pb2.AlignResult(id=pair.id, status=status)
        return align_pb2.AlignResult(id=pair.id, status=align_pb2.Status(), alignment=aligned)

    def _note(self, request, context):
        self.seen.append(request)
        self.metadata.append(dict(context.invocation_metadata()))

    def Align(self, request, context):
        self._note(request, context)
        try:
            aligned = self._align_pair(request.pair, request.options)
        except RefusalError as error:
            context.abort_with_status(rpc_status.to_status(error.status))
        return align_pb2.AlignResponse(id=request.pair.id, alignment=aligned, model=MODEL)

    def BatchAlign(self, request, context):
        self._note(request, context)
        results = [self._result(pair, request.options) for pair in request.pairs]
        if any(pair.source.text == "drop" for pair in request.pairs):
            results.pop()
        return align_pb2.BatchAlignResponse(results=results, model=MODEL)

    def AlignStream(self, requests, context):
        held = []
        for request in requests:
            self._note(request, context)
            text = request.pairs[0].source.text
            response = align_pb2.AlignStreamResponse(chunk_id=request.chunk_id, model=MODEL)
            if text.startswith("refuse"):
                response.status.code = code_pb2.Code.Value(text.split()[1])
                response.status.message = "the chunk is refused"
            elif text == "end":
                return
            else:
                response.results.extend(
                    self._result(pair, request.options) for pair in request.pairs
                )
            if text == "late":
                held.append(response)
                continue
            yield response
            yield from held
            held.clear()
        yield from held

    def Rank(self, request, context):
        self._note(request, context)
        ranking = []
        for index, candidate in enumerate(request.candidates):
            pair = align_pb2.Pair(
                id=candidate.id, source=candidate.sentence, target=request.question
            )
            result = self._result(pair, request.options)
            ranked = align_pb2.RankedCandidate(index=index, result=result)
            if not result.status.code:
                score = result.alignment.score
                ranked.judgement.CopyFrom(
                    align_pb2.Judgement(by=align_pb2.RANK_BY_SCORE, score=score)
                )
            ranking.append(ranked)
        ranking.sort(key=lambda each: (each.result.status.code, -each.result.alignment.score))
        return align_pb2.RankResponse(ranking=ranking[: request.top_k or None], model=MODEL)

    def _grounded(self, text, start):
        """Return a sentence, which may say with what code it fails."""
        end = start + len(text)
        word, _, code = text.strip().partition(" ")
        if word == "fail":
            status = align_pb2.Status(
                code=code_pb2.Code.Value(code), message="as the text asks", field="answer"
            )
            return align_pb2.GroundedSentence(start=start, end=end, status=status)
        words = [align_pb2.GroundedWord(start=start, end=end, kind=align_pb2.WORD_KIND_NAME)]
        return align_pb2.GroundedSentence(start=start, end=end, support=0.5, words=words)

    def Ground(self, request, context):
        """Return a sentence for each part between bars; "refuse CODE" refuses all."""
        self._note(request, context)
        sentences, start = [], 0
        for text in request.answer.split("|"):
            if text.startswith("refuse"):
                context.abort_with_status(
                    rpc_status.to_status(refusal(text.split()[1], "the answer is refused").status)
                )
            sentences.append(self._grounded(text, start))
            start += len(text) + 1
        return align_pb2.GroundResponse(sentences=sentences, model=MODEL)

    def GroundStream(self, requests, context):
        """Return a sentence for each bar, and one for what is left; "hang" is never answered."""
        text, start = "", 0
        yield align_pb2.GroundStreamResponse(model=MODEL)
        for request in requests:
            self._note(request, context)
            text += request.answer
            if text.startswith("refuse"):
                status = refusal("INVALID_ARGUMENT", "the answer is refused").status
                context.abort_with_status(rpc_status.to_status(status))
            *finished, text = text.split("|")
            for each in finished:
                yield align_pb2.GroundStreamResponse(sentences=[self._grounded(each, start)])
                start += len(each) + 1
        if text == "hang":
            self.stopping.wait(30)
        yield align_pb2.GroundStreamResponse(sentences=[self._grounded(text, start)])

    def ListModels(self, request, context):
        self._note(request, context)
        model = align_pb2.ModelInfo(
            name="scripted",
            version="1.2",
            digest="ab" * 32,
            description="links equal words",
            corpora=["none"],
            feature_groups=["equal"],
            symmetrizations=[align_pb2.SYMMETRIZATION_UNION, 99],
            uses_trees=True,
            is_default=True,
        )
        return align_pb2.ListModelsResponse(
            models=[model],
            limits=align_pb2.ServerLimits(
                max_tokens=512,
                max_token_product=9000,
                max_characters=20_000,
                max_pairs=100,
                max_request_bytes=1 << 20,
                max_response_bytes=4 << 20,
                max_cost=900,
            ),
            annotators=["native"],
            server_version="0.0",
        )


@contextlib.contextmanager
def running(port=0, credentials=None):
    """Yield (address, servicer, health servicer) of a started server."""
    servicer, healthy = Servicer(), health.HealthServicer()
    healthy.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)
    with futures.ThreadPoolExecutor(8) as threads:
        server = grpc.server(threads, options=[("grpc.so_reuseport", 0)])
        align_pb2_grpc.add_AlignServiceServicer_to_server(servicer, server)
        health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
        address = f"127.0.0.1:{port}"
        if credentials is None:
            bound = server.add_insecure_port(address)
        else:
            bound = server.add_secure_port(address, credentials)
        server.start()
        try:
            yield f"127.0.0.1:{bound}", servicer, healthy
        finally:
            servicer.stopping.set()
            server.stop(None).wait(10)
