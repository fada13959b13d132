"""`align`, `rank` and `info` with --server."""

from __future__ import annotations

import json
import socket

import grpc
import pytest
import trustme
from click.testing import CliRunner
from support import scripted_server
from support.server_process import started
from tokalign.cli.main import main
from tokalign.cli.shared_flags import is_input_fault
from tokalign.client import InvalidInputError, OverloadedError
from tokalign.client.errors import FieldViolation
from tokalign.errors import InputError


@pytest.fixture
def run():
    with scripted_server.running() as (address, _, _):

        def run(*args, text=""):
            return CliRunner().invoke(main, [*args, "--server", address], input=text)

        yield run


def test_align_keeps_order_and_bad_lines_where_they_are(run):
    rows = ["a b\tb", "bad", "c\tc", "fail INVALID_ARGUMENT\tx", "", "x\tx", "bad"]
    result = run("align", "--batch-size", "2", text="\n".join(rows) + "\n")
    assert result.stdout.split("\n") == ["1-0", "", "0-0", "", "", "0-0", "", ""]
    assert result.exit_code == 3
    assert "line 4: source.text: as the text asks" in result.stderr
    assert "4 of 7 lines bad" in result.stderr


def test_half_a_surrogate_pair_costs_its_line_alone(run):
    result = run(
        "align", text='{"source": "\\ud800", "target": "a"}\n{"source": "b", "target": "b"}\n'
    )
    assert (result.exit_code, result.stdout) == (3, "\n0-0\n")
    assert "line 1: source: the source is not valid Unicode" in result.stderr


def test_align_sends_options_and_writes_what_comes(run):
    result = run(
        "align", "--format", "jsonl", "--explain", "--symmetrization", "s2t", text="a\ta\n"
    )
    item = json.loads(result.stdout)
    assert (item["model"], item["symmetrization"], item["links"]) == (
        "scripted",
        "s2t",
        [[0, 0, 0.75]],
    )
    assert item["explanations"][0]["features"][0]["name"] == "equal"


def test_a_bad_question_costs_the_others_nothing(run):
    rows = [{"question": question, "candidates": ["a"]} for question in ("a", "", "\ud800", "a")]
    result = run("rank", "--format", "jsonl", text="\n".join(map(json.dumps, rows)))
    assert result.exit_code == 3
    values = [json.loads(line) for line in result.stdout.splitlines()]
    assert ["error" in value for value in values] == [False, True, True, False]


def test_a_fault_of_an_option_is_none_of_the_input():
    def refused(field):
        return InvalidInputError("", code="", violations=(FieldViolation(field, ""),))

    assert is_input_fault(InputError("")) and is_input_fault(refused("source.text"))
    assert not is_input_fault(InputError("", field="options.style"))
    assert not is_input_fault(refused("options.style"))
    assert not is_input_fault(OverloadedError("", code=""))


def test_failure_that_is_not_the_pairs_fault_exits_1(run):
    result = run("align", text="a\ta\nfail INTERNAL\tx\n")
    assert result.exit_code == 1
    assert "as the text asks" in result.stderr


def test_rank_asks_the_server(run):
    result = run("rank", "who came", text="nobody\nwho came\n")
    assert [line.split("\t")[1] for line in result.stdout.splitlines()] == ["2", "1"]


def test_similarity_asks_the_server(run):
    result = run("similarity", text="a b\ta c\nno separator\na\ta\n")
    assert result.exit_code == 3
    assert result.stdout.splitlines() == ["0.5000", "", "1.0000"]


def test_info_shows_the_server(run):
    value = json.loads(run("info", "--json").stdout)
    assert value["models"][0]["name"] == "scripted"
    assert value["health"] == "SERVING"
    assert "name               scripted\n  version            1.2\n" in run("info").stdout


@pytest.mark.parametrize("command", [["align"], ["rank", "who?"], ["info"]])
def test_absent_server_exits_1_and_names_it(command):
    with socket.socket() as unbound:
        unbound.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unbound.getsockname()[1]}"
        result = CliRunner().invoke(main, [*command, "--server", address], input="a\ta\n")
    assert result.exit_code == 1
    assert f"no server is ready at {address}" in result.stderr


def test_tls_and_token_are_used(tmp_path):
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    chain = b"".join(blob.bytes() for blob in certificate.cert_chain_pems)
    credentials = grpc.ssl_server_credentials([(certificate.private_key_pem.bytes(), chain)])
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    (tmp_path / "token").write_text("secret\n")
    with scripted_server.running(credentials=credentials) as (address, servicer, _):
        flags = ["--tls-ca", str(tmp_path / "ca.pem"), "--token-file", str(tmp_path / "token")]
        command = ["align", "--server", address, *flags]
        result = CliRunner().invoke(main, command, input="a\ta\n")
    assert (result.exit_code, result.stdout) == (0, "0-0\n")
    assert servicer.metadata[0]["authorization"] == "Bearer secret"


def test_tls_without_a_server_is_wrong_usage(tmp_path):
    (tmp_path / "ca.pem").touch()
    result = CliRunner().invoke(main, ["align", "--tls-ca", str(tmp_path / "ca.pem")])
    assert result.exit_code == 2


@pytest.mark.parametrize("command", [["align"], ["rank", "Who?"], ["similarity"]])
def test_a_device_is_the_servers_own(run, command):
    result = run(*command, "--device", "cuda", text="a\tb\n")
    assert result.exit_code == 2
    assert "--device is the server's" in result.stderr


def test_an_answer_without_evidence_and_a_bad_line_cost_the_others_nothing():
    rows = [
        {"answer": "It rains.\n\nfail:answer", "passages": ["It rains."]},
        {"answer": "It rains.", "passages": [{"id": "1", "text": "a"}, "b"]},
        {"answer": "It rains. It snows.", "passages": ["It rains."]},
    ]
    with started() as server:
        result = CliRunner().invoke(
            main,
            ["ground", "--json", "--server", server.address],
            input="\n".join(map(json.dumps, rows)),
        )
    first, second, third = map(json.loads, result.stdout.splitlines())
    assert "as told" in first["error"]
    assert "passages[1].id" in second["error"]
    assert len(third["sentences"]) == 2
    assert result.exit_code == 3 and "2 lines bad" in result.stderr


def test_a_model_that_the_server_lacks_ends_a_run():
    with started() as server:
        result = CliRunner().invoke(
            main,
            ["ground", "--server", server.address, "--model", "absent"],
            input=json.dumps({"answer": "It rains.", "passages": ["a"]}),
        )
    assert result.exit_code == 1 and "absent" in result.stderr
