/**
 * One decision, whole: nothing else runs in Redis meanwhile, so a thousand processes cannot count past a limit.
 * A window is kept as `count:end` and believed by its end, not by the age of its key: a key that lost its age, or one
 * that the clock was set back under, does not refuse for ever. KEYS are pairs of a key and its `:sustained`, ARGV for
 * each pair most, burst (-1 for none), cost and window in ms. Answers whether it was counted, the limit that refused,
 * the time, and for each limit how many such requests are left and when the first of its windows ends.
 */
export const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function counter(key, max, window)
  local count, ends = string.match(redis.call('GET', key) or '', '^(%d+):(%d+)$')
  count, ends = tonumber(count), tonumber(ends)
  if not ends or ends <= now or ends > now + window then count, ends = 0, now + window end
  return { key = key, max = max, count = count, ends = ends }
end

local limits, refused = {}, 0
for i = 1, #KEYS / 2 do
  local most, burst = tonumber(ARGV[4 * i - 3]), tonumber(ARGV[4 * i - 2])
  local cost, window = tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i])
  local counters = { counter(KEYS[2 * i - 1], burst < 0 and most or burst, window) }
  if burst >= 0 then counters[2] = counter(KEYS[2 * i], most, window) end
  limits[i] = { cost = cost, window = window, counters = counters }
  for _, one in ipairs(counters) do
    if not limits[i].fitting and one.count + cost <= one.max then limits[i].fitting = one end
  end
  if not limits[i].fitting and refused == 0 then refused = i end
end

local answer = { refused == 0 and 1 or 0, refused - 1, now }
for _, limit in ipairs(limits) do
  local fitting, left, ends = limit.fitting, 0, now + limit.window
  if refused == 0 then
    fitting.count = fitting.count + limit.cost
    redis.call('SET', fitting.key, string.format('%d:%.0f', fitting.count, fitting.ends), 'PX', fitting.ends - now)
  end
  for _, one in ipairs(limit.counters) do
    left = left + math.max(0, math.floor((one.max - one.count) / limit.cost))
    if one.count > 0 and one.ends < ends then ends = one.ends end
  end
  table.insert(answer, left)
  table.insert(answer, ends)
end
return answer
`
