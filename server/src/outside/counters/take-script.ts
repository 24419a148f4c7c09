/**
 * One decision, whole: nothing else runs in Redis meanwhile, so a thousand processes cannot count past a limit.
 * A window is kept as `count:end` and believed by its end, not by the age of its key: a key that lost its age, or one
 * that the clock was set back under, does not refuse for ever. KEYS are pairs of a key and its `:sustained`, ARGV for
 * each pair most, burst (-1 for none), cost and window in ms.
 */
export const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function look(key, most, cost, window)
  local count, ends = string.match(redis.call('GET', key) or '', '^(%d+):(%d+)$')
  count, ends = tonumber(count), tonumber(ends)
  if not ends or ends <= now or ends > now + window then count, ends = 0, now + window end
  return { key = key, most = most, count = count + cost, ends = ends, fits = count + cost <= most }
end

local taken = {}
for i = 1, #KEYS / 2 do
  local most, burst = tonumber(ARGV[4 * i - 3]), tonumber(ARGV[4 * i - 2])
  local cost, window = tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i])
  local seen = look(KEYS[2 * i - 1], burst < 0 and most or burst, cost, window)
  if not seen.fits and burst >= 0 then seen = look(KEYS[2 * i], most, cost, window) end
  if not seen.fits then return { 0, i - 1, seen.most, 0, seen.ends, seen.ends - now } end
  taken[i] = seen
end
for _, seen in ipairs(taken) do
  redis.call('SET', seen.key, string.format('%d:%.0f', seen.count, seen.ends), 'PX', seen.ends - now)
end
local last = taken[#taken]
return { 1, #taken - 1, last.most, last.most - last.count, last.ends, last.ends - now }
`
