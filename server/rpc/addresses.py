"""Addresses of callers, of whom nothing else is known."""

from __future__ import annotations

import functools
import ipaddress
from urllib.parse import unquote

_SCHEMES = ("ipv4:", "ipv6:")


def address_of(peer: str) -> str:
    """Return the address of a connection without its port, for callers that share the server.

    Of IPv6 it is the network of 64 bits, in which a host chooses its addresses as it likes.

    Parameters
    ----------
    peer : str
        As grpc or HttpCall writes it. What is no address with a port is returned as it is.

    Examples
    --------
    >>> address_of("ipv4:192.0.2.7:50051")
    '192.0.2.7'
    >>> address_of("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:50051")
    '2001:db8:1:2::/64'
    """
    host, _, _ = peer.rpartition(":")
    return _network_of(host) or peer


@functools.lru_cache(1024)
def _network_of(host: str) -> str:
    """Return what is known of a caller by the address; empty where there is none."""
    for scheme in _SCHEMES:
        host = host.removeprefix(scheme)
    try:
        address = ipaddress.ip_address(unquote(host).strip("[]").partition("%")[0])
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))
        address = address.ipv4_mapped
    return str(address)
