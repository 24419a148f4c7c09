// Is every answer to whatever can be sent as the contract says, and all that was stored readable afterwards?
import { randomInt } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fuzz } from '../server/test/attacks/fuzzing.ts'
import { openTestParts } from '../server/test/parts.ts'
import { scenario, type Scene } from './scenario.ts'

/** Each block has a world of its own: what was drawn is found again soon, and a house that sells nothing is left. */
const inBlock = 5_000

// npm run chaos -- fuzz, or node bin/run.mjs chaos/fuzz.ts [--seed N] [--loops blocks]; --block N tries one again.
await scenario(import.meta, { loops: 6, short: 1 }, async (scene) => {
  const home = mkdtempSync(join(tmpdir(), 'vacancy-fuzz-'))
  chmodSync(home, 0o711)
  const parts = await openTestParts({ home, env: process.env })
  Object.assign(process.env, parts.env)
  try {
    await play(scene)
  } finally {
    await parts.close()
    rmSync(home, { recursive: true, force: true })
  }
})

async function play({ loops, isShort, option, verdict, figure }: Scene): Promise<void> {
  const seed = Number(option('seed', String(randomInt(1_000_000))))
  const block = option('block', '')
  const blocks = block ? [Number(block)] : Array.from({ length: loops }, (_, nth) => seed * 1_000 + nth)
  const statuses = new Map<number, number>()
  let unfulfilled: string[] | undefined
  let [asked, readAgain] = [0, 0]
  for (const number of blocks) {
    const name = `block ${number}: no 5xx, no status, header or body that is not stated`
    try {
      const fuzzed = await fuzz({ seed: number, requests: isShort ? inBlock / 5 : inBlock })
      asked += fuzzed.requests
      readAgain += fuzzed.readAgain
      for (const [status, count] of fuzzed.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count)
      unfulfilled = fuzzed.unfulfilled.filter((operation) => unfulfilled?.includes(operation) ?? true)
      verdict(name, true, `${fuzzed.requests} requests`)
    } catch (error) {
      const { message, cause } = error as Error
      const why = cause instanceof Error ? `${message} ${cause.message}` : message
      verdict(name, false, `${why.slice(0, 4_000)}\nAgain: node bin/run.mjs chaos/fuzz.ts --block ${number}`)
    }
  }
  const counted = [...statuses].sort(([one], [other]) => one - other)
  figure('requests', `${asked} of seed ${seed}`)
  figure('answers', counted.map(([status, count]) => `${status}: ${count}`).join(', '))
  figure('records read again', readAgain)
  figure('never fulfilled', unfulfilled?.join(', ') || 'none')
}
