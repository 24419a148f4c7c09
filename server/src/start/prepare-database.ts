/** Migrates and seeds in a process of its own, so that the code for it does not stay in the memory of the supervisor. */
import { fork } from 'node:child_process'
import type { SeededPayment } from '#seed/queries.ts'

export interface PrepareRequest {
  url: string
  seed: SeedRequest | null
}
/** The demonstration, and what its secrets are encrypted with. */
export interface SeedRequest {
  extent: 'portfolio' | 'year'
  secretKeys: string
  webhookUrl: string
}
export interface PrepareResult {
  applied: string[]
  seeded: boolean
  payments: readonly SeededPayment[]
}
export type PrepareOutcome = { prepared: PrepareResult } | { failure: string }

export async function prepareDatabase(request: PrepareRequest): Promise<PrepareResult> {
  const child = fork(new URL('./prepare-database-process.ts', import.meta.url), { detached: true })
  const outcome = await new Promise<PrepareOutcome>((resolve, reject) => {
    child.once('message', (message) => resolve(message as PrepareOutcome))
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve({ failure: `its process ended with ${signal ?? code}` }))
    child.send(request)
  })
  if ('failure' in outcome) throw new Error(`The database could not be prepared: ${outcome.failure}`)
  return outcome.prepared
}
