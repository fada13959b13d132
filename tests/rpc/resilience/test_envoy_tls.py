"""TLS of deploy/envoy.yaml, and the file itself as Envoy reads it."""

import json
import socket
import ssl
import subprocess
import sys
import urllib.request
from functools import partial
from pathlib import Path

import grpc
import pytest
from support.envoy import FLAGS, calls_at, envoy, is_ready, wait_for_route
from support.server_process import started
from support.waiting import wait_until
from tokalign.v1 import align_pb2_grpc

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
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


def shipped_snippet():
    """Return what the page says to put into the clusters."""
    page = (Path(__file__).parents[3] / "docs" / "operations.md").read_text(encoding="utf-8")
    section = page.partition("### TLS between Envoy and the servers")[2]
    return section.partition("```yaml\n")[2].partition("```")[0]


def encrypting(folder, config):
    """Change a configuration as the page says, with the name that the servers have here."""
    text = shipped_snippet().replace("tokalign-headless", "localhost")
    text = text.replace("/etc/tokalign/tls/", f"{folder}/tls/")
    for cluster in config["static_resources"]["clusters"]:
        if cluster["name"] in ("tokalign", "tokalign-http"):
            cluster.update(yaml.safe_load(text))
        if cluster["name"] == "tokalign-http":
            common = cluster["transport_socket"]["typed_config"]["common_tls_context"]
            common["alpn_protocols"] = ["http/1.1"]


@pytest.mark.parametrize("is_trusted", [True, False])
def test_calls_between_envoy_and_the_servers_are_encrypted_as_the_page_says(tmp_path, is_trusted):
    authority = trustme.CA()
    issued(tmp_path / "tls", authority)
    authority.cert_pem.write_to_path(tmp_path / "tls" / "ca.crt")
    inside = tmp_path / "inside"
    inside.mkdir()
    issuer = authority if is_trusted else trustme.CA()
    certificate = issuer.issue_cert("localhost")
    certificate.cert_chain_pems[0].write_to_path(inside / "tls.crt")
    certificate.private_key_pem.write_to_path(inside / "tls.key")
    flags = ["--tls-cert", f"{inside}/tls.crt", "--tls-key", f"{inside}/tls.key"]
    with started(*FLAGS, *flags, "--http-port", "0") as server:
        grpc_port, http_port = (
            int(each.rpartition(":")[2]) for each in (server.address, server.http_url)
        )
        with envoy(
            tmp_path, [grpc_port], http_ports=[http_port], change=partial(encrypting, tmp_path)
        ) as front:
            if not is_trusted:
                wait_until(lambda: failed_checks(front) > 1, "Envoy looked for no server")
                assert not is_ready(front)
                return
            with grpc.insecure_channel(front.address) as channel:
                wait_for_route(align_pb2_grpc.AlignServiceStub(channel))
            body = json.dumps({"source": "a", "target": "b"}).encode()
            with urllib.request.urlopen(f"http://{front.address}/v1/align", body, 30) as answer:
                assert answer.status == 200
        assert calls_at(server) == 1


def failed_checks(front):
    """Return how many health checks of servers have failed."""
    url = f"{front.admin_url}/stats?filter=tokalign.health_check.failure"
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return int(answer.read().split()[-1])
    except OSError:
        return 0  # it is just starting


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
