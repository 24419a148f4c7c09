// Migrates and seeds in a process of its own, so that what this loads does not stay in the supervisor's memory.
import { fork } from 'node:child_process'

export type PrepareOrder = { url: string; seeds: boolean }
export type Prepared = { applied: string[]; seeded: boolean }
export type PrepareOutcome = { prepared: Prepared } | { failure: string }

export async function prepareDatabase(order: PrepareOrder): Promise<Prepared> {
  const child = fork(new URL('./prepare-database-process.ts', import.meta.url), { detached: true })
  const outcome = await new Promise<PrepareOutcome>((resolve, reject) => {
    child.once('message', (message) => resolve(message as PrepareOutcome))
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve({ failure: `its process ended with ${signal ?? code}` }))
    child.send(order)
  })
  if ('failure' in outcome) throw new Error(`The database could not be prepared: ${outcome.failure}`)
  return outcome.prepared
}
