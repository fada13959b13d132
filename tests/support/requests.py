"""Small requests; the fake engine does what a pair's id says."""

from tokalign.server.requests.request import Request, interactive
from tokalign.v1 import align_pb2


def pair(pair_id="", source="a b", target="a c"):
    return align_pb2.Pair(id=pair_id, source={"text": source}, target={"text": target})


def batch(*ids):
    pairs = [{"id": name, "source": {"text": "a"}, "target": {"text": "b"}} for name in ids]
    return align_pb2.BatchAlignRequest(pairs=pairs)


def request_of(options, pairs, costs=None, **fields):
    """Return a request as the pool takes it, by default of typical pairs."""
    costs = costs or [1] * len(pairs)
    return Request(
        options, pairs, costs, **{"is_interactive": interactive(options, sum(costs)), **fields}
    )
