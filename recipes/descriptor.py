"""The descriptor by which Envoy turns JSON over HTTP into calls, with its paths.

python -m recipes.descriptor deploy/align.pb        (make api)
"""

import sys
import tempfile
from pathlib import Path

import grpc_tools
from google.api import annotations_pb2
from google.protobuf import descriptor_pb2, duration_pb2
from google.rpc import error_details_pb2
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parents[1]
SERVICE = "tokalign.v1.AlignService"
PATHS = {
    "Align": ("post", "/v1/align"),
    "BatchAlign": ("post", "/v1/align:batch"),
    "Rank": ("post", "/v1/rank"),
    "AlignTexts": ("post", "/v1/align:texts"),
    "Ground": ("post", "/v1/ground"),
    "ListModels": ("get", "/v1/models"),
}


def descriptor(*, with_comments: bool = False) -> descriptor_pb2.FileDescriptorSet:
    """Return the contract and all it imports, with the paths as google.api.http options."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "align.pb"
        include = Path(grpc_tools.__file__).parent / "_proto"
        arguments = [f"-I{ROOT / 'protos'}", f"-I{include}", "--include_imports"]
        arguments += [f"--descriptor_set_out={plain}", "tokalign/v1/align.proto"]
        if with_comments:
            arguments.append("--include_source_info")
        if protoc.main(["protoc", *arguments]) != 0:
            raise SystemExit("protoc failed")
        files = descriptor_pb2.FileDescriptorSet.FromString(plain.read_bytes())
    for file in files.file:
        for service in file.service:
            if f"{file.package}.{service.name}" == SERVICE:
                for method in service.method:
                    annotate(method)
    # The details of errors are turned into JSON as well.
    for module in (duration_pb2, error_details_pb2):
        module.DESCRIPTOR.CopyToProto(files.file.add())
    return files


def annotate(method: descriptor_pb2.MethodDescriptorProto) -> None:
    """Give a method its HTTP path, where it has one."""
    if method.name in PATHS:
        verb, path = PATHS[method.name]
        rule = method.options.Extensions[annotations_pb2.http]
        setattr(rule, verb, path)
        if verb == "post":
            rule.body = "*"


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(descriptor().SerializeToString())
