import { hash } from 'node:crypto'
import { Redis } from 'ioredis'
import { openBreaker } from './breaker.ts'
import {
  buildResult,
  remainingRequests,
  StoreUnavailable,
  type Counters,
  type Limit,
  type RateLimitResult,
  type RemainingRequests,
  type Window,
} from './counters.ts'
import { takeScript } from './take-script.ts'

interface Options {
  readonly url: string
  /** One of them names the address of the primary for each connection; the host of `url` is its name. */
  readonly sentinels?: readonly { readonly host: string; readonly port: number }[]
  readonly sentinelPassword?: string | null
  /** The limit for one reply of Redis. */
  readonly timeoutMs: number
  readonly onLost: (error: unknown) => void
  readonly onBack: () => void
}

const scriptHash = hash('sha1', takeScript, 'hex')
const prefix = 'vacancy:limits:'
const probeLimit: Limit = { key: '{probe}', max: 1e9, burst: null, cost: 1, windowMs: 1_000 }

/** A request of this turn of the event loop. */
interface Waiting {
  readonly limits: readonly Limit[]
  readonly resolve: (result: RateLimitResult) => void
  readonly reject: (error: unknown) => void
}

/**
 * Counters that several processes share in Redis. The requests of one organization in one turn of the event loop are counted
 * by one call of the script. While Redis hangs or is down, only the first requests wait for it: a circuit breaker opens, and
 * closes again when a probe in the background succeeds.
 */
export async function redisCounters(options: Options): Promise<Counters> {
  const { url, timeoutMs, onLost, onBack } = options
  const redis = new Redis(url, {
    ...sentinelOptions(options),
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 200, 1_000),
  })
  const runScript = async (requests: readonly Waiting[]): Promise<RateLimitResult[]> => {
    const limits = requests.flatMap((request) => request.limits)
    const keys = limits.flatMap(keysOf)
    const numbers = limits.flatMap(({ max, burst, cost, windowMs }) => [max, burst ?? -1, cost, windowMs])
    const values = [...keys, ...numbers, ...requests.map((request) => request.limits.length)]
    const reply = redis.evalsha(scriptHash, keys.length, ...values).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return redis.eval(takeScript, keys.length, ...values)
    })
    const results = (await withTimeout(reply, timeoutMs)) as number[][]
    return requests.map((request, at) => parseResult(request.limits, results[at]!))
  }
  /** By the hash tag that the keys of a request share. */
  const waiting = new Map<string, Waiting[]>()
  const sendWaiting = () => {
    for (const requests of waiting.values())
      runScript(requests).then(
        (results) => requests.forEach(({ resolve }, at) => resolve(results[at]!)),
        (error: unknown) => requests.forEach(({ reject }) => reject(error)),
      )
    waiting.clear()
  }
  const take = (limits: readonly Limit[]) =>
    new Promise<RateLimitResult>((resolve, reject) => {
      if (waiting.size === 0) setImmediate(sendWaiting)
      const { key } = limits[0]!
      const tag = key.slice(0, key.indexOf('}') + 1)
      const requests = waiting.get(tag) ?? []
      requests.push({ limits, resolve, reject })
      waiting.set(tag, requests)
    })
  const readCounters = async (limits: readonly Limit[]): Promise<RemainingRequests[]> => {
    const reply = Promise.all([redis.time(), redis.mget(limits.flatMap(keysOf))])
    const [[seconds, microseconds], values] = await withTimeout(reply, timeoutMs)
    const now = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)
    return limits.map((limit, at) => {
      const [first, second] = [2 * at, 2 * at + 1].map((index) => parseWindow(values[index], limit, now))
      const { max, burst } = limit
      const counters =
        burst === null
          ? [{ window: first!, max }]
          : [
              { window: first!, max: burst },
              { window: second!, max },
            ]
      return remainingRequests(limit, counters, now)
    })
  }
  // Runs the same script as a request, because a Redis that responds may still be read-only.
  const isWorking = () =>
    take([probeLimit]).then(
      () => true,
      () => false,
    )
  const breaker = openBreaker({
    async probe() {
      const isBack = await isWorking()
      // TCP would take a quarter of an hour to notice that the machine is gone.
      if (!isBack && ['connect', 'ready'].includes(redis.status)) redis.disconnect(true)
      // The library gives up a connection that is closed before it has an address from a sentinel.
      if (redis.status === 'end') redis.connect().catch(() => {})
      return isBack
    },
    onOpen: onLost,
    onClose: onBack,
  })
  redis.on('error', breaker.failed)
  await waitForConnection(redis, timeoutMs)
  const guard =
    <T>(call: (limits: readonly Limit[]) => Promise<T>) =>
    async (limits: readonly Limit[]): Promise<T> => {
      if (breaker.isOpen()) throw new StoreUnavailable()
      try {
        const result = await call(limits)
        breaker.succeeded()
        return result
      } catch (error) {
        breaker.failed(error)
        throw new StoreUnavailable(error)
      }
    }
  return {
    take: guard(take),
    read: guard(readCounters),
    isReachable: isWorking,
    async close() {
      breaker.stop()
      redis.disconnect()
    },
  }
}

/** With `rediss://` the sentinels are asked through TLS as well. */
function sentinelOptions({ url, sentinels = [], sentinelPassword }: Options) {
  if (sentinels.length === 0) return {}
  const { hostname, protocol } = new URL(url)
  return {
    name: hostname,
    sentinelCommandTimeout: 1_000,
    sentinels: [...sentinels],
    ...(sentinelPassword && { sentinelPassword }),
    ...(protocol === 'rediss:' && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
  }
}

/** Waits for the connection, so that the first requests are counted. A Redis that is down does not stop the start. */
const waitForConnection = (redis: Redis, timeoutMs: number) =>
  withTimeout(
    new Promise<void>((resolve) => {
      redis.once('ready', resolve)
      redis.once('close', resolve)
    }),
    Math.max(timeoutMs, 1_000),
  ).catch(() => {})

const keysOf = ({ key }: Limit) => [`${prefix}${key}`, `${prefix}${key}:sustained`]

/** A stored window by the rules of the script. */
function parseWindow(stored: string | null | undefined, { key, windowMs }: Limit, now: number): Window {
  const [, count, end] = /^(\d+):(\d+)$/.exec(stored ?? '') ?? []
  const isCurrent = Number(end) > now && Number(end) <= now + windowMs
  const ends = isCurrent ? Number(end) : now + windowMs
  return { key, count: isCurrent ? Number(count) : 0, ends, endsAt: new Date(ends) }
}

const parseResult = (limits: readonly Limit[], result: readonly number[]): RateLimitResult => {
  const [allowed, refusedAt, now, ...pairs] = result as [number, number, number, ...number[]]
  const left = limits.map((_, at) => {
    const [remaining, ends] = [pairs[2 * at]!, pairs[2 * at + 1]!]
    return { remaining, endsAt: new Date(ends), waitMs: ends - now }
  })
  return buildResult({ limits, refusedAt: allowed === 1 ? null : refusedAt, left })
}

async function withTimeout<T>(reply: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    const rejectLate = () => reject(new Error(`No reply within ${ms} ms.`))
    // The reply may have arrived while this process was busy, so the event loop reads once more before the rejection.
    timer = setTimeout(() => setImmediate(() => setImmediate(rejectLate)), ms)
  })
  try {
    return await Promise.race([reply, timeout])
  } finally {
    clearTimeout(timer)
  }
}
