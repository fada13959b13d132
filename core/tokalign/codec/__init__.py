"""Protobuf messages from tokalign's types and back; the only such place. Knows nothing of grpc.

``encode_x`` makes a message, ``decode_x`` reads one; answers are written without one (_writing).
What is decoded equals what was encoded, with numbers that are single precision on the wire rounded
to it. Limits are not checked here.
"""

from tokalign.codec.alignments import (
    decode_alignment,
    decode_explanation,
    decode_judgement,
    decode_passage_sentence,
    decode_posteriors,
    encode_passage_sentence,
)
from tokalign.codec.constraints import decode_constraints, encode_constraints
from tokalign.codec.options import (
    RequestOptions,
    decode_options,
    decode_rank_by,
    encode_options,
    encode_rank_by,
)
from tokalign.codec.sentences import (
    decode_input,
    decode_sentence,
    encode_candidate,
    encode_input,
    encode_pair,
)
from tokalign.codec.servers import (
    ModelInfo,
    ServerInfo,
    ServerLimits,
    StyleInfo,
    decode_limits,
    decode_model,
    decode_server_info,
    encode_limits,
    encode_model,
    encode_server_info,
)

__all__ = [
    "ModelInfo",
    "RequestOptions",
    "ServerInfo",
    "ServerLimits",
    "StyleInfo",
    "decode_alignment",
    "decode_constraints",
    "decode_explanation",
    "decode_input",
    "decode_judgement",
    "decode_limits",
    "decode_model",
    "decode_options",
    "decode_passage_sentence",
    "decode_posteriors",
    "decode_rank_by",
    "decode_sentence",
    "decode_server_info",
    "encode_candidate",
    "encode_constraints",
    "encode_input",
    "encode_limits",
    "encode_model",
    "encode_options",
    "encode_pair",
    "encode_passage_sentence",
    "encode_rank_by",
    "encode_server_info",
]
