"""Conversion between protobuf messages and tokalign's types; no other package does this.

``encode_x`` makes a message and ``decode_x`` reads one. `writing` writes answers as bytes, without
message objects. Decoding inverts encoding, except that numbers are rounded where the wire has
single precision. Limits are checked elsewhere, and nothing here imports grpc.
"""
