"""Hostile peers and faults against a server on loopback, each beside a well-behaved caller.

A row (rows) is one family of attacks and the condition under which it passes. It runs in a process
of its own against a server of its own (trial), while a caller (caller) checks its answers. Rows of
strangers, who have no token, stand in strangers and http; of callers in callers, malformed and
faults. What protects a row can be switched off: by Envoy's configuration, the server's options, or
bare.
"""
