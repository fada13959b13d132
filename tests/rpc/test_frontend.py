import asyncio

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from support.requests import pair
from support.statuses import failure
from tokalign.server.admission import Admitted
from tokalign.v1 import align_pb2

Code = grpc.StatusCode


async def test_calls_before_the_models_are_loaded_are_unavailable(serving):
    stub = await serving(pool=False)
    code, message, _ = await failure(stub.Align(align_pb2.AlignRequest(pair=pair())))
    assert (code, "loading" in message) == (Code.UNAVAILABLE, True)


async def test_health_follows_the_drain(serving):
    stub = await serving()
    health = health_pb2_grpc.HealthStub(stub.channel)
    for name in ("", "tokalign.v1.AlignService"):
        check = health_pb2.HealthCheckRequest(service=name)
        assert (await health.Check(check)).status == health_pb2.HealthCheckResponse.SERVING
    await stub.front.refuse()
    assert (await health.Check(check)).status == health_pb2.HealthCheckResponse.NOT_SERVING


@pytest.mark.parametrize("version", ["v1alpha", "v1"])
@pytest.mark.parametrize("is_on", [True, False])
async def test_reflection_is_there_only_where_asked_for(serving, is_on, version):
    stub = await serving(reflection=is_on)
    describe = stub.channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        reflection_pb2.ServerReflectionRequest.SerializeToString,
        reflection_pb2.ServerReflectionResponse.FromString,
    )
    call = describe(iter([reflection_pb2.ServerReflectionRequest(list_services="")]))
    if is_on:
        answers = [answer async for answer in call]
        names = [service.name for service in answers[0].list_services_response.service]
        assert "tokalign.v1.AlignService" in names
    else:
        assert await call.code() == Code.UNIMPLEMENTED


async def test_reflection_describes_services_and_their_methods(serving):
    stub = await serving(reflection=True)
    names = ["tokalign.v1.AlignService", "tokalign.v1.AlignService.Align", "tokalign.v1.Pair.id"]
    unknown = ["tokalign.v1.AlignService.None", "None", ""]
    call = reflection_pb2_grpc.ServerReflectionStub(stub.channel).ServerReflectionInfo(
        iter(
            [
                reflection_pb2.ServerReflectionRequest(file_containing_symbol=name)
                for name in (*names, *unknown)
            ]
        )
    )
    answers = [answer.WhichOneof("message_response") async for answer in call]
    assert answers == ["file_descriptor_response"] * 3 + ["error_response"] * 3


@pytest.mark.parametrize("version", ["v1alpha", "v1"])
async def test_every_service_that_reflection_lists_can_be_called_from_what_it_says(
    serving, version
):
    stub = await serving(reflection=True)
    describe = stub.channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        reflection_pb2.ServerReflectionRequest.SerializeToString,
        reflection_pb2.ServerReflectionResponse.FromString,
    )

    async def asked(**question):
        call = describe(iter([reflection_pb2.ServerReflectionRequest(**question)]))
        (answer,) = [answer async for answer in call]
        return answer

    listed = (await asked(list_services="")).list_services_response.service
    methods = []
    for service in listed:
        answer = await asked(file_containing_symbol=service.name)
        files = list(
            map(
                FileDescriptorProto.FromString,
                answer.file_descriptor_response.file_descriptor_proto,
            )
        )
        pool = DescriptorPool()
        while files:  # each after those that it imports
            ready = next(each for each in files if not {f.name for f in files} & {*each.dependency})
            pool.Add(ready)
            files.remove(ready)
            again = await asked(file_by_filename=ready.name)
            assert again.file_descriptor_response.file_descriptor_proto, ready.name
        for method in pool.FindServiceByName(service.name).methods:
            assert GetMessageClass(method.input_type) and GetMessageClass(method.output_type)
            methods.append(method.full_name)
    assert "tokalign.v1.AlignService.Align" in methods
    assert "grpc.reflection.v1.ServerReflection.ServerReflectionInfo" in methods
    assert len({name.rpartition(".")[0] for name in methods}) == len(listed) == 4


async def test_second_server_on_a_port_is_refused(serving):
    from tokalign.errors import InputError
    from tokalign.server.config import Config
    from tokalign.server.rpc.frontend import Frontend

    stub = await serving()
    port = int(stub.address.rpartition(":")[2])
    other = Frontend(Config(port=port), stub.front.calls.metrics, stub.admission, stub.memory)
    with pytest.raises(InputError, match="cannot listen"):
        await other.start(None)


async def test_metrics_count_calls_pairs_and_times(serving, metrics):
    stub = await serving()
    await stub.BatchAlign(align_pb2.BatchAlignRequest(pairs=[pair()] * 5))
    labels = {"grpc_service": "tokalign.v1.AlignService", "grpc_method": "BatchAlign"}
    value = metrics.registry.get_sample_value
    assert value("grpc_server_handled_total", {**labels, "grpc_code": "OK"}) == 1
    answered = {**labels, "outcome": "answered"}
    assert value("grpc_server_handling_seconds_count", answered) == 1
    assert value("tokalign_pairs_total", {"code": "OK"}) == 5
    assert value("tokalign_queue_seconds_count") == 1
    assert value("tokalign_stage_seconds_count", {"stage": "align"}) >= 1


async def test_times_of_answers_have_none_of_refusals_and_failures(serving, metrics, tmp_path):
    stub = await serving(http_port=0)
    value = metrics.registry.get_sample_value

    def counts(**labels):
        return {
            outcome: value("grpc_server_handling_seconds_count", {**labels, "outcome": outcome})
            for outcome in ("answered", "refused", "failed")
        }

    await stub.Align(align_pb2.AlignRequest(pair=pair()))
    for _ in range(3):
        with pytest.raises(grpc.aio.AioRpcError):
            await stub.Align(align_pb2.AlignRequest(pair=pair(), options={"model": "none"}))
    with pytest.raises(grpc.aio.AioRpcError):
        slow = pair(f"until:{tmp_path / 'go'}")
        await stub.Align(align_pb2.AlignRequest(pair=slow), timeout=0.5)
    (tmp_path / "go").touch()
    while stub.front.calls.running:
        await asyncio.sleep(0.01)
    labels = {"grpc_service": "tokalign.v1.AlignService", "grpc_method": "Align"}
    assert counts(**labels) == {"answered": 1, "refused": 3, "failed": 1}
    body = {"source": "a", "target": "b"}
    await stub.http.post("/v1/align", json=body)
    await stub.http.post("/v1/align", json={})
    full = stub.admission.max_request_cost * 2
    Admitted(stub.admission, 0, 0, full, "others", caller="127.0.0.1")
    assert (await stub.http.post("/v1/align", json=body)).status_code == 429
    labels = {"grpc_service": "http", "grpc_method": "v1/align"}
    assert counts(**labels) == {"answered": 1, "refused": 2, "failed": None}
