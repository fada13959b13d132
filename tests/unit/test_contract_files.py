"""The package holds the .proto files that its code was generated from, for other languages."""

from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2
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
