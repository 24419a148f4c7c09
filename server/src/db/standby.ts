import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from './sql.ts'
import type { ReadServer } from '#telemetry/metrics.ts'
import { isConnectionLoss, type Database } from './connect.ts'

/** How long a read waits for the standby, in milliseconds, before it asks the primary. */
const maxWaitMs = 100
/** How long the primary serves all reads after the standby was behind or did not respond, in milliseconds. */
const pauseMs = 1_000

/**
 * Reads from a standby, as soon as it has everything that the primary had committed when the read began. So a client
 * reads its own writes, whichever process made them. The primary serves the read when the standby is more than a tenth of
 * a second behind, and when it does not respond.
 */
export function readFromStandby(
  primary: Database,
  standby: Database,
  report: { onRead(server: ReadServer): void; onError(error: unknown): void },
): Database {
  let pausedUntil = 0

  const waitForStandby = async (signal: AbortSignal): Promise<ReadServer> => {
    const [[committed]] = await primary.pipelined<[{ position: string }]>({ orgId: null }, [
      sql<{ position: string }>`select pg_current_wal_flush_lsn()::text as position`,
    ])
    while (!signal.aborted) {
      // A standby that was promoted is no standby, and its position says nothing.
      const [[found]] = await standby.pipelined<[{ is_current: boolean | null }]>({ orgId: null }, [
        sql<{ is_current: boolean | null }>`
          select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() >= ${committed!.position}::pg_lsn end as is_current`,
      ])
      if (found!.is_current === null) return 'unreachable'
      if (found!.is_current) return 'standby'
      await sleep(2)
    }
    return 'behind'
  }

  const chooseServer = async (): Promise<ReadServer> => {
    if (performance.now() < pausedUntil) return 'paused'
    const waiting = new AbortController()
    const timer = sleep(maxWaitMs, 'behind' as const, { signal: waiting.signal })
    timer.catch(() => {})
    const server = await Promise.race([waitForStandby(waiting.signal), timer]).catch((error: unknown) => {
      report.onError(error)
      return 'unreachable' as const
    })
    waiting.abort()
    if (server !== 'standby') pausedUntil = performance.now() + pauseMs
    return server
  }

  const read = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    let server = await chooseServer()
    if (server === 'standby')
      try {
        const result = await work(standby)
        report.onRead('standby')
        return result
      } catch (error) {
        if (!isConnectionLoss(error) && !isRecoveryConflict(error)) throw error
        server = 'unreachable'
      }
    report.onRead(server)
    return await work(primary)
  }

  return {
    ...primary,
    pipelined: (context, statements) => read((database) => database.pipelined(context, statements)),
    transaction: (context, work) => read((database) => database.transaction(context, work)),
  }
}

/** A standby ends a read that needs rows which the primary has removed since. */
const isRecoveryConflict = (error: unknown) => (error as { code?: unknown }).code === '40001'
