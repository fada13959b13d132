# ruff: noqa: I001
"""Conversion between protobuf messages and tokalign's types; no other package does this.

``encode_x`` makes a message and ``decode_x`` reads one. `writing` writes answers as bytes, without
message objects. Decoding inverts encoding, except that numbers are rounded where the wire has
single precision. Limits are checked elsewhere, and nothing here imports grpc.
"""

from tokalign.codec.alignments import (
    decode_alignment as decode_alignment,
    decode_highlights as decode_highlights,
    decode_judgement as decode_judgement,
    decode_passage_sentence as decode_passage_sentence,
    encode_highlight as encode_highlight,
    encode_passage_sentence as encode_passage_sentence,
)
from tokalign.codec.grounding import (
    decode_grounded_sentence as decode_grounded_sentence,
    decode_grounding as decode_grounding,
    decode_passages as decode_passages,
    encode_ground as encode_ground,
    encode_ground_head as encode_ground_head,
    encode_ground_piece as encode_ground_piece,
    encode_grounded_sentence as encode_grounded_sentence,
)
from tokalign.codec.options import (
    RequestOptions as RequestOptions,
    decode_ground_options as decode_ground_options,
    decode_options as decode_options,
    decode_rank_by as decode_rank_by,
    decode_rank_options as decode_rank_options,
    encode_ground_options as encode_ground_options,
    encode_options as encode_options,
    encode_rank_options as encode_rank_options,
)
from tokalign.codec.sentences import (
    decode_constraints as decode_constraints,
    decode_input as decode_input,
    decode_sentence as decode_sentence,
    encode_candidate as encode_candidate,
    encode_constraints as encode_constraints,
    encode_input as encode_input,
    encode_pair as encode_pair,
)
from tokalign.codec.servers import (
    ModelInfo as ModelInfo,
    ServerInfo as ServerInfo,
    ServerLimits as ServerLimits,
    StyleInfo as StyleInfo,
    decode_server_info as decode_server_info,
    encode_server_info as encode_server_info,
)
from tokalign.codec.texts import (
    decode_texts as decode_texts,
    encode_text_pieces as encode_text_pieces,
    encode_texts as encode_texts,
)
