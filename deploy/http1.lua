-- Refuses gRPC over HTTP/1.1, which has no trailers: 415.

local REFUSED = "tokalign.http1"

function envoy_on_request(handle)
  local kind = handle:headers():get("content-type") or ""
  -- gRPC-Web is made for it.
  if kind:find("^application/grpc") and not kind:find("^application/grpc%-web")
    and handle:streamInfo():protocol() ~= "HTTP/2" then
    handle:streamInfo():dynamicMetadata():set(REFUSED, "refused", true)
    handle:respond({[":status"] = "415"}, "")
  end
end

-- Envoy has made a gRPC answer of it by now, whose status is 200.
function envoy_on_response(handle)
  if handle:streamInfo():dynamicMetadata():get(REFUSED) then
    local headers = handle:headers()
    headers:replace(":status", "415")
    headers:remove("grpc-status")
    headers:remove("grpc-message")
    headers:remove("content-type")
  end
end
