"""Conversion between protobuf messages and tokalign's types; no other package does this.

``encode_x`` makes a message and ``decode_x`` reads one. `writing` writes answers as bytes, without
message objects. Decoding inverts encoding, except that numbers are rounded where the wire has
single precision. Limits are checked elsewhere, and nothing here imports grpc.
"""

from tokalign.codec.alignments import (
    decode_alignment,
    decode_highlights,
    decode_judgement,
    decode_passage_sentence,
    encode_highlight,
    encode_passage_sentence,
)
from tokalign.codec.grounding import (
    decode_ground_options,
    decode_grounded_sentence,
    decode_grounding,
    decode_passages,
    encode_ground,
    encode_ground_head,
    encode_ground_options,
    encode_ground_piece,
    encode_grounded_sentence,
)
from tokalign.codec.options import (
    RequestOptions,
    decode_options,
    decode_rank_by,
    decode_rank_options,
    encode_options,
    encode_rank_options,
)
from tokalign.codec.sentences import (
    decode_constraints,
    decode_input,
    decode_sentence,
    encode_candidate,
    encode_constraints,
    encode_input,
    encode_pair,
)
from tokalign.codec.servers import (
    ModelInfo,
    ServerInfo,
    ServerLimits,
    StyleInfo,
    decode_server_info,
    encode_server_info,
)
from tokalign.codec.texts import (
    decode_texts,
    encode_text_pieces,
    encode_texts,
    text_bytes,
)

__all__ = [
    "ModelInfo",
    "RequestOptions",
    "ServerInfo",
    "ServerLimits",
    "StyleInfo",
    "decode_alignment",
    "decode_constraints",
    "decode_ground_options",
    "decode_grounded_sentence",
    "decode_grounding",
    "decode_highlights",
    "decode_input",
    "decode_judgement",
    "decode_options",
    "decode_passage_sentence",
    "decode_passages",
    "decode_rank_by",
    "decode_rank_options",
    "decode_sentence",
    "decode_server_info",
    "decode_texts",
    "encode_candidate",
    "encode_constraints",
    "encode_ground",
    "encode_ground_head",
    "encode_ground_options",
    "encode_ground_piece",
    "encode_grounded_sentence",
    "encode_highlight",
    "encode_input",
    "encode_options",
    "encode_pair",
    "encode_passage_sentence",
    "encode_rank_options",
    "encode_server_info",
    "encode_text_pieces",
    "encode_texts",
    "text_bytes",
]
