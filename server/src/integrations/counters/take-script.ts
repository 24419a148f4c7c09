/**
 * Counts each of several requests towards all of its limits or none. Redis runs a script atomically, so many processes
 * together cannot exceed a limit. A window is stored as `count:end`, and the end decides whether it is current, not the
 * expiry of the key: a key without expiry, or one from before the clock was set back, does not block callers for ever.
 *
 * KEYS are pairs of a key and its `:sustained`. ARGV are max, burst (-1 for none), cost and window in ms of each pair, then
 * the number of limits of each request. Returns for each request whether it was counted, the index of the exceeded limit,
 * the time, and for each limit the remaining requests and the end of its first window.
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

local function take(first, size)
  local limits, refused = {}, 0
  for i = 1, size do
    local at = first + i
    local max, burst = tonumber(ARGV[4 * at - 3]), tonumber(ARGV[4 * at - 2])
    local cost, window = tonumber(ARGV[4 * at - 1]), tonumber(ARGV[4 * at])
    local counters = { counter(KEYS[2 * at - 1], burst < 0 and max or burst, window) }
    if burst >= 0 then counters[2] = counter(KEYS[2 * at], max, window) end
    limits[i] = { cost = cost, window = window, counters = counters }
    for _, one in ipairs(counters) do
      if not limits[i].fitting and one.count + cost <= one.max then limits[i].fitting = one end
    end
    if not limits[i].fitting and refused == 0 then refused = i end
  end

  local result = { refused == 0 and 1 or 0, refused - 1, now }
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
    table.insert(result, left)
    table.insert(result, ends)
  end
  return result
end

local results, first = {}, 0
for at = 2 * #KEYS + 1, #ARGV do
  local size = tonumber(ARGV[at])
  table.insert(results, take(first, size))
  first = first + size
end
return results
`
