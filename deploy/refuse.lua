-- Refuses a call of a stranger, before anything of it is sent to a server: its headers are all that it
-- costs. tokens.lua has found who calls.

-- Envoy answers these itself.
local HEALTH = "/grpc.health.v1.Health/"

function envoy_on_request(handle)
  local headers = handle:headers()
  local is_health = headers:get(":path"):sub(1, #HEALTH) == HEALTH
  if is_health or headers:get("x-tokalign-caller") then return end
  local message, reason = "the bearer token is unknown", "TOKEN_UNKNOWN"
  if not headers:get("authorization") then
    message = "no bearer token; send the metadata 'authorization: Bearer TOKEN'"
    reason = "TOKEN_MISSING"
  end
  if (headers:get("content-type") or ""):find("^application/grpc") then
    handle:respond({
      [":status"] = "200",
      ["content-type"] = "application/grpc",
      ["grpc-status"] = "16",
      ["grpc-message"] = message,
    })
  else
    handle:respond(
      {[":status"] = "401", ["content-type"] = "application/problem+json"},
      '{"title":"Unauthorized","status":401,"detail":"' .. message
        .. '","code":"UNAUTHENTICATED","reason":"' .. reason .. '"}')
  end
end
