import datetime
import hashlib
import re
import subprocess
import urllib.request
from pathlib import Path

import grpc
import pytest
import trustme
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from support.server_process import started
from support.waiting import wait_until
from tokalign.cli.main import main
from tokalign.client import Tls
from tokalign.errors import InputError
from tokalign.server.config import Config
from tokalign.server.rpc.security import Certificates
from tokalign.server.rpc.tokens import TokenFile
from tokalign.server.status import UnauthenticatedError
from tokalign.v1 import align_pb2, align_pb2_grpc

from bench.server_process import TOKALIGN

REQUEST = align_pb2.AlignRequest(pair={"source": {"text": "a"}, "target": {"text": "b"}})


@pytest.fixture
def authority():
    return trustme.CA()


def certificate(authority, folder, name="server"):
    issued = authority.issue_cert("localhost", "127.0.0.1")
    paths = (folder / f"{name}.pem", folder / f"{name}.key")
    issued.private_key_pem.write_to_path(paths[1])
    paths[0].unlink(missing_ok=True)
    for blob in issued.cert_chain_pems:
        blob.write_to_path(paths[0], append=True)
    return paths


def tls_flags(paths):
    return ["--tls-cert", str(paths[0]), "--tls-key", str(paths[1])]


def check(*arguments):
    command = [*TOKALIGN, "serve", "--check", *arguments]
    return subprocess.run(command, capture_output=True, timeout=60).returncode


def align(address, credentials):
    with grpc.secure_channel(address, credentials) as channel:
        stub = align_pb2_grpc.AlignServiceStub(channel)
        return stub.Align(REQUEST, timeout=60)


def test_tls_is_spoken_and_certificates_are_reloaded(authority, tmp_path):
    root = authority.cert_pem.bytes()
    with started(*tls_flags(certificate(authority, tmp_path))) as server:
        assert align(server.address, grpc.ssl_channel_credentials(root)).model.name == "fake"
        with grpc.insecure_channel(server.address) as channel:
            stub = align_pb2_grpc.AlignServiceStub(channel)
            with pytest.raises(grpc.RpcError):
                stub.Align(REQUEST, timeout=5)
        assert check(server.metrics_url) == 0
        assert check(server.address) == 1
        other = trustme.CA()
        certificate(other, tmp_path)
        with pytest.raises(grpc.RpcError):
            align(server.address, grpc.ssl_channel_credentials(root))
        credentials = grpc.ssl_channel_credentials(other.cert_pem.bytes())
        assert align(server.address, credentials).model.name == "fake"


def test_files_that_are_no_certificate_leave_the_old_one(authority, tmp_path):
    credentials = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
    paths = certificate(authority, tmp_path)
    with started(*tls_flags(paths)) as server:
        assert align(server.address, credentials).model.name == "fake"
        paths[0].write_text("no certificate")
        assert align(server.address, credentials).model.name == "fake"
        assert align(server.address, credentials).model.name == "fake"
        paths[0].unlink()
        assert align(server.address, credentials).model.name == "fake"
        server.stop()
        log = server.rest()
    assert log.count("cannot use the TLS files") == 2
    assert "certificates reloaded" not in log


def test_certificate_that_does_not_fit_its_key_leaves_the_old_pair(authority, tmp_path):
    """As between the two writes of a renewal; the new pair serves once it is whole."""
    old = grpc.ssl_channel_credentials(authority.cert_pem.bytes())
    with started(*tls_flags(certificate(authority, tmp_path))) as server:
        other = trustme.CA()
        new_paths = certificate(other, tmp_path, "new")
        (tmp_path / "server.pem").write_bytes(new_paths[0].read_bytes())
        assert align(server.address, old).model.name == "fake"
        (tmp_path / "server.key").write_bytes(new_paths[1].read_bytes())
        new = grpc.ssl_channel_credentials(other.cert_pem.bytes())
        assert align(server.address, new).model.name == "fake"


@pytest.mark.parametrize(
    ("broken", "content", "named"),
    [
        ("server.pem", "junk", "server.pem holds no certificate in PEM"),
        ("server.pem", "", "server.pem holds no certificate in PEM"),
        ("server.key", "junk", "server.key holds no private key in PEM"),
        ("server.key", "server.pem", "server.key holds no private key in PEM"),
        ("server.key", "encrypted", "server.key holds no private key in PEM that can be read with"),
        ("server.key", "other.key", "server.key is not of the certificate in .*server.pem"),
        ("ca.pem", "junk", "ca.pem holds no certificate in PEM"),
        ("ca.pem", "server.key", "ca.pem holds no certificate in PEM"),
        ("server.pem", "weak.pem", "server.pem: ee key too small"),
        ("server.pem", None, "No such file .*server.pem"),
        ("ca.pem", "folder", "Is a directory: .*ca.pem"),
    ],
)
def test_errors_name_the_file_that_cannot_be_used(authority, tmp_path, broken, content, named):
    paths = (*certificate(authority, tmp_path), tmp_path / "ca.pem")
    authority.cert_pem.write_to_path(paths[2])
    certificate(trustme.CA(), tmp_path, "other")
    password = serialization.BestAvailableEncryption(b"x")
    key = serialization.load_pem_private_key(paths[1].read_bytes(), None)
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (tmp_path / "encrypted").write_bytes(key.private_bytes(*form, password))
    (tmp_path / "weak.pem").write_bytes(short_certificate())
    Certificates(*paths)
    path = tmp_path / broken
    path.unlink()
    if content == "folder":
        path.mkdir()
    elif content is not None:
        named_file = tmp_path / content if content else tmp_path / "none"
        path.write_bytes(named_file.read_bytes() if named_file.is_file() else content.encode())
    with pytest.raises(InputError, match=f"cannot use the TLS files: .*{named}"):
        Certificates(*paths)


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("root_certificates", {"root_certificates": b"junk"}),
        ("root_certificates", {"root_certificates": b""}),
        ("root_certificates", {"root_certificates": b"\xff\xfe"}),
        ("root_certificates", {"root_certificates": "KEY"}),
        ("certificate_chain", {"private_key": "KEY"}),
        ("certificate_chain", {"private_key": "KEY", "certificate_chain": b"junk"}),
        ("certificate_chain", {"private_key": "KEY", "certificate_chain": "CUT"}),
        ("private_key", {"certificate_chain": "CERTIFICATE"}),
        ("private_key", {"private_key": b"junk", "certificate_chain": "CERTIFICATE"}),
    ],
)
def test_a_clients_credentials_that_cannot_be_used_are_named(authority, tmp_path, field, given):
    cert, key = (path.read_bytes() for path in certificate(authority, tmp_path))
    pem = {"KEY": key, "CERTIFICATE": cert, "CUT": cert[:300]}
    given = {name: pem.get(value, value) for name, value in given.items()}
    with pytest.raises(InputError, match=field) as caught:
        Tls(**given)
    assert caught.value.field == field
    root = "Autorité\n".encode() + authority.cert_pem.bytes()
    Tls(root_certificates=root, private_key=key, certificate_chain=cert)


def test_commands_name_the_file_that_cannot_be_used(tmp_path):
    junk = tmp_path / "junk.pem"
    junk.write_text("junk")
    args = ["rank", "q", "--server", "localhost:1", "--tls-ca", str(junk)]
    run = CliRunner().invoke(main, args, input="a\n")
    assert run.exit_code == 1 and f"Error: {junk}: " in run.stderr, run.stderr


def short_certificate():
    """Return a certificate with a key of 1,024 bits, which OpenSSL refuses."""
    key = rsa.generate_private_key(65537, 1024)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now)
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def test_mtls_refuses_clients_without_a_certificate(authority, tmp_path):
    root = authority.cert_pem.bytes()
    root_path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(root_path)
    flags = [*tls_flags(certificate(authority, tmp_path)), "--tls-client-ca", str(root_path)]
    paths = certificate(authority, tmp_path, "client")
    chain, key = (path.read_bytes() for path in paths)
    with started(*flags) as server:
        with pytest.raises(grpc.RpcError):
            align(server.address, grpc.ssl_channel_credentials(root))
        assert align(server.address, grpc.ssl_channel_credentials(root, key, chain)).model.name


def test_images_health_check_is_right_whatever_calls_need(authority, tmp_path):
    """It runs in the container, and knows none of the server's settings."""
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    tokens = tmp_path / "tokens"
    tokens.write_text(token_line("alice", "secret-a"))
    flags = [*tls_flags(certificate(authority, tmp_path)), "--token-file", str(tokens)]
    flags += ["--tls-client-ca", str(tmp_path / "ca.pem")]
    dockerfile = (Path(__file__).parents[2] / "deploy" / "Dockerfile").read_text()
    (asked,) = re.findall(r'CMD \["tokalign", "serve", "--check", "([^"]+)"\]', dockerfile)
    default = f"http://127.0.0.1:{Config().metrics_port}"
    assert asked == default
    with started(*flags) as server:
        assert check(server.metrics_url) == 0
    assert check(server.metrics_url) == 1


def token_line(name, token):
    return f"{name} {hashlib.sha256(token.encode()).hexdigest()}\n"


def test_calls_need_a_token_and_health_does_not(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"# who\n{token_line('alice', 'secret-a')}{token_line('bob', 'secret-b')}")
    with (
        started("--token-file", str(path)) as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        stub = align_pb2_grpc.AlignServiceStub(channel)

        def code(header):
            metadata = [("authorization", header)] if header else []
            try:
                stub.Align(REQUEST, metadata=metadata, timeout=60)
            except grpc.RpcError as error:
                return error.code()
            return grpc.StatusCode.OK

        assert code("") == code("Bearer wrong") == grpc.StatusCode.UNAUTHENTICATED
        assert code("Basic secret-a") == grpc.StatusCode.UNAUTHENTICATED
        assert code("Bearer secret-a") == code("bearer secret-b") == grpc.StatusCode.OK
        path.write_text(token_line("carol", "secret-c"))
        wait_until(lambda: code("Bearer secret-a") == grpc.StatusCode.UNAUTHENTICATED)
        wait_until(lambda: code("Bearer secret-c") == grpc.StatusCode.OK)
        stream = stub.AlignStream(iter([]))
        assert stream.code() == grpc.StatusCode.UNAUTHENTICATED


def is_valid(tokens, token):
    try:
        return bool(tokens.check(f"Bearer {token}"))
    except UnauthenticatedError:
        return False


def test_token_file_that_breaks_keeps_the_old_tokens(tmp_path, caplog):
    path = tmp_path / "tokens"
    path.write_text(token_line("alice", "a"))
    tokens = TokenFile(path)
    for text in (b"alice not-a-hash\n", b"\xff\xfe", token_line("alice", "a").encode() + b"b"):
        caplog.clear()
        path.write_bytes(text)
        for _ in range(3):
            tokens.look()
            assert is_valid(tokens, "a") and not is_valid(tokens, "b")
        assert tokens.fault
        (record,) = caplog.records
        assert record.message == "the token file cannot be used"


@pytest.mark.parametrize("text", [None, "", "# nobody\n"])
def test_emptied_or_deleted_token_file_lets_nobody_call(tmp_path, caplog, text):
    path = tmp_path / "tokens"
    path.write_text(token_line("alice", "a"))
    tokens = TokenFile(path)
    assert is_valid(tokens, "a") and not tokens.fault
    path.unlink() if text is None else path.write_text(text)
    for _ in range(3):
        tokens.look()
        assert not is_valid(tokens, "a")
    assert tokens.fault
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    path.write_text(token_line("alice", "a"))
    for _ in range(3):
        tokens.look()
        assert is_valid(tokens, "a") and not tokens.fault


def test_server_tells_of_a_deleted_token_file_once_and_in_its_metrics(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(token_line("alice", "a"))
    with (
        started("--token-file", str(path)) as server,
        grpc.insecure_channel(server.address) as channel,
    ):
        stub = align_pb2_grpc.AlignServiceStub(channel)

        def fault():
            with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=60) as answer:
                (line,) = re.findall(
                    r"^tokalign_token_file_faulty .*", answer.read().decode(), re.M
                )
            return float(line.split()[1])

        assert fault() == 0
        path.unlink()
        wait_until(lambda: fault() == 1)
        for _ in range(20):
            with pytest.raises(grpc.RpcError) as caught:
                stub.Align(REQUEST, metadata=[("authorization", "Bearer a")], timeout=60)
            assert caught.value.code() == grpc.StatusCode.UNAUTHENTICATED
        server.stop()
        assert server.rest().count("the token file cannot be used") == 1


@pytest.mark.parametrize("text", ["", "# only\n", "alice zz\n", "alice\n", f"a {'z' * 64}\n"])
def test_bad_token_file_is_refused_at_the_start(tmp_path, text):
    path = tmp_path / "tokens"
    path.write_text(text)
    with pytest.raises(InputError, match="tokens"):
        TokenFile(path)


def test_certificate_with_another_key_is_refused_at_the_start(authority, tmp_path):
    certificate_path, _ = certificate(authority, tmp_path)
    _, other_key = certificate(authority, tmp_path, "other")
    with pytest.raises(InputError, match=r"cannot use the TLS files: .*mismatch"):
        Certificates(certificate_path, other_key, None)


def test_tls_needs_both_files(tmp_path):
    with pytest.raises(InputError, match="come together"):
        Config(tls_certificate=tmp_path)
