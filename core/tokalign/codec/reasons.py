"""Reasons of the errors that a server sends, by the names of the contract."""

from __future__ import annotations

from enum import StrEnum

ERROR_DOMAIN = "tokalign"
"""Domain of google.rpc.ErrorInfo: with it, a reason is unique among all services."""


class ErrorReason(StrEnum):
    """Why a server refused or failed a call, or one item of it; each has one gRPC code.

    Members are those of ErrorReason in the contract, which says when each is sent and what helps. A
    member equals its name, such as ``"QUEUE_FULL"``.
    """

    INVALID_INPUT = "INVALID_INPUT"
    MALFORMED_MESSAGE = "MALFORMED_MESSAGE"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    TOO_MANY_ITEMS = "TOO_MANY_ITEMS"
    TEXT_TOO_LARGE = "TEXT_TOO_LARGE"
    REQUEST_TOO_COSTLY = "REQUEST_TOO_COSTLY"
    ANSWER_TOO_LARGE = "ANSWER_TOO_LARGE"
    MODEL_NOT_FOUND = "MODEL_NOT_FOUND"
    ANNOTATOR_NOT_FOUND = "ANNOTATOR_NOT_FOUND"
    SERVICE_NOT_FOUND = "SERVICE_NOT_FOUND"
    CHANNEL_NOT_FOUND = "CHANNEL_NOT_FOUND"
    METHOD_UNKNOWN = "METHOD_UNKNOWN"
    QUEUE_FULL = "QUEUE_FULL"
    QUEUE_BYTES_FULL = "QUEUE_BYTES_FULL"
    WAIT_TOO_LONG = "WAIT_TOO_LONG"
    DEADLINE_TOO_SHORT = "DEADLINE_TOO_SHORT"
    MEMORY_SHORT = "MEMORY_SHORT"
    TOO_MANY_WATCHERS = "TOO_MANY_WATCHERS"
    DEADLINE_PASSED = "DEADLINE_PASSED"
    MESSAGE_TIMEOUT = "MESSAGE_TIMEOUT"
    MESSAGE_INCOMPLETE = "MESSAGE_INCOMPLETE"
    CALLER_GONE = "CALLER_GONE"
    SERVER_STARTING = "SERVER_STARTING"
    SERVER_STOPPING = "SERVER_STOPPING"
    TOKEN_MISSING = "TOKEN_MISSING"
    TOKEN_UNKNOWN = "TOKEN_UNKNOWN"
    RELOAD_REFUSED = "RELOAD_REFUSED"
    VERSION_MISMATCH = "VERSION_MISMATCH"
    INTERNAL_FAULT = "INTERNAL_FAULT"
    PAIR_KILLS_WORKERS = "PAIR_KILLS_WORKERS"
