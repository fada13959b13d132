"""Hashed features of tokens, which the tagger and the parser share."""

from libc.stdint cimport uint32_t, uint64_t

cdef struct Form:
    # Features of a token for the tagger and the parser, as hashes.
    uint32_t form       # hash of the token as written
    uint32_t lower      # of the token lower-cased, digits as 0
    uint32_t prefix1    # of the first characters, case kept
    uint32_t prefix2
    uint32_t prefix3
    uint32_t suffix1    # of the last characters, lower-cased, digits as 0
    uint32_t suffix2
    uint32_t suffix3
    uint32_t suffix4
    uint32_t shape      # of the token as X x 0 and signs, runs cut to two
    uint32_t fixed      # QUOTE_OPEN, QUOTE_CLOSE or 0
    uint32_t case       # bits HAS_LOWER, HAS_UPPER


cdef inline uint32_t slot(uint64_t template, uint64_t a, uint64_t b, int shift) noexcept nogil:
    """Return the table row of a feature: template number and up to two values."""
    cdef uint64_t h = a * 0x9E3779B97F4A7C15u + template * 0xD6E8FEB86659FD93u
    h ^= h >> 32
    h = (h + b) * 0xC2B2AE3D27D4EB4Fu
    h ^= h >> 29
    h *= 0xBF58476D1CE4E5B9u
    return <uint32_t>(h >> shift)


cdef inline uint64_t both(uint32_t a, uint32_t b) noexcept nogil:
    """Return two 32-bit values as one."""
    return (<uint64_t>a << 32) | b
