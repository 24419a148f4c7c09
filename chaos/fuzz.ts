// Is every answer to whatever can be sent as the contract says, and all that was stored readable afterwards?
import { randomInt } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fuzz, type Fuzzed } from '../server/test/attacks/fuzzing.ts'
import { openTestParts } from '../server/test/parts.ts'

// node bin/run.mjs chaos/fuzz.ts [--seed N] [--requests 30000]; --block N tries one block again, as a failure says.
const { values } = parseArgs({
  options: { seed: { type: 'string' }, requests: { type: 'string' }, block: { type: 'string' } },
})
const requests = Number(values.requests ?? 30_000)
const seed = Number(values.seed ?? randomInt(1_000_000))
/** Each block has a world of its own: what was drawn is found again soon, and a house that sells nothing is left. */
const inBlock = 5_000
const blocks = values.block
  ? [Number(values.block)]
  : Array.from({ length: Math.ceil(requests / inBlock) }, (_, nth) => seed * 1_000 + nth)

const home = mkdtempSync(join(tmpdir(), 'vacancy-fuzz-'))
chmodSync(home, 0o711)
const parts = await openTestParts({ home, env: process.env })
Object.assign(process.env, parts.env)
try {
  process.exitCode = await run()
} finally {
  await parts.close()
  rmSync(home, { recursive: true, force: true })
}

async function run(): Promise<number> {
  const statuses = new Map<number, number>()
  let unfulfilled: string[] | undefined
  let [asked, readAgain, failures] = [0, 0, 0]
  const begun = performance.now()
  for (const [nth, block] of blocks.entries()) {
    const wanted = values.block ? inBlock : Math.min(inBlock, requests - nth * inBlock)
    const fuzzed = await tried(block, wanted)
    if (!fuzzed) failures += 1
    else {
      asked += fuzzed.requests
      readAgain += fuzzed.readAgain
      for (const [status, count] of fuzzed.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count)
      unfulfilled = fuzzed.unfulfilled.filter((name) => unfulfilled?.includes(name) ?? true)
    }
    console.log(
      `block ${block}: ${fuzzed ? `${fuzzed.requests} requests, ${fuzzed.readAgain} records read again` : 'FAILED'}`,
    )
  }
  const seconds = Math.round((performance.now() - begun) / 1_000)
  const counted = [...statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => `${status}: ${count}`)
  console.log(
    `seed ${seed}: ${asked} requests in ${seconds} s under load ${loadavg()[0]!.toFixed(1)}; ${counted.join(', ')}`,
  )
  console.log(`${readAgain} records were read again; never fulfilled: ${unfulfilled?.join(', ') || 'none'}`)
  console.log(
    failures === 0
      ? 'PASS: no 5xx, no status, header or body that is not stated'
      : `FAIL: ${failures} blocks`,
  )
  return failures === 0 ? 0 : 1
}

async function tried(block: number, wanted: number): Promise<Fuzzed | undefined> {
  try {
    return await fuzz({ seed: block, requests: wanted })
  } catch (error) {
    const { message, cause } = error as Error
    console.error(`${message}\n${cause instanceof Error ? cause.message : ''}`)
    console.error(`Again: node bin/run.mjs chaos/fuzz.ts --block ${block}`)
    return undefined
  }
}
