"""The contract's generated files: the .proto files in the package, and the numbers of fields."""

import re
from enum import StrEnum
from pathlib import Path

import pytest
import tokalign.codec.grounding
from google.protobuf import descriptor_pb2
from tokalign.codec.options import numbers_of
from tokalign.v1 import admin_pb2, align_pb2

PACKAGE = Path(align_pb2.__file__).parents[2]


@pytest.mark.parametrize("module", [admin_pb2, align_pb2])
def test_one_include_path_generates_the_same_code(module, tmp_path):
    protoc = pytest.importorskip("grpc_tools.protoc", reason="grpcio-tools is not installed")
    written = tmp_path / "set"
    arguments = [f"-I{PACKAGE}", f"--descriptor_set_out={written}", module.DESCRIPTOR.name]
    assert protoc.main(["protoc", *arguments]) == 0
    (file,) = descriptor_pb2.FileDescriptorSet.FromString(written.read_bytes()).file
    generated = descriptor_pb2.FileDescriptorProto()
    module.DESCRIPTOR.CopyToProto(generated)
    # protoc adds the names that JSON has, which generated code leaves out.
    for message in [*file.message_type]:
        for field in message.field:
            field.ClearField("json_name")
    assert file == generated


def test_answers_are_written_with_the_contracts_field_numbers():
    header = Path(tokalign.codec.__file__).with_name("_numbers.pxd").read_text()
    written = {name: int(number) for name, number in re.findall(r"(\w+) = (\d+)", header)}
    assert written == {
        f"{re.sub('(?<!^)(?=[A-Z])', '_', name)}_{field.name}".upper(): field.number
        for name, message in align_pb2.DESCRIPTOR.message_types_by_name.items()
        for field in message.fields
    }


def test_every_member_of_a_shared_enumeration_has_a_number():
    known = {each.__name__: each for each in StrEnum.__subclasses__()}
    shared = known.keys() & align_pb2.DESCRIPTOR.enum_types_by_name.keys()
    assert {"Symmetrization", "RelationKind", "WordKind", "ErrorReason"} <= shared
    for name in shared:
        assert 0 < len(known[name]) == len({*numbers_of(known[name]).values()} - {0}), name


def test_no_field_needs_proto3_optional():
    """Debian's Go plugin refuses it."""
    for module in (admin_pb2, align_pb2):
        file = descriptor_pb2.FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(file)
        optional = [f.name for each in file.message_type for f in each.field if f.proto3_optional]
        assert not optional
