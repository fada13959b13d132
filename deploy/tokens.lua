-- Finds who calls by the bearer token, and says so in a header that no peer can set. The servers ask
-- for the token again, and say alone who may call; where the file below is missing, anyone may.

-- The servers' own --token-file: a name, a blank and the token's SHA-256 in each line, and perhaps
-- settings, which the servers look at.
local FILE = "/etc/tokalign/tokens/tokens"
-- Longer ones are refused unhashed, so that a stranger's header costs no more than a usual one.
local LONGEST_TOKEN = 512
local CALLER = "x-tokalign-caller"
-- Set by Envoy on those who wait.
local SLOW = "x-tokalign-slow"

local band, bxor, bnot, ror, rshift, tobit, tohex =
  bit.band, bit.bxor, bit.bnot, bit.ror, bit.rshift, bit.tobit, bit.tohex

-- FIPS 180-4, section 4.2.2: the first 32 bits of the fractions of the cube roots of the first 64
-- primes; section 5.3.3: of the square roots of the first 8.
local ROUNDS, FIRST = {}, {}
local function fraction(number) return tobit(math.floor(number % 1 * 2 ^ 32)) end
local candidate = 2
while #ROUNDS < 64 do
  local is_prime = true
  for divisor = 2, math.floor(math.sqrt(candidate)) do
    is_prime = is_prime and candidate % divisor ~= 0
  end
  if is_prime then
    ROUNDS[#ROUNDS + 1] = fraction(candidate ^ (1 / 3))
    if #FIRST < 8 then FIRST[#FIRST + 1] = fraction(math.sqrt(candidate)) end
  end
  candidate = candidate + 1
end

-- Return the SHA-256 of a text of less than 8 KiB in hexadecimal.
local function sha256(text)
  local size = #text
  text = text .. "\128" .. ("\0"):rep((55 - size) % 64 + 6)
    .. string.char(rshift(size, 5), band(size * 8, 255))
  local state, word = {unpack(FIRST)}, {}
  for block = 1, #text, 64 do
    for i = 1, 16 do
      local one, two, three, four = text:byte(block + 4 * i - 4, block + 4 * i - 1)
      word[i] = tobit(one * 2 ^ 24 + two * 2 ^ 16 + three * 2 ^ 8 + four)
    end
    for i = 17, 64 do
      local before, last = word[i - 15], word[i - 2]
      local s0 = bxor(ror(before, 7), ror(before, 18), rshift(before, 3))
      local s1 = bxor(ror(last, 17), ror(last, 19), rshift(last, 10))
      word[i] = tobit(word[i - 16] + s0 + word[i - 7] + s1)
    end
    local a, b, c, d, e, f, g, h = unpack(state)
    for i = 1, 64 do
      local s1 = bxor(ror(e, 6), ror(e, 11), ror(e, 25))
      local chosen = bxor(band(e, f), band(bnot(e), g))
      local one = tobit(h + s1 + chosen + ROUNDS[i] + word[i])
      local s0 = bxor(ror(a, 2), ror(a, 13), ror(a, 22))
      local most = bxor(band(a, b), band(a, c), band(b, c))
      a, b, c, d, e, f, g, h = tobit(one + s0 + most), a, b, c, tobit(d + one), e, f, g
    end
    for i, value in ipairs({a, b, c, d, e, f, g, h}) do state[i] = tobit(state[i] + value) end
  end
  for i = 1, 8 do state[i] = tohex(state[i]) end
  return table.concat(state)
end

-- Return the names of a file by their hashes, or nil where a line has none, as in the middle of a change.
local function hashes_of(text)
  local hashes = {}
  for line in text:gmatch("[^\n]+") do
    line = line:gsub("#.*", "")
    if line:find("%S") then
      local name, hash = line:match("^%s*(%S+)%s+(%S+)")
      if not hash or #hash ~= 64 or hash:find("%X") then return nil end
      hashes[hash:lower()] = name
    end
  end
  return hashes
end

-- Each of Envoy's threads has these: names by hash, names by header found good, and when it looked.
local hashes, good, read_at = nil, {}, nil

-- Read the file again, once a second. A damaged one leaves the last good hashes.
local function look()
  local now = os.time()
  if now == read_at then return end
  read_at, good = now, {}
  local file = io.open(FILE, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  if text then hashes = hashes_of(text) or hashes or {} else hashes = nil end
end

-- Return whose token a header has, or nil.
local function caller_of(authorization)
  if not authorization then return nil end
  if good[authorization] then return good[authorization] end
  local token = authorization:match("^[Bb][Ee][Aa][Rr][Ee][Rr] %s*(.-)%s*$")
  if not token or #token > LONGEST_TOKEN then return nil end
  good[authorization] = hashes[sha256(token)]
  return good[authorization]
end

function envoy_on_request(handle)
  look()
  local headers = handle:headers()
  headers:remove(SLOW)
  headers:remove(CALLER)
  local caller = "anyone"
  if hashes then caller = caller_of(headers:get("authorization")) end
  if caller then headers:add(CALLER, caller) end
end
