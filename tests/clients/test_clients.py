"""The example clients print what the Python client finds, on servers as users start them."""

import contextlib
import hashlib
import json
import os
import subprocess
import urllib.request
from pathlib import Path

import pytest
import trustme
from golden.test_golden import assert_alike, refresh
from grpc_health.v1 import health_pb2
from support import scripted_server
from support.server_process import started
from tokalign.client import Client
from tokalign.types.relations import RELATION_SIGNS

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build" / "clients"
NAMES = ("node", "go", "java", "cpp")
SOURCE = "Zoë ate a 🥐 in Paris."
TARGET = "Zoë ate a 🥐."
# Those that each client has.
OLD_TEXT = "It rains. Marta sells 🥐 and bakes bread. Nobody came."
NEW_TEXT = "Marta sells 🥐. She bakes bread. It rains. Dogs bark."
ANSWER = "Marta sells 🥐 in Paris. She opened the bakery in 1894."
PASSAGE = "🥐 are sold by Marta. The bakery opened in 1987."
SERVICE_CONFIG = ROOT / "deploy" / "service_config.json"
SHIPPED = json.loads(SERVICE_CONFIG.read_text())

pytestmark = pytest.mark.skipif(
    "TOKALIGN_TEST_CLIENTS" not in os.environ, reason="make test-clients builds and runs them"
)


def command(name):
    """Return the command that runs a client, without its arguments."""
    match name:
        case "node":
            return ["node", BUILT / "node" / "client.js"]
        case "java":
            classpath = (BUILT / "java" / "classpath").read_text().strip()
            hosts = f"-Djdk.net.hosts.file={BUILT / 'java' / 'hosts'}"
            return [
                "java",
                hosts,
                f"-Djava.library.path={BUILT / 'java'}",
                "-cp",
                classpath,
                "Client",
            ]
    return [BUILT / name / "client"]


def run(name, address, source=SOURCE, target=TARGET, **environment):
    """Return what a client prints, what it complains about, and its exit code."""
    environment = {
        **os.environ,
        "LC_ALL": "C.UTF-8",
        "SERVICE_CONFIG": str(SERVICE_CONFIG),
        "PROTOS": str(BUILT / "protos"),
        "GRPC_GO_RETRY": "on",  # Debian's Go is older than retries by default
        **environment,
    }
    done = subprocess.run(
        [*command(name), address, source, target],
        capture_output=True, encoding="utf-8", env=environment, timeout=120,
    )  # fmt: skip
    return done.stdout, done.stderr, done.returncode


@pytest.fixture(scope="module")
def expected():
    """Return what each client prints, as the Python client finds it out."""
    with started("--workers", "1", fake=False) as server, Client(server.address) as client:
        aligned = client.align(SOURCE, TARGET, relations=True)
        words = [
            aligned.source.tokens[link.source]
            + RELATION_SIGNS[link.relation.kind]
            + aligned.target.tokens[link.target]
            for link in aligned.links
        ]
        ranking = client.rank("Who founded the bakery?", ["It rains.", "Marta founded the bakery."])
        texts = client.align_texts(OLD_TEXT, NEW_TEXT)
        grounding = client.ground(ANSWER, [("town", PASSAGE)])
    assert [len(each.citations) for each in grounding.sentences] == [1, 1]
    assert any(each.unsupported for each in grounding.sentences)
    assert "🥐=🥐" in words and "Zoë=Zoë" in words
    blocks = [(block.old, block.new, block.moved) for block in texts.blocks]
    assert blocks == [
        ((1,), (0, 1), False), ((2,), (), False), ((0,), (2,), True), ((), (3,), False),
    ]  # fmt: skip
    return f"""\
align: {" ".join(words)}
batch: {len(words)} links, INVALID_ARGUMENT target.text
stream: 10 chunks, {20 * len(words)} links
rank: {", ".join(f"{each.index} {each.judgement.score:.2f}" for each in ranking)}
{"".join(shown(texts, block) for block in texts.blocks)}\
{"".join(map(evidence, grounding.sentences))}\
invalid: INVALID_ARGUMENT pair.target.text
deadline: DEADLINE_EXCEEDED
receive limit: RESOURCE_EXHAUSTED
balance: 100 calls
"""


def shown(texts, block):
    """Return the line that each client prints of a block."""
    sides = (texts.old_text, texts.old_span(block)), (texts.new_text, texts.new_span(block))
    old, new = (text[slice(*span)] if span else "(none)" for text, span in sides)
    return f"texts: {old} -> {new}{' (moved)' if block.moved else ''}\n"


def evidence(sentence):
    """Return the line that each client prints of a sentence of an answer."""
    cited = [f" <- {each.passage}: {PASSAGE[each.start : each.end]}" for each in sentence.citations]
    spans = [ANSWER[each.start : each.end] for each in sentence.unsupported]
    without = [f" (no support: {span})" for span in spans]
    return f"ground: {ANSWER[sentence.start : sentence.end]}{''.join(cited + without)}\n"


@pytest.fixture(scope="module")
def plain():
    with started("--workers", "1", fake=False) as server:
        yield server.address


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """Yield the address of a server with TLS and tokens, and the file of its authority."""
    folder = tmp_path_factory.mktemp("guarded")
    authority = trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    for blob in issued.cert_chain_pems:
        blob.write_to_path(folder / "chain.pem", append=True)
    (folder / "tokens").write_text(f"someone {hashlib.sha256(b'secret').hexdigest()}\n")
    flags = ["--tls-cert", "chain.pem", "--tls-key", "key.pem", "--token-file", "tokens"]
    flags[1::2] = [str(folder / name) for name in flags[1::2]]
    with started("--workers", "1", *flags, fake=False) as server:
        port = server.address.rpartition(":")[2]
        yield f"localhost:{port}", str(folder / "ca.pem")


@pytest.mark.parametrize("name", NAMES)
def test_client_prints_what_pythons_finds(name, plain, expected):
    printed, complaint, code = run(name, plain)
    assert (printed, code) == (expected, 0), complaint


def test_a_go_client_of_the_frozen_contract_reads_the_reviewed_answers(plain):
    calls = refresh.FROZEN / "calls.json"
    now = refresh.frozen_answers(plain, BUILT / "go" / "frozen", plain, calls)
    assert_alike(now, json.loads((ROOT / "tests" / "golden" / "frozen.json").read_text()))


@pytest.mark.parametrize("name", NAMES)
def test_client_speaks_tls_and_sends_its_token(name, guarded, expected):
    address, authority = guarded
    printed, complaint, code = run(name, address, CA=authority, TOKEN="secret")
    assert (printed, code) == (expected, 0), complaint
    printed, complaint, code = run(name, address, CA=authority, TOKEN="wrong")
    assert (printed, code) == ("", 1) and complaint.endswith("UNAUTHENTICATED\n")
    # Another authority's server gets no token.
    *_, code = run(name, address, CA=str(guarded_by_another(authority)), TOKEN="secret")
    assert code == 1


def guarded_by_another(authority):
    path = Path(authority).with_name("other.pem")
    trustme.CA().cert_pem.write_to_path(path)
    return path


@contextlib.contextmanager
def scripted():
    """Yield the address and the servicer of a server that does as the texts say."""
    with scripted_server.running() as (address, servicer, healthy):
        serving = health_pb2.HealthCheckResponse.SERVING
        healthy.set("tokalign.v1.AlignService", serving)
        yield address, servicer


@pytest.mark.parametrize("name", NAMES)
def test_client_tries_again_as_the_service_config_says(name):
    with scripted() as (address, servicer):
        printed, *_ = run(name, address, "fail UNAVAILABLE 2", "fail UNAVAILABLE 2")
    assert printed.startswith("align: fail-fail UNAVAILABLE-UNAVAILABLE 2-2\n")
    assert servicer.failures["fail UNAVAILABLE 2"] >= 3


@pytest.mark.parametrize("name", NAMES)
def test_client_reads_when_to_come_back(name):
    with scripted() as (address, _):
        printed, complaint, code = run(name, address, "fail RESOURCE_EXHAUSTED", "words")
    assert (printed, code) == ("", 1)
    assert complaint.endswith("RESOURCE_EXHAUSTED retry after 250 ms\n")


@pytest.mark.parametrize("name", NAMES)
def test_client_balances_over_all_addresses(name, tmp_path):
    config = tmp_path / "service_config.json"
    config.write_text(json.dumps({**SHIPPED, "loadBalancingConfig": [{"round_robin": {}}]}))
    with started("--workers", "1") as one:
        port = one.address.rpartition(":")[2]
        with started("--workers", "1", "--host", "127.0.0.2", "--port", port) as two:
            hosts = ("127.0.0.1", "127.0.0.2")
            addresses = ",".join(f"{host}:{port}" for host in hosts)
            if name == "java":
                lines = [f"{host} tokalign.test\n" for host in hosts]
                (BUILT / "java" / "hosts").write_text("".join(lines))
                addresses = f"tokalign.test:{port}"
            elif name != "go":
                addresses = f"ipv4:{addresses}"
            printed, _, code = run(name, addresses, SERVICE_CONFIG=str(config))
            assert code == 0 and printed.endswith("balance: 100 calls\n")
            assert min(calls_at(one), calls_at(two)) >= 20


def calls_at(server):
    with urllib.request.urlopen(f"{server.metrics_url}/metrics", timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    return sum(
        float(line.split()[-1])
        for line in lines
        if line.startswith("grpc_server_handled_total") and 'grpc_method="Align"' in line
    )
