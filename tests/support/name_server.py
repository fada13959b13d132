"""A name server for one name, whose addresses a test changes."""

import contextlib
import socket
import struct
import threading

_HEADER = struct.Struct("!6H")
_RESPONSE, _NO_SUCH_NAME = 0x8180, 0x8183
_A, _IN = 1, 1


class NameServer:
    """Answers questions for IPv4 addresses over UDP on 127.0.0.1.

    Attributes
    ----------
    port : int
    addresses : list of str
        What the name leads to; change it at any time.
    n_asked : int
    """

    def __init__(self, name, addresses):
        self.addresses = addresses
        self.n_asked = 0
        self._name = name.lower()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]

    def serve(self):
        """Answer until the socket is shut down."""
        while True:
            question, client = self._socket.recvfrom(512)
            if not question:
                return
            self._socket.sendto(self._answer(question), client)

    def stop(self):
        """End serve."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", self.port))

    def close(self):
        self._socket.close()

    def _answer(self, question):
        (number, *_) = _HEADER.unpack_from(question)
        labels, position = [], _HEADER.size
        while size := question[position]:
            labels.append(question[position + 1 : position + 1 + size].decode())
            position += 1 + size
        kind, _ = struct.unpack_from("!2H", question, position + 1)
        asked = question[_HEADER.size : position + 5]
        if ".".join(labels).lower() != self._name:
            return _HEADER.pack(number, _NO_SUCH_NAME, 1, 0, 0, 0) + asked
        records = b""
        if kind == _A:
            self.n_asked += 1
            for address in self.addresses:
                # The name as a pointer to the question's; to be kept for no time at all.
                records += struct.pack("!3HIH", 0xC000 | _HEADER.size, _A, _IN, 0, 4)
                records += socket.inet_aton(address)
        n_records = len(records) // 16
        return _HEADER.pack(number, _RESPONSE, 1, n_records, 0, 0) + asked + records


@contextlib.contextmanager
def running(name, addresses):
    """Yield a name server that answers in a thread."""
    server = NameServer(name, addresses)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
        server.close()
