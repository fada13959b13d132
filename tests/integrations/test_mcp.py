"""The official client starts `tokalign mcp` and calls every tool over stdio."""

import sys
from contextlib import asynccontextmanager

import pytest
import tokalign

mcp = pytest.importorskip("mcp", reason="make test-integrations has the package")

PASSAGES = ["It rained all day.", "The bakery was founded by Marta in 1894."]


@asynccontextmanager
async def connected():
    command = mcp.StdioServerParameters(command=sys.executable, args=["-m", "tokalign", "mcp"])
    async with mcp.Client(command, read_timeout_seconds=120) as client:
        yield client


async def test_the_tools_have_descriptions_and_typed_arguments():
    async with connected() as client:
        tools = {each.name: each for each in (await client.list_tools()).tools}
    assert sorted(tools) == ["align", "diff", "ground", "rank", "similarity"]
    assert all(each.description for each in tools.values())
    schema = tools["rank"].input_schema
    assert schema["required"] == ["question", "passages"]
    assert schema["properties"]["passages"]["type"] == "array"


async def test_every_tool_answers():
    async with connected() as client:

        async def call(name, **arguments):
            answer = await client.call_tool(name, arguments)
            assert not answer.is_error, answer.content
            content = answer.structured_content
            return content["result"] if set(content) == {"result"} else content

        found = await call("align", source="Dogs bark.", target="The dogs bark.")
        assert [(link["source"], link["target"]) for link in found["links"]] == [
            ("Dogs", "dogs"),
            ("bark", "bark"),
            (".", "."),
        ]
        assert {link["relation"] for link in found["links"]} == {"same"}
        pair = {"source": "Profits rose by 5%.", "target": "Profits fell by 7%."}
        found = await call("align", **pair)
        relations = {link["source"]: link["relation"] for link in found["links"]}
        assert (relations["rose"], relations["5"]) == ("opposite", "different-value")
        assert [each["kind"] for each in found["conflicts"]] == ["opposite", "value"]
        same = await call("similarity", source="Dogs bark.", target="The dogs bark.")
        assert same == tokalign.similarity("Dogs bark.", "The dogs bark.") > 0.9
        ranked = await call("rank", question="Who founded the bakery?", passages=[*PASSAGES, ""])
        assert [each["index"] for each in ranked] == [1, 0, 2]
        assert ranked[0]["score"] > ranked[1]["score"] and "no sentence" in ranked[2]["error"]
        (grounded,) = await call(
            "ground", answer="Marta founded the bakery in 1950.", passages=PASSAGES
        )
        assert grounded["citations"] == [{"passage": 1, "text": PASSAGES[1]}]
        assert grounded["unsupported"] == ["1950"] and 0 < grounded["support"] < 1
        assert [(each["kind"], each["text"]) for each in grounded["conflicts"]] == [
            ("value", "1950")
        ]
        told = await call("diff", old="It has 40 rooms.", new="It has 45 rooms.")
        (alarm,) = told["summary"]["alarms"]
        assert (alarm["old"], alarm["new"]) == ("40", "45")
        (block,) = told["blocks"]
        changed = [each for each in block["segments"] if "old_text" in each]
        assert [(each["old_text"], each["new_text"]) for each in changed] == [("40", "45")]


async def test_an_agent_reads_why_its_input_is_refused():
    async with connected() as client:
        answer = await client.call_tool("align", {"source": "", "target": "Dogs bark."})
        assert answer.is_error
        assert "source: the sentence has no token" in answer.content[0].text
        answer = await client.call_tool("similarity", {"source": "a", "target": "a"})
        assert not answer.is_error
