"""Makes the calls of calls.json by generated code of the contract as it was frozen, and prints the
answers as JSON.

    python tests/frozen/client.py ADDRESS

It knows nothing of tokalign but that code, which comes first on the path; client.go is its twin.
"""

import json
import sys
from pathlib import Path

import grpc
from google.protobuf import json_format

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER / "python"))

from tokalign.v1 import align_pb2  # noqa: E402 (the frozen one)

assert Path(align_pb2.__file__).is_relative_to(FOLDER), align_pb2.__file__


def answers(channel, method, requests):
    """Return all answers of a call."""
    described = align_pb2.DESCRIPTOR.services_by_name["AlignService"].methods_by_name[method]
    request, answer = (
        getattr(align_pb2, each.name) for each in (described.input_type, described.output_type)
    )
    kind = channel.stream_stream if method.endswith("Stream") else channel.unary_unary
    call = kind(
        f"/tokalign.v1.AlignService/{method}",
        request_serializer=request.SerializeToString,
        response_deserializer=answer.FromString,
    )
    sent = [json_format.ParseDict(each, request()) for each in requests]
    got = call(iter(sent), timeout=60) if method.endswith("Stream") else [call(*sent, timeout=60)]
    return [json_format.MessageToDict(each, preserving_proto_field_name=True) for each in got]


if __name__ == "__main__":
    with grpc.insecure_channel(sys.argv[1]) as channel:
        calls = json.loads((FOLDER / "calls.json").read_text())
        json.dump([answers(channel, *call) for call in calls], sys.stdout, indent=1)
