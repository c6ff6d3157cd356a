/**
 * The limiter in Redis as one atomic script. Keys: the reservation's record; one that exists while Redis is open (see
 * redis-recovery.ts); then three for each claim, of which only budgets use the second and third. Arguments: the time (empty:
 * Redis' own), the operation, the reservation's id, its lease, how long its record is kept; four per claim (kind, limit, amount,
 * window); whether budgets are recalled, and dates. Buckets are stored as in memory: a rate as the time at which it is full,
 * concurrency as a sorted set of leases, a budget as two hashes of slots. The first has whole millionths of a dollar, as programs
 * before nanodollars count them, the second has the nanodollars beyond: programs of both kinds can share a budget. Its third key is
 * a hash of the open reservations and their \`sum\`, and of \`recall\` if they were restored before what was spent was recalled.
 * Infinity is encoded as -1.
 */
export const limiterScript = `
local day, minute, forever = 86400000, 60000, 34560000000
local time = tonumber(ARGV[1])
if not time then
  local now = redis.call('TIME')
  time = now[1] * 1000 + now[2] / 1000
end
-- Of small numbers more of a fraction is kept.
local since = time - 1767225600000
local op, id, lease, kept = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])

local function text(number) return string.format('%.17g', number) end
local function encoded(number) if number == math.huge then return '-1' end return text(number) end
local function whole(number) return string.format('%.0f', number) end
local function least(a, b) if a < b then return a end return b end

-- A calendar window is given as the slot of its first period and the starts of the periods around now.
local zones = {}
local function zoneOf(window)
  local first, starts = string.match(window, '^zone:(%d+):(.+)$')
  if first and not zones[window] then
    zones[window] = { first = tonumber(first), starts = {} }
    for start in string.gmatch(starts, '[^,]+') do table.insert(zones[window].starts, tonumber(start)) end
  end
  return zones[window]
end
local function slotOf(window, at)
  local zone = zoneOf(window)
  if zone then
    for index = #zone.starts, 1, -1 do
      if at >= zone.starts[index] then return zone.first + index - 1 end
    end
    return zone.first - 1
  end
  if window == 'lifetime' then return 0 end
  return math.floor(at / (tonumber(window) * minute))
end
local function endOf(window, slot)
  local zone = zoneOf(window)
  if zone then return zone.starts[math.max(1, least(#zone.starts, slot - zone.first + 2))] end
  if window == 'lifetime' then return math.huge end
  return (slot + 61) * tonumber(window) * minute
end

local rate, concurrency, budget = {}, {}, {}
local kinds = { rate = rate, concurrency = concurrency, budget = budget }

function rate.read(claim)
  local full = tonumber(redis.call('GET', claim.key) or since)
  claim.empty = math.max(0, full - since)
end
function rate.wait(claim)
  local unit = minute / claim.limit
  if claim.amount > claim.limit or claim.limit <= 0 then return math.huge end
  local excess = claim.empty + claim.amount * unit - minute
  if excess <= unit * 0.001 then return 0 end
  return math.max(1, math.ceil(excess))
end
function rate.add(claim, amount)
  claim.empty = math.max(0, claim.empty + amount * (minute / claim.limit))
  redis.call('SET', claim.key, text(since + claim.empty), 'PX', math.ceil(claim.empty) + 1000)
end
rate.take = function(claim) rate.add(claim, claim.amount) end
rate.settle = rate.add
function rate.level(claim)
  local left = (minute - claim.empty) / (minute / claim.limit)
  return math.max(0, math.floor(left + 0.001)), math.ceil(claim.empty)
end

function concurrency.read(claim)
  redis.call('ZREMRANGEBYSCORE', claim.key, '-inf', text(time))
  claim.held = redis.call('ZCARD', claim.key)
end
function concurrency.wait(claim)
  if claim.held < claim.limit then return 0 end
  if claim.limit <= 0 then return math.huge end
  local first = redis.call('ZRANGE', claim.key, 0, 0, 'WITHSCORES')
  return math.max(1, least(1000, math.ceil(tonumber(first[2]) - time)))
end
function concurrency.take(claim)
  redis.call('ZADD', claim.key, text(time + lease), id)
  if redis.call('PTTL', claim.key) < lease then redis.call('PEXPIRE', claim.key, lease + 1000) end
  claim.held = redis.call('ZCARD', claim.key)
end
function concurrency.settle(claim) redis.call('ZREM', claim.key, id) end
function concurrency.level(claim) return math.max(0, claim.limit - claim.held), 0 end

function budget.read(claim)
  local fields, nanos, beyond = redis.call('HGETALL', claim.key), redis.call('HGETALL', claim.nano), {}
  for index = 1, #nanos, 2 do beyond[nanos[index]] = tonumber(nanos[index + 1]) end
  claim.known = #fields > 0 and redis.call('HEXISTS', claim.open, 'recall') == 0
  claim.used, claim.slots = 0, {}
  for index = 1, #fields, 2 do
    local slot, used = tonumber(fields[index]), 1000 * tonumber(fields[index + 1]) + (beyond[fields[index]] or 0)
    if endOf(claim.window, slot) > time then
      claim.used = claim.used + used
      table.insert(claim.slots, { slot, used })
    end
  end
  table.sort(claim.slots, function(a, b) return a[1] < b[1] end)
end
function budget.wait(claim)
  local excess = claim.used + claim.amount - claim.limit
  if excess <= 0 then return 0 end
  for _, slot in ipairs(claim.slots) do
    excess = excess - slot[2]
    if excess <= 0 then return math.max(1, endOf(claim.window, slot[1]) - time) end
  end
  return math.huge
end
function budget.add(claim, slot, amount)
  local nano = redis.call('HINCRBY', claim.nano, slot, whole(amount))
  local micro = math.floor(nano / 1000)
  redis.call('HINCRBY', claim.key, slot, whole(micro))
  if micro ~= 0 then redis.call('HINCRBY', claim.nano, slot, whole(-1000 * micro)) end
end
function budget.keep(claim)
  local ends = math.ceil(least(forever, endOf(claim.window, slotOf(claim.window, time)) - time + day))
  redis.call('PEXPIRE', claim.key, ends)
  redis.call('PEXPIRE', claim.nano, ends)
  redis.call('PEXPIRE', claim.open, ends)
end
function budget.hold(claim)
  redis.call('HSET', claim.open, id, whole(claim.amount))
  redis.call('HINCRBY', claim.open, 'sum', whole(claim.amount))
end
function budget.release(claim)
  local held = redis.call('HGET', claim.open, id)
  if not held then return end
  redis.call('HDEL', claim.open, id)
  redis.call('HINCRBY', claim.open, 'sum', whole(-tonumber(held)))
end
-- Whether it would be granted if all that others hold came back.
function budget.mayReturn(claim)
  local held = tonumber(redis.call('HGET', claim.open, 'sum') or 0)
  return claim.used - held + claim.amount <= claim.limit
end
function budget.restore(claim, at)
  if endOf(claim.window, slotOf(claim.window, at)) <= time then return end
  if redis.call('EXISTS', claim.key) == 0 then redis.call('HSET', claim.open, 'recall', '1') end
  budget.hold(claim)
  budget.put(claim, at)
end
function budget.take(claim)
  if #claim.slots == 0 then redis.call('DEL', claim.key, claim.nano, claim.open) end
  budget.add(claim, text(slotOf(claim.window, time)), claim.amount)
  for _, key in ipairs({ claim.key, claim.nano }) do
    for _, field in ipairs(redis.call('HKEYS', key)) do
      if endOf(claim.window, tonumber(field)) <= time then redis.call('HDEL', key, field) end
    end
  end
  budget.keep(claim)
  budget.read(claim)
end
function budget.put(claim, at)
  local slot = slotOf(claim.window, at)
  if endOf(claim.window, slot) <= time then return end
  budget.add(claim, text(slot), claim.amount)
  budget.keep(claim)
end
function budget.settle(claim, beyond, at)
  budget.release(claim)
  local slot = text(slotOf(claim.window, at))
  if redis.call('HEXISTS', claim.key, slot) == 1 then budget.add(claim, slot, beyond) end
end
function budget.level(claim)
  local slot = claim.slots[1] and claim.slots[1][1]
  local reset = endOf(claim.window, slot or slotOf(claim.window, time)) - time
  if tonumber(claim.window) and not slot then reset = 0 end
  return math.max(0, claim.limit - claim.used), reset
end

local claims = {}
for index = 1, (#KEYS - 2) / 3 do
  local from = 4 * index + 2
  claims[index] = {
    kind = kinds[ARGV[from]], key = KEYS[3 * index], nano = KEYS[3 * index + 1], open = KEYS[3 * index + 2],
    limit = tonumber(ARGV[from + 1]), amount = tonumber(ARGV[from + 2]), window = ARGV[from + 3],
  }
end

local at = redis.call('GET', KEYS[1])
local recalls = ARGV[6 + 4 * #claims] == 'recall'
if op == 'restore' then
  if at then return { 'done' } end
  local begun = tonumber(ARGV[7 + 4 * #claims])
  for _, claim in ipairs(claims) do
    if claim.kind == concurrency then concurrency.take(claim)
    elseif claim.kind == budget then budget.restore(claim, begun) end
  end
  redis.call('SET', KEYS[1], text(begun), 'PX', kept)
  return { 'done' }
end
if redis.call('EXISTS', KEYS[2]) == 0 then return { 'closed' } end
if op == 'settle' or op == 'renew' then
  if not at then return { 'forgotten' } end
  if at == 'settled' then return { 'done' } end
  for _, claim in ipairs(claims) do
    claim.kind.read(claim)
    if op == 'settle' then claim.kind.settle(claim, claim.amount, tonumber(at))
    elseif claim.kind == concurrency then concurrency.take(claim) end
  end
  -- For a while it is known that it was: one that is unknown was lost, and its costs are charged.
  if op == 'settle' then redis.call('SET', KEYS[1], 'settled', 'PX', minute)
  else redis.call('PEXPIRE', KEYS[1], kept) end
  return { 'done' }
end
-- A command that was sent again, since nobody saw its answer.
if op == 'charge' and at then return { 'done' } end

if op == 'seed' then
  claims[1].kind.read(claims[1])
  if claims[1].known then return { 'done' } end
  redis.call('HDEL', claims[1].open, 'recall')
  for index, claim in ipairs(claims) do
    claim.kind.put(claim, tonumber(ARGV[5 + 4 * #claims + index]) or time)
  end
  return { 'done' }
end

if op == 'charge' then
  local reply = { 'charged' }
  for index, claim in ipairs(claims) do
    claim.kind.read(claim)
    -- A budget that is unknown is recalled with what is charged here.
    if recalls and claim.known == false then table.insert(reply, text(index)) else claim.kind.take(claim) end
  end
  redis.call('SET', KEYS[1], text(time), 'PX', kept)
  return reply
end

local refused, longest, mayReturn = 0, 0, true
for index, claim in ipairs(claims) do
  claim.kind.read(claim)
  if recalls and claim.known == false then
    return { 'unknown', text(index) }
  end
  if op == 'reserve' then
    local wait = claim.kind.wait(claim)
    if wait > longest then refused, longest = index, wait end
    if wait > 0 then mayReturn = mayReturn and claim.kind == budget and budget.mayReturn(claim) end
  end
end
if op ~= 'look' and refused == 0 then
  for _, claim in ipairs(claims) do
    claim.kind.take(claim)
    if claim.kind == budget then budget.hold(claim) end
  end
  redis.call('SET', KEYS[1], text(time), 'PX', kept)
end
local reply = { refused == 0 and 'granted' or 'refused', text(refused), encoded(longest) }
for _, claim in ipairs(claims) do
  local remaining, reset = claim.kind.level(claim)
  table.insert(reply, text(remaining))
  table.insert(reply, encoded(reset))
end
if refused > 0 and mayReturn then table.insert(reply, 'mayReturn') end
return reply
`
