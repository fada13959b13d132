"""deploy/align.pb and deploy/openapi.json say what the contract says; `make api` writes them."""

import json
from pathlib import Path

import jsonschema
import pytest
from google.api import annotations_pb2
from google.protobuf import descriptor_pb2, json_format
from google.protobuf.descriptor import FieldDescriptor
from openapi_spec_validator import OpenAPIV31SpecValidator
from tokalign.v1 import align_pb2

from recipes.descriptor import PATHS, descriptor
from recipes.openapi import openapi

DEPLOY = Path(__file__).parents[2] / "deploy"
CONTRACT = "tokalign/v1/align.proto"
DOCUMENT = json.loads((DEPLOY / "openapi.json").read_text())
SERVICE = align_pb2.DESCRIPTOR.services_by_name["AlignService"]
# What JSON has for the bounds of numbers: 64 bits are text there.
VALUES = {
    FieldDescriptor.CPPTYPE_INT32: -7,
    FieldDescriptor.CPPTYPE_INT64: -7,
    FieldDescriptor.CPPTYPE_UINT32: 7,
    FieldDescriptor.CPPTYPE_UINT64: 2**60,
    FieldDescriptor.CPPTYPE_DOUBLE: 0.5,
    FieldDescriptor.CPPTYPE_FLOAT: 0.5,
    FieldDescriptor.CPPTYPE_BOOL: True,
    FieldDescriptor.CPPTYPE_ENUM: 1,
    FieldDescriptor.CPPTYPE_STRING: "x",
}


def fill(message):
    """Set every field, to more than one value where it may hold more."""
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None:
            if field.is_repeated:
                fill(getattr(message, field.name).add())
            else:
                fill(getattr(message, field.name))
            continue
        value = b"x" if field.type == FieldDescriptor.TYPE_BYTES else VALUES[field.cpp_type]
        if field.is_repeated:
            getattr(message, field.name).extend([value, value])
        else:
            setattr(message, field.name, value)


def contract(files):
    (file,) = [each for each in files.file if each.name == CONTRACT]
    return file


def test_descriptor_is_the_contracts():
    shipped = descriptor_pb2.FileDescriptorSet.FromString((DEPLOY / "align.pb").read_bytes())
    made = descriptor()
    assert contract(shipped) == contract(made), "stale: run `make api`"
    assert {file.name for file in shipped.file} == {file.name for file in made.file}


def test_document_is_the_contracts():
    assert openapi() == DOCUMENT, "stale: run `make api`"


def test_document_is_valid_openapi():
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_document_has_the_paths_that_envoy_serves():
    served = {}
    for method in contract(descriptor()).service[0].method:
        rule = method.options.Extensions[annotations_pb2.http]
        if verb := rule.WhichOneof("pattern"):
            served[method.name] = (verb, getattr(rule, verb))
    assert served == PATHS
    documented = {
        operation["operationId"]: (verb, path)
        for path, verbs in DOCUMENT["paths"].items()
        for verb, operation in verbs.items()
    }
    assert documented == PATHS


@pytest.mark.parametrize("side", ["input_type", "output_type"])
@pytest.mark.parametrize("name", PATHS)
def test_every_field_of_a_message_is_documented_as_json_has_it(name, side):
    message_type = getattr(SERVICE.methods_by_name[name], side)
    message = getattr(align_pb2, message_type.name)()
    fill(message)
    written = json.loads(json_format.MessageToJson(message, preserving_proto_field_name=True))
    strict = {
        key: {**schema, "additionalProperties": False} if "properties" in schema else schema
        for key, schema in DOCUMENT["components"]["schemas"].items()
    }
    root = {
        "$ref": f"#/components/schemas/{message_type.name}",
        "components": {"schemas": strict},
    }
    if message_type.name in strict:
        jsonschema.Draft202012Validator(root).validate(written)
    else:
        assert not message_type.fields
