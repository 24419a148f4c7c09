import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { expectStatus } from '#test/expect.ts'
import { parseMetrics, valueOf } from '#test/prometheus-text.ts'
import { outputOf, startCommand } from '#test/run-command.ts'
import { startTestProcess } from '#test/test-process.ts'
import {
  clearPmsFaults,
  addPmsFault,
  historyOf,
  addLinkedUnit,
  setPrice,
  statusOf,
  until,
} from '#test/linked-units.ts'
import { openWorld, type World } from '#test/world.ts'
import { wrongClock } from '#test/wrong-clock.ts'

/** A worker whose clock is wrong by an hour waits as long as another one, because stored times are those of the database. */

const secretKeys = `test:${randomBytes(32).toString('base64')}`
let world: World
let owner: TestCaller

before(async () => {
  world = await openWorld({ env: { SECRET_KEYS: secretKeys } })
  owner = await world.home.as('owner')
})
afterEach(() => clearPmsFaults(world))
after(() => world[Symbol.asyncDispose]())

const startWorker = (aheadMs: number) => startTestProcess('worker', environmentOf(aheadMs))

function environmentOf(aheadMs: number): Record<string, string> {
  return {
    ...wrongClock(world, aheadMs),
    DATABASE_URL: world.config.database.url,
    OIDC_ISSUER: world.config.identity.issuer,
    OIDC_AUDIENCE: world.config.identity.audience,
    SECRET_KEYS: secretKeys,
    GENERIC_PMS_URL: world.pms.url,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
  }
}

const secondsUntil = (time: string) => (Date.parse(time) - Date.now()) / 1_000

test('the doctor reports a wrong clock, and the metrics of a process show it', async () => {
  const clockOf = async (aheadMs: number) => {
    const { out } = await outputOf(startCommand(['doctor', '--json'], environmentOf(aheadMs)))
    const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean }[] }
    return checks.find(({ name }) => name === 'Clock')!.ok
  }
  assert.deepEqual(
    [await clockOf(0), await clockOf(3_600_000), await clockOf(-3_600_000)],
    [true, false, false],
  )
  await using worker = await startWorker(3_600_000)
  const metrics = parseMetrics(await (await fetch(`${worker.facts.monitoring_url}/metrics`)).text())
  const seconds = valueOf(metrics, 'vacancy_time_seconds')! - Date.now() / 1_000
  assert.ok(seconds > 3_500 && seconds < 3_700, `${seconds} s ahead`)
})

suite('a worker with a wrong clock', () => {
  for (const [name, aheadMs] of [
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
  ] as const)
    test(`${name}: waits as long as the PMS and its budget require`, async () => {
      await using _worker = await startWorker(aheadMs)
      const linked = await addLinkedUnit(owner, {
        debounce_ms: 0,
        rate_limit: { requests: 20, window_seconds: 60 },
      })
      await until(
        () => statusOf(owner, linked),
        (seen) => seen.status === 'completed',
      )
      const [first] = (await historyOf(owner, linked)).filter(({ action }) => action === 'sync.completed')
      assert.ok(first!.duration_ms! >= 0 && first!.duration_ms! < 30_000, `took ${first!.duration_ms} ms`)

      await addPmsFault(world, linked, { mode: 'refuse', status: 429, retry_after: 40 })
      await setPrice(owner, linked, 25_000)
      const waiting = await until(
        () => statusOf(owner, linked),
        (seen) => seen.next_attempt_at !== null,
      )
      const wait = secondsUntil(waiting.next_attempt_at!)
      assert.ok(wait > 25 && wait < 41, `waits ${wait} s`)

      const { sync_target } = expectStatus(await owner.get(`/api/v1/sync/targets/${linked.targetId}`), 200)
      const [budget] = sync_target.budgets
      assert.ok(budget.remaining >= 10 && budget.remaining < 20, `${budget.remaining} calls remain`)
      const next = secondsUntil(budget.next_call_at)
      assert.ok(next > 25 && next < 62, `the next call in ${next} s`)
    })
})
