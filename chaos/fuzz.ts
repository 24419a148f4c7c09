// Does every response to random requests match the contract, and can all stored records be read afterwards?
import { randomInt } from 'node:crypto'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fuzz } from '../server/test/attacks/fuzzing.ts'
import { openTestParts } from '../server/test/parts.ts'
import { runScenario, type ScenarioContext } from './scenario.ts'
import { removeFolder } from '../server/test/remove-folder.ts'

/** Each block has its own world, so that generated requests often refer to existing records. */
const requestsPerBlock = 5_000

// npm run chaos -- fuzz, or node bin/run.mjs chaos/fuzz.ts [--seed N] [--loops blocks]; --block N repeats one block.
await runScenario(import.meta, { loops: 6, short: 1 }, async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'vacancy-fuzz-'))
  chmodSync(home, 0o711)
  const parts = await openTestParts({ home, env: process.env })
  Object.assign(process.env, parts.env)
  try {
    await runBlocks(context)
  } finally {
    await parts.close()
    removeFolder(home)
  }
})

async function runBlocks({ loops, isShort, option, verdict, metric }: ScenarioContext): Promise<void> {
  const seed = Number(option('seed', String(randomInt(1_000_000))))
  const block = option('block', '')
  const blocks = block ? [Number(block)] : Array.from({ length: loops }, (_, nth) => seed * 1_000 + nth)
  const statuses = new Map<number, number>()
  let unfulfilled: string[] | undefined
  let [sent, readAgain] = [0, 0]
  for (const number of blocks) {
    const name = `block ${number}: no 5xx, and no status, header or body that the contract lacks`
    try {
      const fuzzed = await fuzz({ seed: number, requests: isShort ? requestsPerBlock / 5 : requestsPerBlock })
      sent += fuzzed.requests
      readAgain += fuzzed.readAgain
      for (const [status, count] of fuzzed.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count)
      unfulfilled = fuzzed.unfulfilled.filter((operation) => unfulfilled?.includes(operation) ?? true)
      verdict(name, true, `${fuzzed.requests} requests`)
    } catch (error) {
      const { message, cause } = error as Error
      const why = cause instanceof Error ? `${message} ${cause.message}` : message
      verdict(name, false, `${why.slice(0, 4_000)}\nRepeat: node bin/run.mjs chaos/fuzz.ts --block ${number}`)
    }
  }
  const counted = [...statuses].sort(([one], [other]) => one - other)
  metric('requests', `${sent} of seed ${seed}`)
  metric('responses', counted.map(([status, count]) => `${status}: ${count}`).join(', '))
  metric('records read again', readAgain)
  metric('operations without a successful response', unfulfilled?.join(', ') || 'none')
}
