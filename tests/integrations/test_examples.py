"""Every example of docs/integrations.md, run for real; each prints what the page says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations.md").read_text()
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
PACKAGES = {
    "MCP": "mcp",
    "LangChain": "langchain_core",
    "LlamaIndex": "llama_index.core",
    "Haystack": "haystack",
    "LlamaIndex evaluator": "llama_index.core",
    "Haystack evaluator": "haystack",
    "deepeval": "deepeval",
    "deepeval citations": "deepeval",
    "ragas": "ragas",
    "spaCy": "spacy",
}


def example(name):
    (found,) = re.findall(r"```python\n(.*?)```", SECTIONS[name], re.S)
    return found


def test_every_section_is_tested():
    assert set(SECTIONS) == set(PACKAGES)


@pytest.mark.parametrize("name", PACKAGES)
def test_an_example_is_short(name):
    assert len(example(name).strip().splitlines()) <= 15


@pytest.mark.parametrize("name", PACKAGES)
def test_an_example_prints_what_the_page_says(name, tmp_path):
    pytest.importorskip(PACKAGES[name], reason="make test-integrations has the packages")
    script = tmp_path / "example.py"
    script.write_text(example(name))
    (said,) = re.findall(r"^It prints `([^`]*)`", SECTIONS[name], re.M)
    # As in an environment that is active; tokalign is not installed in this one.
    command = tmp_path / "tokalign"
    command.write_text(f"#!{sys.executable}\nfrom tokalign.cli.main import main\nmain()\n")
    command.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=200, cwd=tmp_path,
        env={**os.environ, "PATH": path},
    )  # fmt: skip
    assert (done.stdout.strip(), done.returncode) == (said, 0), done.stderr
