"""Names by which requests of HTTP may call the server.

The name of a page may be made to lead to this machine (DNS rebinding). A browser then takes the
server for the page's own, and lets the page read all that it answers; the header host names it.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from ipaddress import ip_address

# A name, or an address of IPv6 in brackets, and a port.
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.~%!$&'()*+;=-]*)(?::\d*)?", re.ASCII | re.IGNORECASE)


class ServerNames:
    """Decides whether a request that names the server so may call.

    Parameters
    ----------
    address : str
        Address or name that the server listens on. If it is loopback, only names of this machine
        may be used; otherwise all may, for the server does not know what the network calls it.
    named : iterable of str
        Names that may be used, beside those of this machine; "*" is all.
    """

    def __init__(self, address: str, named: Iterable[str]) -> None:
        self._named = frozenset(map(str.lower, named))
        self._are_all = "*" in self._named or not (self._named or _leads_to_loopback(address))

    def may_call(self, host: str) -> bool:
        """Return whether a request may have this header host, whatever its port."""
        name = name_in(host.lower())
        return name is not None and (self._are_all or name in self._named or _is_of_machine(name))


def name_in(host: str) -> str | None:
    """Return a header host without its port; None if it is malformed.

    Examples
    --------
    >>> name_in("[::1]:8080"), name_in("localhost"), name_in("localhost:http")
    ('[::1]', 'localhost', None)
    """
    match = _HOST.fullmatch(host)
    return None if match is None else match[1]


def _leads_to_loopback(address: str) -> bool:
    try:
        found = socket.getaddrinfo(address, None, type=socket.SOCK_STREAM)
    except OSError:
        return False  # nobody can listen there
    return ip_address(found[0][4][0]).is_loopback


def _is_of_machine(name: str) -> bool:
    """Return whether a name is one that leads no page of others here."""
    try:
        return name == "localhost" or ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False
