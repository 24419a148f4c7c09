import pg from 'pg'
import { sendBatches, type BatchResult, type BoundStatement, type StatementResult } from './batch.ts'

/** More would wait for each other where PostgreSQL has processors to spare. */
const maxReads = 4

interface Read {
  /** The first statement of its transaction. */
  readonly setup: BoundStatement
  readonly statements: readonly BoundStatement[]
  readonly resolve: (results: StatementResult[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * Collects the reads of one turn of the event loop and sends several in one packet on one connection: writing to sockets
 * takes an API process longest. Those with the same settings are one transaction, in which each has its own snapshot. If
 * one fails, those before it have their rows, and those after it, which PostgreSQL has skipped, are sent again.
 *
 * PostgreSQL runs those of a packet one after the other, so this is for reads that take milliseconds and wait for no lock.
 */
export function shareConnections(
  useClient: (work: (client: pg.PoolClient) => Promise<void>) => Promise<void>,
): (setup: BoundStatement, statements: readonly BoundStatement[]) => Promise<StatementResult[]> {
  let waiting: Read[] = []
  const send = async (reads: readonly Read[]): Promise<void> => {
    const left: Read[] = []
    try {
      await useClient(async (client) => {
        const transactions = groupBySettings(reads)
        const sent = sendBatches(client, transactions.map(batchOf))
        await Promise.all(
          sent.map(async (result, at) => left.push(...settle(transactions[at]!, await result))),
        )
      })
    } catch (error) {
      // There was no connection.
      for (const { reject } of reads) reject(error)
    }
    if (left.length > 0) await send(left)
  }
  const flush = () => {
    const all = waiting
    waiting = []
    for (let at = 0; at < all.length; at += maxReads) void send(all.slice(at, at + maxReads))
  }
  return (setup, statements) =>
    new Promise((resolve, reject) => {
      // After all that other requests do in this turn.
      if (waiting.push({ setup, statements, resolve, reject }) === 1) setImmediate(flush)
    })
}

function groupBySettings(reads: readonly Read[]): Read[][] {
  const groups: Read[][] = []
  for (const read of reads) {
    const group = groups.find(([first]) => haveSameValues(first!.setup, read.setup))
    if (group) group.push(read)
    else groups.push([read])
  }
  return groups
}

const haveSameValues = (one: BoundStatement, other: BoundStatement) =>
  one.values.every((value, at) => value === other.values[at])

const batchOf = (reads: readonly Read[]): BoundStatement[] => [
  reads[0]!.setup,
  ...reads.flatMap(({ statements }) => statements),
]

/** Returns the reads that PostgreSQL has skipped because the one before them failed. */
function settle(reads: readonly Read[], { error, results }: BatchResult): readonly Read[] {
  let end = 1
  const failed = reads.findIndex(({ statements, resolve }) => {
    const rows = results.slice(end, (end += statements.length))
    if (end > results.length) return true
    resolve(rows)
    return false
  })
  if (failed < 0) return []
  const isLost = !(error instanceof pg.DatabaseError)
  const rejected = reads.slice(failed, isLost ? undefined : failed + 1)
  for (const { reject } of rejected) reject(error)
  return reads.slice(failed + rejected.length)
}
