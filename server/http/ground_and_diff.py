"""Differences of two texts, and evidence for an answer, also sentence by sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from typing import Any, cast

from tokalign.codec.alignments import decode_alignment
from tokalign.codec.grounding import decode_grounded_sentence
from tokalign.codec.options import RequestOptions
from tokalign.errors import ServerError
from tokalign.grounding.evidence import html_page as ground_page
from tokalign.server.http.call import PAGE, HttpCall, event
from tokalign.server.http.json_bodies import (
    DIFF_OPTIONS,
    BodyReader,
    CheckNumber,
    DiffBody,
    DiffRequest,
    GroundBody,
    GroundRequest,
)
from tokalign.server.http.problems import naming, to_json
from tokalign.server.requests.text_blocks import AlignedBlock
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.service import AlignService
from tokalign.server.rpc.serving import Chosen
from tokalign.server.rpc.work import off_loop
from tokalign.server.status import OK
from tokalign.texts.diff import diff_of, same_texts, summarize
from tokalign.texts.diff.diff_page import html_page as diff_page
from tokalign.texts.text_plan import TextPlan
from tokalign.types.display import plain
from tokalign.types.grounding import GroundedSentence, Grounding, SourcePassage, check_passages
from tokalign.types.texts import TextAlignment, TextBlock
from tokalign.v1 import align_pb2

# An answer is read in pieces of so many characters where its evidence is streamed: some sentences.
PIECE_CHARACTERS = 256

_DIFFS, _ANSWERS = BodyReader(DiffRequest), BodyReader(GroundRequest)
_DIFF_FIELDS = {"(old|new)_text": r"\1"}


class TextMethods:
    """The methods of /v1/diff and /v1/ground."""

    def __init__(self, service: AlignService) -> None:
        self._service = service

    async def diff(self, data: bytes, call: HttpCall) -> bytes:
        """Say what changed from one text to another."""
        service, context = self._service, cast(Context, call)
        body: DiffBody = await service.read(
            len(data), context, _DIFFS.read, data, service.check_number
        )
        with naming(_DIFF_FIELDS):
            options = body.align_options(DIFF_OPTIONS, edits=True)
            asked = service.asked(options, len(data), context)
            plan, blocks = await service.texts_aligned(asked, (body.old, body.new))
        # Texts that have nothing in common have no alignments, and yet a long difference.
        n_bytes = len(data) + sum(len(each.answer.alignment) for each in blocks if each.answer)
        diff = await service.beside(n_bytes, _diff, plan, blocks, asked.chosen, call.wants_page)
        call.headers = PAGE if call.wants_page else call.headers
        return diff

    async def ground(self, data: bytes, call: HttpCall) -> bytes:
        """Show where passages support the words of an answer."""
        service, context = self._service, cast(Context, call)
        body, passages, options = await service.read(
            len(data), context, _read, data, service.check_number
        )
        with naming({}):
            asked = service.asked(options, len(data), context)
            chosen = asked.chosen
            if not body.stream:
                sentences = await service.grounded(asked, body.answer, passages)
                n_bytes = sum(map(len, sentences))
                asked_for = body.answer, passages, sentences, chosen, call.wants_page
                grounding = await off_loop(n_bytes, _grounding, *asked_for)
                call.headers = PAGE if call.wants_page else call.headers
                return grounding
            pieces = _pieces(body.answer)
            async with aclosing(service.grounded_pieces(asked, pieces, passages)) as found:
                async for sentences in found:
                    for each in _decoded(sentences):
                        await call.write(event("sentence", to_json(plain(each))))
        done = {"model": chosen.model.name, "version": chosen.model.version}
        await call.write(event("done", to_json(done)))
        return b""


async def _pieces(answer: str) -> AsyncIterator[str]:
    for start in range(0, len(answer), PIECE_CHARACTERS):
        yield answer[start : start + PIECE_CHARACTERS]


def _read(
    data: bytes, check_number: CheckNumber
) -> tuple[GroundBody, tuple[SourcePassage, ...], RequestOptions]:
    body = _ANSWERS.read(data, check_number)
    given = [
        each if isinstance(each, str) else SourcePassage(each.id, each.text)
        for each in body.passages
    ]
    with naming({}):
        return body, check_passages(given), body.ground_options()


def _decoded(sentences: Sequence[bytes]) -> Iterator[GroundedSentence]:
    for data in sentences:
        yield decode_grounded_sentence(align_pb2.GroundedSentence.FromString(data), _error)


def _error(status: align_pb2.Status) -> ServerError:
    return ServerError(status.message)


def _grounding(
    answer: str,
    passages: tuple[SourcePassage, ...],
    sentences: Sequence[bytes],
    chosen: Chosen,
    is_page: bool,
) -> bytes:
    found = tuple(_decoded(sentences))
    model = chosen.model
    grounding = Grounding(answer, passages, found, model=model.name, version=model.version)
    if is_page:
        return ground_page(grounding).encode()
    return to_json(grounding.to_dict())


def _diff(plan: TextPlan, blocks: Sequence[AlignedBlock], chosen: Chosen, is_page: bool) -> bytes:
    old, new = plan.old_text, plan.new_text
    if old == new:
        diff = same_texts(old, [(each.start, each.end) for each in plan.old])
    else:
        diff = diff_of(
            TextAlignment(
                old_text=old,
                new_text=new,
                old=plan.old,
                new=plan.new,
                blocks=tuple([_block(each, chosen) for each in blocks]),
                model=chosen.model.name,
                version=chosen.model.version,
            )
        )
    if is_page:
        return diff_page(diff).encode()
    return to_json(diff.to_dict() | {"summary": summarize(diff).to_dict()})


def _block(found: AlignedBlock, chosen: Chosen) -> TextBlock:
    block, answer = found
    given: dict[str, Any] = {}
    if answer is not None and answer.code != OK:
        given["error"] = ServerError(answer.message)
    elif answer is not None:
        message = align_pb2.Alignment.FromString(answer.alignment)
        symmetrization = chosen.options.align.symmetrization
        given["alignment"] = decode_alignment(message, chosen.model, symmetrization)
    return TextBlock(block.old, block.new, block.moved, **given)
