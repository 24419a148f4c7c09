import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, after, suite, test } from 'node:test'
import type { NodeProcess } from './node-process.ts'
import { parseMetrics, valueOf, type ParsedMetrics } from './prometheus-text.ts'
import { startTestProcess } from './test-process.ts'
import { openWorld, type World } from './world.ts'

/** What an API process and a worker of their own export right after their start. */

let world: World
let processes: NodeProcess[]
let api: ParsedMetrics

const scrape = async (url: string | undefined) => parseMetrics(await (await fetch(`${url}/metrics`)).text())

before(async () => {
  world = await openWorld()
  const env = {
    PORT: '0',
    METRICS_PORT: '0',
    DATABASE_URL: world.config.database.url,
    VACANCY_HOME: world.config.home,
    OIDC_ISSUER: world.config.identity.issuer,
    OIDC_AUDIENCE: world.config.identity.audience,
    SECRET_KEYS: `test:${randomBytes(32).toString('base64')}`,
    LOG_LEVEL: 'silent',
  }
  processes = await Promise.all([startTestProcess('api', env), startTestProcess('worker', env)])
  const [apiFacts] = processes.map(({ facts }) => facts)
  api = await scrape(apiFacts?.url)
})
after(async () => {
  for (const one of processes) await one[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

suite('metrics right after the start', () => {
  test('an idle API process has no caller that waits for a connection', () =>
    assert.equal(valueOf(api, 'vacancy_database_waiting'), 0))
})
