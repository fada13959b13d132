"""Wire types of protobuf: the lowest three bits of a tag, which say how a value is written."""

cpdef enum:
    VARINT = 0
    FIXED64 = 1
    LENGTH_DELIMITED = 2
    GROUP = 3
    END_GROUP = 4
    FIXED32 = 5
