"""An OpenAPI document of the HTTP paths, made from the contract.

    python -m recipes.openapi deploy/openapi.json      (make api)

Names, types and comments are those of protos/, paths those of descriptor.py, which Envoy serves.
JSON is as protobuf's own mapping says, with the contract's field names.
"""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from google.api import annotations_pb2
from google.protobuf import descriptor_pb2

from recipes.descriptor import ROOT, SERVICE, descriptor

Schema = dict[str, Any]
Field = descriptor_pb2.FieldDescriptorProto

PACKAGE = SERVICE.rpartition(".")[0]
UNSIGNED: Schema = {"type": "integer", "minimum": 0}
# 64 bits are text in JSON, for JavaScript's sake.
SCALARS: dict[int, Schema] = {
    Field.TYPE_STRING: {"type": "string"},
    Field.TYPE_BYTES: {"type": "string", "contentEncoding": "base64"},
    Field.TYPE_BOOL: {"type": "boolean"},
    Field.TYPE_FLOAT: {"type": "number", "format": "float"},
    Field.TYPE_DOUBLE: {"type": "number", "format": "double"},
    Field.TYPE_INT32: {"type": "integer", "format": "int32"},
    Field.TYPE_SINT32: {"type": "integer", "format": "int32"},
    Field.TYPE_UINT32: UNSIGNED,
    Field.TYPE_INT64: {"type": "string", "format": "int64"},
    Field.TYPE_SINT64: {"type": "string", "format": "int64"},
    Field.TYPE_UINT64: {"type": "string", "pattern": "^[0-9]+$"},
}
ERROR = {
    "type": "object",
    "description": "google.rpc.Status: why the call failed.",
    "properties": {
        "code": {"type": "integer", "description": "A code of gRPC, as google.rpc.Code has them."},
        "message": {"type": "string"},
        "details": {
            "type": "array",
            "description": "Such as google.rpc.BadRequest with the field, or RetryInfo.",
            "items": {"type": "object", "properties": {"@type": {"type": "string"}}},
        },
    },
}
# The numbers by which protobuf's source locations name the parts of a file.
MESSAGE, ENUM, SERVICES, MEMBER, SYNTAX = 4, 5, 6, 2, 12


def openapi() -> Schema:
    """Return the document; SystemExit where the contract has what this cannot say."""
    files = descriptor(with_comments=True).file
    (file,) = [each for each in files if each.package == PACKAGE and each.service]
    locations = {tuple(each.path): each for each in file.source_code_info.location}

    def comment(*path: int) -> str:
        location = locations.get(path)
        return " ".join(location.leading_comments.split()) if location else ""

    schemas = {"Error": ERROR}
    for i, message in enumerate(file.message_type):
        if message.nested_type or message.enum_type:
            raise SystemExit(f"{message.name} holds types of its own; openapi.py knows none")
        schemas[message.name] = {
            "type": "object",
            "description": comment(MESSAGE, i),
            "properties": {
                field.name: {
                    "description": comment(MESSAGE, i, MEMBER, j),
                    **field_schema(message, field),
                }
                for j, field in enumerate(message.field)
            },
        }
    for i, enum in enumerate(file.enum_type):
        meanings = [f"{v.name}: {comment(ENUM, i, MEMBER, j)}" for j, v in enumerate(enum.value)]
        schemas[enum.name] = {
            "type": "string",
            "description": "\n".join([comment(ENUM, i), "", *(f"- {each}" for each in meanings)]),
            "enum": [value.name for value in enum.value],
        }

    (service,) = file.service
    paths: dict[str, Schema] = {}
    for j, method in enumerate(service.method):
        rule = method.options.Extensions[annotations_pb2.http]
        verb = rule.WhichOneof("pattern")
        if verb is not None:
            said = comment(SERVICES, 0, MEMBER, j)
            paths[getattr(rule, verb)] = {verb: operation(method, said, schemas)}

    head = locations.get((SYNTAX,))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": project["name"],
            "version": project["version"],
            "description": " ".join(head.leading_comments.split()) if head else "",
            "license": {"name": project["license"], "identifier": project["license"]},
        },
        "servers": [{"url": "/"}],
        # Where the server has --token-file.
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {name: used(schemas[name]) for name in sorted(reachable(paths, schemas))},
        },
    }


def used(schema: Schema) -> Schema:
    """Return a schema without empty descriptions."""
    properties = schema.get("properties")
    if properties is None:
        return schema
    return {
        **schema,
        "properties": {
            name: {key: value for key, value in each.items() if value != ""}
            for name, each in properties.items()
        },
    }


def field_schema(message: descriptor_pb2.DescriptorProto, field: Field) -> Schema:
    """Return what one field holds in JSON."""
    if field.type in SCALARS:
        one: Schema = SCALARS[field.type]
    elif field.type_name.startswith(f".{PACKAGE}."):
        one = reference(field.type_name)
    else:
        raise SystemExit(f"{message.name}.{field.name}: openapi.py does not know its type")
    return {"type": "array", "items": one} if field.label == Field.LABEL_REPEATED else one


def reference(type_name: str) -> Schema:
    """Return a reference to a message's or an enum's schema."""
    return {"$ref": f"#/components/schemas/{type_name.rpartition('.')[2]}"}


def operation(
    method: descriptor_pb2.MethodDescriptorProto, comment: str, schemas: dict[str, Schema]
) -> Schema:
    """Return what one path takes and answers."""

    def body(schema: Schema) -> Schema:
        return {"content": {"application/json": {"schema": schema}}}

    made: Schema = {
        "operationId": method.name,
        "summary": comment,
        "responses": {
            "200": {"description": "OK", **body(reference(method.output_type))},
            "default": {"description": "Any error", **body(reference(".Error"))},
        },
    }
    rule = method.options.Extensions[annotations_pb2.http]
    if rule.body == "*":
        made["requestBody"] = {"required": True, **body(reference(method.input_type))}
    elif schemas[method.input_type.rpartition(".")[2]]["properties"]:
        raise SystemExit(f"{method.name} has no body for its fields; openapi.py knows no queries")
    return made


def reachable(start: Any, schemas: dict[str, Schema]) -> set[str]:
    """Return the names of the schemas that `start` refers to, directly or through others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).rpartition("/")[2]
            if name and name not in found:
                found.add(name)
                waiting.append(schemas[name])
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return found


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(openapi(), indent=1, ensure_ascii=False) + "\n")
