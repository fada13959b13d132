-- Refuses a call of a stranger, before anything of it is sent to a server: its headers are all that it
-- costs. tokens.lua has found who calls.

-- Envoy answers these itself.
local HEALTH = "/grpc.health.v1.Health/"

function envoy_on_request(handle)
  local headers = handle:headers()
  local is_health = headers:get(":path"):sub(1, #HEALTH) == HEALTH
  if is_health or headers:get("x-tokalign-caller") then return end
  local message = headers:get("authorization") and "the bearer token is unknown"
    or "no bearer token; send the metadata 'authorization: Bearer TOKEN'"
  if (headers:get("content-type") or ""):find("^application/grpc") then
    handle:respond({
      [":status"] = "200",
      ["content-type"] = "application/grpc",
      ["grpc-status"] = "16",
      ["grpc-message"] = message,
    })
  else
    handle:respond(
      {[":status"] = "401", ["content-type"] = "application/json"},
      '{"code":16,"message":"' .. message .. '","details":[]}')
  end
end
