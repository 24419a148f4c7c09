import type pg from 'pg'
import { rejectsStartupOptions } from './connection-settings.ts'

/** A timer that is later than this was not delayed by ordinary work. */
const minPauseMs = 100

/** Takes a connection from the pool, with a second attempt where the first says nothing about PostgreSQL. */
export async function acquireClient(pool: pg.Pool, timeoutMs: number): Promise<pg.PoolClient> {
  const endsAt = performance.now() + timeoutMs
  try {
    return await pool.connect()
  } catch (error) {
    if (rejectsStartupOptions(error)) pool.options.options = ''
    // After a pause of this process its timers run before its sockets: the answers may have arrived, unread.
    else if (performance.now() - endsAt < minPauseMs) throw error
    return await pool.connect()
  }
}
