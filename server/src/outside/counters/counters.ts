import { Redis } from 'ioredis'

/** The shared store of rate limits, so far as it is asked for its health. */
export interface Counters {
  reachable(): Promise<boolean>
  close(): Promise<void>
}

/** A store that hangs must cost no request anything: commands time out, nothing waits for a connection. */
export function redisCounters(url: string, onError: (error: Error) => void): Counters {
  const redis = new Redis(url, {
    commandTimeout: 500,
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 200, 2_000),
  })
  redis.on('error', onError)
  return {
    reachable: () =>
      redis.ping().then(
        (answer) => answer === 'PONG',
        () => false,
      ),
    close: async () => redis.disconnect(),
  }
}

/** One process counts for itself. */
export const ownCounters: Counters = { reachable: async () => true, close: async () => {} }
