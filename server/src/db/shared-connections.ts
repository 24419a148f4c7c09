import type pg from 'pg'
import { sendBatches, type BoundStatement, type StatementResult } from './batch.ts'

/** More would wait for each other where PostgreSQL has processors to spare. */
const maxBatches = 4

interface Waiting {
  readonly batch: readonly BoundStatement[]
  readonly resolve: (results: Promise<StatementResult[]>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Collects the batches of one turn of the event loop and sends several in one packet on one connection: writing to sockets
 * takes an API process longest. Each batch is a transaction of its own, and fails alone.
 *
 * PostgreSQL runs those of a packet one after the other, so this is for reads that take milliseconds and wait for no lock.
 */
export function shareConnections(
  useClient: (work: (client: pg.PoolClient) => Promise<void>) => Promise<void>,
): (batch: readonly BoundStatement[]) => Promise<StatementResult[]> {
  let waiting: Waiting[] = []
  const sendGroup = async (group: readonly Waiting[]) => {
    try {
      await useClient(async (client) => {
        const sent = sendBatches(
          client,
          group.map(({ batch }) => batch),
        )
        group.forEach(({ resolve }, at) => resolve(sent[at]!))
        await Promise.allSettled(sent)
      })
    } catch (error) {
      // There was no connection.
      for (const { reject } of group) reject(error)
    }
  }
  const flush = () => {
    const all = waiting
    waiting = []
    for (let at = 0; at < all.length; at += maxBatches) void sendGroup(all.slice(at, at + maxBatches))
  }
  return (batch) =>
    new Promise((resolve, reject) => {
      // After all that other requests do in this turn.
      if (waiting.push({ batch, resolve, reject }) === 1) setImmediate(flush)
    })
}
