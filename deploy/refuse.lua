-- Refuses a call of a stranger, before anything of it is sent to a server: its headers are all that it
-- costs. tokens.lua has found who calls.

-- Envoy answers these itself.
local HEALTH = "/grpc.health.v1.Health/"

-- google.rpc.Status, serialised: what the servers send with these errors.
local DETAILS = {
  TOKEN_MISSING =
    "CBASQG5vIGJlYXJlciB0b2tlbjsgc2VuZCB0aGUgbWV0YWRhdGEgJ2F1dGhvcml6YXRpb246IEJlYXJlciBUT0tFTicaRQoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLkVycm9ySW5mbxIZCg1UT0tFTl9NSVNTSU5HEgh0b2thbGlnbg",
  TOKEN_UNKNOWN =
    "CBASG3RoZSBiZWFyZXIgdG9rZW4gaXMgdW5rbm93bhpFCih0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5ycGMuRXJyb3JJbmZvEhkKDVRPS0VOX1VOS05PV04SCHRva2FsaWdu",
}

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
      ["grpc-status-details-bin"] = DETAILS[reason],
    })
  else
    handle:respond(
      {[":status"] = "401", ["content-type"] = "application/problem+json"},
      '{"title":"Unauthorized","status":401,"detail":"' .. message
        .. '","code":"UNAUTHENTICATED","reason":"' .. reason .. '"}')
  end
end
