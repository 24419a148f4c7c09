import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { before, after, suite, test } from 'node:test'
import { failureCodes } from '#integrations/pms/pms-failure.ts'
import type { NodeProcess } from './node-process.ts'
import { parseMetrics, valueOf, type ParsedMetrics } from './prometheus-text.ts'
import { parseAlerts, parsePromql } from './promql.ts'
import { startTestProcess } from './test-process.ts'
import { openWorld, type World } from './world.ts'

/** What an API process and a worker of their own export right after their start, and how the alerts read it. */

const alerts = parseAlerts(
  readFileSync(resolve(import.meta.dirname, '../../observability/alerts.yaml'), 'utf8'),
)
let world: World
let processes: NodeProcess[]
let api: ParsedMetrics
let worker: ParsedMetrics

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
    // Nothing listens there.
    ...{ REDIS_URL: 'redis://vacancy', REDIS_SENTINELS: '127.0.0.1:9' },
    LOG_LEVEL: 'silent',
  }
  processes = await Promise.all([startTestProcess('api', env), startTestProcess('worker', env)])
  const [apiFacts, workerFacts] = processes.map(({ facts }) => facts)
  api = await scrape(apiFacts?.url)
  worker = await scrape(workerFacts?.monitoring_url)
})
after(async () => {
  for (const one of processes) await one[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

suite('metrics right after the start', () => {
  test('an idle API process has no caller that waits for a connection', () =>
    assert.equal(valueOf(api, 'vacancy_database_waiting'), 0))

  test('a Redis whose sentinels do not respond at the start is reported', () =>
    assert.equal(valueOf(api, 'vacancy_rate_limit_store_up'), 0))

  test('a worker does not say that the database is down', () => {
    assert.equal(valueOf(api, 'vacancy_database_up'), 1)
    assert.equal(valueOf(worker, 'vacancy_database_up'), undefined)
  })

  test('VacancyGone fires when workers run and no API process does', () => {
    const { expr } = alerts.find(({ alert }) => alert === 'VacancyGone')!
    for (const { name } of parsePromql(expr).metrics) {
      assert.notEqual(valueOf(api, name), undefined, name)
      assert.equal(valueOf(worker, name), undefined, name)
    }
  })

  test('VacancyPushesRefused counts the first pushes that a PMS rejects', () => {
    for (const code of failureCodes)
      assert.equal(valueOf(worker, 'vacancy_pushes_total', { outcome: 'failed', code }), 0, code)
  })
})
