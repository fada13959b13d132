"""TLS of deploy/envoy.yaml, and the file itself as Envoy reads it."""

import socket
import ssl
import subprocess
import sys

import pytest
from support.envoy import FLAGS, envoy, is_ready
from support.server_process import started
from support.waiting import wait_until

trustme = pytest.importorskip("trustme", reason="trustme is not installed")


def issued(folder, authority):
    """Write a certificate for loopback where Envoy reads it, as Kubernetes replaces a secret."""
    folder.mkdir(exist_ok=True)
    certificate = authority.issue_cert("127.0.0.1")
    certificate.cert_chain_pems[0].write_to_path(folder / "new.crt")
    certificate.private_key_pem.write_to_path(folder / "new.key")
    (folder / "new.key").replace(folder / "tls.key")
    (folder / "new.crt").replace(folder / "tls.crt")


def handshake(front, authority, **versions):
    """Return the protocol, the version and the certificate that a peer gets."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    authority.configure_trust(context)
    context.set_alpn_protocols(["h2", "http/1.1"])
    for name, value in versions.items():
        setattr(context, name, value)
    host, _, port = front.address.rpartition(":")
    with (
        socket.create_connection((host, int(port)), timeout=30) as peer,
        context.wrap_socket(peer, server_hostname=host) as over,
    ):
        return over.selected_alpn_protocol(), over.version(), over.getpeercert(binary_form=True)


def test_calls_are_encrypted_and_a_new_certificate_is_served_once_it_is_there(tmp_path):
    authority = trustme.CA()
    issued(tmp_path / "tls", authority)
    with started(*FLAGS) as server:
        port = int(server.address.rpartition(":")[2])
        with envoy(tmp_path, [port], has_tls=True) as front:
            wait_until(lambda: is_ready(front), "Envoy found no server")
            protocol, version, first = handshake(front, authority)
            assert (protocol, version) == ("h2", "TLSv1.3")
            issued(tmp_path / "tls", authority)
            wait_until(lambda: handshake(front, authority)[2] != first, "it serves the old one")
            # What speaks no TLS is cut off.
            host, _, own = front.address.rpartition(":")
            with socket.create_connection((host, int(own)), timeout=30) as peer:
                peer.sendall(b"GET /v1/models HTTP/1.1\r\nhost: a\r\n\r\n")
                assert b"HTTP" not in peer.recv(1024)


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_old_versions_of_tls_are_refused(tmp_path):
    authority = trustme.CA()
    issued(tmp_path / "tls", authority)
    with envoy(tmp_path, [], has_tls=True) as front:
        wait_until(lambda: is_listening(front), "Envoy does not listen")
        with pytest.raises((ssl.SSLError, ConnectionError)):
            handshake(front, authority, maximum_version=ssl.TLSVersion.TLSv1_1)


def is_listening(front):
    host, _, port = front.address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=30):
            return True
    except OSError:
        return False


def test_envoy_takes_the_file_as_it_ships(tmp_path):
    authority = trustme.CA()
    issued(tmp_path / "tls", authority)
    with envoy(tmp_path, [], has_tls=True):
        pass  # its folder has the files now, with their places changed and nothing else
    command = "from envoy._main import main; main()"
    path = str(tmp_path / "envoy.yaml")
    done = subprocess.run(
        [sys.executable, "-c", command, "--mode", "validate", "-c", path],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    # This one is deprecated, and demanded.
    told = done.stderr.replace("access_loggers.stats.v3.Config.stat_prefix", "")
    told = told.replace("Deprecated field: type envoy.extensions.access_loggers.stats.v3", "")
    assert "Deprecated field" not in told
