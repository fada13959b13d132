-- Refuses a JSON request with a field that its message lacks, such as a misspelt option, which the
-- transcoder would leave out as if it had not been asked for.

-- Return an iterator over the fields of a message in protobuf's format:
-- number, and value where it is bytes or text.
local function fields(data)
  local at = 1
  local function varint()
    local value, factor = 0, 1
    repeat
      local byte = data:byte(at)
      at = at + 1
      value = value + byte % 128 * factor
      factor = factor * 128
    until byte < 128
    return value
  end
  return function()
    if at > #data then return nil end
    local tag = varint()
    local number, kind = math.floor(tag / 8), tag % 8
    if kind == 2 then
      local size = varint()
      at = at + size
      return number, data:sub(at - size, at - 1)
    end
    assert(kind == 0, "align.pb has a field of kind " .. kind)
    return number, varint()
  end
end
local function field(data, wanted)
  for number, value in fields(data) do
    if number == wanted then return value end
  end
end

-- path -> request message; message -> field -> the field's message, or ""
local PATHS, MESSAGES = {}, {}
local file = assert(io.open("/etc/envoy/align.pb", "rb"))
for _, proto in fields(file:read("*a")) do
  for kind, part in fields(proto) do
    if kind == 4 then -- a message
      local known = {}
      for number, each in fields(part) do
        if number == 2 then
          local message = field(each, 6) or ""
          known[field(each, 1)] = message
          known[field(each, 10) or field(each, 1)] = message -- in camelCase
        end
      end
      MESSAGES["." .. field(proto, 2) .. "." .. field(part, 1)] = known
    elseif kind == 6 then -- a service
      for number, method in fields(part) do
        local options = number == 2 and field(method, 4)
        local rule = options and field(options, 72295728) -- google.api.http
        local path = rule and field(rule, 4) -- post
        if path then PATHS[path] = field(method, 2) end
      end
    end
  end
end
file:close()

-- Return the first field of a JSON text that its message lacks, or nil. What
-- else may be wrong with the text is the transcoder's business.
local function unknown_field(text, message)
  local open = {} -- around: {is object, message of it or of its elements}
  local at = text:find('["{}%[%]]')
  while at do
    local found, around = text:sub(at, at), open[#open]
    if found == "{" or found == "[" then
      if #open == 16 then return "nested as deep" end -- none is
      if around and not around[1] then message = around[2] end
      open[#open + 1] = {found == "{", message}
    elseif found ~= '"' then
      open[#open] = nil
    else
      local start = at + 1
      repeat
        at = text:find('["\\]', at + 1)
        if not at then return nil end
        local is_end = text:sub(at, at) == '"'
        if not is_end then at = at + 1 end -- what is escaped
      until is_end
      local known = around and around[1] and MESSAGES[around[2]]
      if known and text:find("^%s*:", at + 1) then
        local name = text:sub(start, at - 1)
        message = known[name]
        if not message then return name end
      end
    end
    at = text:find('["{}%[%]]', at + 1)
  end
end

function envoy_on_request(handle)
  local headers = handle:headers()
  local message = PATHS[headers:get(":path"):match("^[^?]*")]
  local body = message and handle:body()
  local name = body and unknown_field(body:getBytes(0, body:length()), message)
  if name then
    name = name:sub(1, 80):gsub('[%c"\\\128-\255]', "?")
    handle:respond(
      {[":status"] = "400", ["content-type"] = "application/json"},
      '{"code":3,"message":"no field is called ' .. name .. '","details":[]}')
  end
end
