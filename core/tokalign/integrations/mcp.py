"""Tools for agents, over the Model Context Protocol; `tokalign mcp` serves them on stdio.

Answers quote words instead of positions, which language models count badly. Needs the extra
``mcp``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tokalign.errors import InputError, MissingPackageError, located
from tokalign.texts.diff import summarize

if TYPE_CHECKING:
    from tokalign.aligner import Aligner

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError as error:
    raise MissingPackageError.of("tokalign.integrations.mcp", error, "mcp") from None


@contextmanager
def _refusals() -> Iterator[None]:
    """Tell the agent why its input cannot be used, but not the text of other errors."""
    try:
        yield
    except InputError as error:
        raise ToolError(located(error)) from error


def mcp_server(aligner: "Aligner") -> MCPServer:
    """Return a server with the tools align, similarity, rank, ground and diff.

    `aligner`: its calls take turns.
    """
    server = MCPServer("tokalign", log_level="WARNING")

    @server.tool()
    @_refusals()
    def align(source: str, target: str) -> dict[str, Any]:
        """Link the words of two English sentences that mean the same. `confidence`, `score` (how
        much of the target the source says) and `similarity` are from 0 to 1. `relation` says how
        linked words are related, such as same, opposite or different-value. `conflicts` are places
        where the two cannot both hold."""
        relations = not aligner.is_system  # which tells none
        found = aligner.align(source, target, relations=relations)
        links = [
            {"source": link.source_text, "target": link.target_text, "confidence": link.confidence}
            | ({"relation": link.relation.kind.value} if link.relation else {})
            for link in found.links
        ]
        conflicts = [
            {
                "kind": each.kind.value,
                "reason": each.reason.value,
                "source": " ".join(found.source.tokens[slice(*each.source_span)]),
                "target": " ".join(found.target.tokens[slice(*each.target_span)]),
                "probability": each.probability,
            }
            for each in found.conflicts
        ]
        return {
            "score": found.score,
            "similarity": found.similarity,
            "links": links,
            "conflicts": conflicts,
        }

    @server.tool()
    @_refusals()
    def similarity(source: str, target: str) -> float:
        """Return how much two English sentences say the same, from 0 to 1."""
        return aligner.similarity(source, target)

    @server.tool()
    @_refusals()
    def rank(question: str, passages: list[str], top_k: int = 0) -> list[dict[str, Any]]:
        """Order English passages by how likely they answer a question, best first. `index` counts
        from 0, `score` is from 0 to 1; `top_k` is how many to return, 0 for all."""
        return [
            {"index": each.index, "score": each.judgement.score}
            if each.judgement
            else {"index": each.index, "error": str(each.error)}
            for each in aligner.rank(question, passages, passages=True, top_k=top_k)
        ]

    @server.tool()
    @_refusals()
    def ground(answer: str, passages: list[str]) -> list[dict[str, Any]]:
        """Find where passages support each sentence of an answer, and words that none supports.
        `support` is from 0 to 1, null where a sentence claims nothing; `passage` counts from 0. It
        is evidence, no verdict on truth."""
        found = aligner.ground(answer, passages)
        return [
            {
                "text": answer[each.start : each.end],
                "support": each.support,
                "citations": [
                    {
                        "passage": int(citation.passage),
                        "text": passages[int(citation.passage)][citation.start : citation.end],
                    }
                    for citation in each.citations
                ],
                "unsupported": [answer[span.start : span.end] for span in each.unsupported],
                "conflicts": [
                    {
                        "kind": conflict.kind.value,
                        "text": answer[conflict.start : conflict.end],
                        "passage": int(conflict.passage),
                        "passage_text": passages[int(conflict.passage)][
                            conflict.passage_start : conflict.passage_end
                        ],
                        "probability": conflict.probability,
                    }
                    for conflict in each.conflicts
                ],
            }
            for each in found.sentences
        ]

    @server.tool()
    @_refusals()
    def diff(old: str, new: str) -> dict[str, Any]:
        """Find what changed from one English text to another: sentences that were kept, changed,
        moved, added or removed, and the words in them. `summary` counts them, and its `alarms` are
        the changes of meaning."""
        found = aligner.diff(old, new)
        return found.to_dict() | {"summary": summarize(found).to_dict()}

    return server
