import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import { openBreaker } from './breaker.ts'
import { standingOf, StoreAway, type Counters, type Limit, type Standing } from './counters.ts'
import { takeScript } from './take-script.ts'

interface Options {
  readonly url: string
  /** For one answer. */
  readonly timeoutMs: number
  readonly onLost: (error: unknown) => void
  readonly onBack: () => void
}

const scriptHash = createHash('sha1').update(takeScript).digest('hex')
const prefix = 'vacancy:limits:'
const nothing: Limit = { key: '{probe}', most: 1e9, burst: null, cost: 1, windowMs: 1_000 }

/**
 * Several processes count together. A store that hangs or is away costs the first few requests a short wait and all
 * others nothing: a breaker opens, and closes again when a probe that no request waits for has been answered.
 */
export async function redisCounters({ url, timeoutMs, onLost, onBack }: Options): Promise<Counters> {
  const redis = new Redis(url, {
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 200, 1_000),
  })
  const ask = async (limits: readonly Limit[]): Promise<Standing> => {
    const keys = limits.flatMap(({ key }) => [`${prefix}${key}`, `${prefix}${key}:sustained`])
    const numbers = limits.flatMap(({ most, burst, cost, windowMs }) => [most, burst ?? -1, cost, windowMs])
    const answer = redis.evalsha(scriptHash, keys.length, ...keys, ...numbers).catch((error: unknown) => {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return redis.eval(takeScript, keys.length, ...keys, ...numbers)
    })
    return standing(limits, await inTime(answer, timeoutMs))
  }
  // It asks for what requests ask for: a store that answers, but may not be written to, is no use.
  const works = () =>
    ask([nothing]).then(
      () => true,
      () => false,
    )
  const breaker = openBreaker({
    async probe() {
      const isBack = await works()
      // A connection to a machine that is gone would be believed in for a quarter of an hour.
      if (!isBack && redis.status !== 'reconnecting') redis.disconnect(true)
      return isBack
    },
    onOpen: onLost,
    onClose: onBack,
  })
  redis.on('error', breaker.failed)
  await firstWord(redis, timeoutMs)
  return {
    async take(limits) {
      if (breaker.isOpen()) throw new StoreAway()
      try {
        const found = await ask(limits)
        breaker.succeeded()
        return found
      } catch (error) {
        breaker.failed(error)
        throw new StoreAway(error)
      }
    },
    reachable: works,
    async close() {
      breaker.stop()
      redis.disconnect()
    },
  }
}

/** Waits for the connection, so that the first requests are counted too; without one the start goes on all the same. */
const firstWord = (redis: Redis, timeoutMs: number) =>
  inTime(
    new Promise<void>((resolve) => {
      redis.once('ready', resolve)
      redis.once('close', resolve)
    }),
    Math.max(timeoutMs, 1_000),
  ).catch(() => {})

const standing = (limits: readonly Limit[], answer: unknown): Standing => {
  const [allowed, refusedAt, now, ...pairs] = answer as [number, number, number, ...number[]]
  const left = limits.map((_, at) => {
    const [remaining, ends] = [pairs[2 * at]!, pairs[2 * at + 1]!]
    return { remaining, endsAt: new Date(ends), waitMs: ends - now }
  })
  return standingOf({ limits, refusedAt: allowed === 1 ? null : refusedAt, left })
}

async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new Error(`No answer within ${ms} ms.`))
    // A process that was busy may have the answer and not have read it: it reads once more before it gives up.
    timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), ms)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
