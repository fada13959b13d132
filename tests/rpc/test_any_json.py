"""Any JSON over all fields of all paths: never a fault of the server, and errors name the field.

The paths and their fields come from the OpenAPI document, so that a new field is covered by itself.
"""

import asyncio
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokalign.server.http.openapi import openapi

DOCUMENT = openapi()
SCHEMAS = DOCUMENT["components"]["schemas"]


def named(schema):
    """Return the schema that a reference names."""
    return SCHEMAS[schema["$ref"].rpartition("/")[2]]


POSTS = {
    path: SCHEMAS[
        item["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition(
            "/"
        )[2]
    ]
    for path, item in DOCUMENT["paths"].items()
    if "post" in item
}
NAMES = sorted({name for each in SCHEMAS.values() for name in each.get("properties", ())})


class Raw(str):
    """A value of JSON as text, which may be none."""


def written(value):
    """Return JSON, in which there may be what json.dumps would not write."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Object):
        return "{" + ", ".join(f"{written(name)}: {written(each)}" for name, each in value) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    return json.dumps(value)


class Object(list):
    """Fields of an object in order, of which some may have one name."""


HALF = "a\ud800"
TEXTS = st.one_of(
    st.sampled_from(["", " ", "a", HALF, "\udfff", "\x00", "\u2028", "a\r\nb", "x" * 5000]),
    st.text(max_size=8),
)
NUMBERS = st.one_of(
    st.sampled_from([0, -1, 1, 2**31 - 1, 2**31, 2**32, 2**32 + 1, 2**63, 10**30, -(2**63) - 1]),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["NaN", "Infinity", "-Infinity", "1e400", "-0", "1.0", "01", "9" * 5000]).map(
        Raw
    ),
)
KEYS = st.one_of(
    st.sampled_from(NAMES), st.sampled_from([HALF, "\udfff", "k" * 3000, "$.a", "[0]", "`"]), TEXTS
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
ANY = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.lists(st.tuples(KEYS, inner), max_size=3).map(Object)
    ),
    max_leaves=6,
)
DEEP = st.sampled_from(
    [Raw("[" * n + "]" * n) for n in (20, 900, 100_000)] + [Raw('{"a":' * 900 + "1" + "}" * 900)]
)
VALUES = st.one_of(ANY, DEEP)


def fitting(schema, depth=3):
    """Return values that a schema allows, more or less, and others where it does not say."""
    if "$ref" in schema:
        schema = named(schema)
    if not depth:
        return SCALARS
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return st.one_of([fitting(each, depth) for each in schema[several]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "array":
            items = schema.get("items")
            return st.lists(
                fitting(items, depth - 1) if isinstance(items, dict) else SCALARS,
                min_size=1,
                max_size=3,
            )
        case "object":
            return objects(schema, depth - 1)
        case "string":
            return TEXTS
        case "integer":
            return st.integers(0, 4) | NUMBERS
        case "number":
            return st.floats(0, 1) | NUMBERS
        case "boolean":
            return st.booleans()
    return ANY


def objects(schema, depth=3):
    """Return objects with the fields of a schema: those that it needs, and some others."""
    fields = schema.get("properties", {})
    values = {
        name: fitting(each, depth) | fitting(each, depth) | VALUES for name, each in fields.items()
    }
    needed = [
        st.tuples(st.just(name), fitting(fields[name], depth))
        for name in schema.get("required", ())
    ]
    others = [st.tuples(st.just(name), each) for name, each in values.items()]
    # Names that nothing has are as likely as all fields together.
    strange = st.tuples(KEYS, VALUES)
    more = st.lists(st.one_of(others) | strange if others else strange, max_size=4)
    return st.tuples(st.tuples(*needed), more).map(lambda found: Object([*found[0], *found[1]]))


BODIES = {
    path: st.one_of(objects(schema), objects(schema), objects(schema), VALUES).map(written)
    for path, schema in POSTS.items()
}


def check(answer, body):
    """Raise AssertionError unless an answer is one, or a problem that says what is wrong."""
    assert answer.status_code < 500, (answer.text, body)
    if answer.status_code == 200:
        return
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["status"] == answer.status_code in (400, 404, 413)
    assert problem["detail"] and problem["reason"]
    # A field is named wherever the body is an object that can be read.
    if problem["reason"] != "MALFORMED_MESSAGE" and "is called ''" not in problem["detail"]:
        assert problem.get("field"), (problem, body)


@pytest.mark.parametrize("path", POSTS)
async def test_any_json_has_an_answer_or_a_problem_that_names_the_field(serving, path):
    http = (await serving(http_port=0)).http
    loop = asyncio.get_running_loop()

    async def post(body):
        answer = await http.post(path, content=body.encode("utf-8", "surrogatepass"))
        check(answer, body)

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(BODIES[path])
    def any_body(body):
        asyncio.run_coroutine_threadsafe(post(body), loop).result()

    await asyncio.to_thread(any_body)
