// Migrates and seeds on a thread of its own, so that what it loads does not stay in the supervisor's memory.
import { Worker } from 'node:worker_threads'

export type PrepareOrder = { url: string; seeds: boolean }
export type Prepared = { applied: string[]; seeded: boolean }

export async function prepareDatabase(order: PrepareOrder): Promise<Prepared> {
  const thread = new Worker(new URL('./prepare-database-thread.ts', import.meta.url), { workerData: order })
  try {
    return await new Promise((resolve, reject) => {
      thread.once('message', resolve)
      thread.once('error', reject)
      thread.once('exit', (code) => reject(new Error(`Preparing the database ended with ${code}.`)))
    })
  } catch (error) {
    throw new Error(`The database could not be prepared: ${(error as Error).message}`, { cause: error })
  }
}
