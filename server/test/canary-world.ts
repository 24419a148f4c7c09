import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { listen, stopListening } from '../../sandbox/test/listen.ts'
import { callerFor, type TestCaller } from './caller.ts'
import { calendarOf, openCalendarServer } from './calendars.ts'
import { inDays } from './local-days.ts'
import { canaries, findSecret } from './canaries.ts'
import {
  connectEverywhere,
  openExternalServices,
  type ConnectedTarget,
  type ExternalServices,
} from './connected-targets.ts'
import { expectStatus } from './expect.ts'
import type { NodeProcess } from './node-process.ts'
import { startTestProcess } from './test-process.ts'
import { addUnit } from './records.ts'
import { until } from './linked-units.ts'
import { exerciseIntegrations } from './exercise-integrations.ts'
import { openWorld, type World } from './world.ts'

/** A product whose every secret is a canary, and everything that it sends, stores and logs. */
export interface CanaryWorld extends AsyncDisposable {
  world: World
  outside: ExternalServices
  api: NodeProcess
  worker: NodeProcess
  owner: TestCaller
  /** Who may read everything and write nothing. */
  viewer: TestCaller
  /** What the processes were given. */
  env: Record<string, string>
  connected: ConnectedTarget[]
  /** All spans, as they were sent. */
  spans(): string
  /** Everything that the stream of syncs has sent so far. */
  streamed(): string
  /** Fails when a secret shows in a text. */
  assertNoSecret(text: string, where: string): void
}

/** Everything is connected, and every listing has been pushed at least once. */
export async function openCanaryWorld(): Promise<CanaryWorld> {
  await using opened = new AsyncDisposableStack()
  const keyBytes = randomBytes(32).toString('base64')
  const collector = await openCollector(opened)
  const world = opened.use(await openWorld({ env: { SECRET_KEYS: `kept:${keyBytes}` } }))
  const outside = await openExternalServices(opened)
  const { config, pms, home } = world
  const env = {
    DATABASE_URL: config.database.url,
    VACANCY_HOME: config.home,
    OIDC_ISSUER: config.identity.issuer,
    OIDC_AUDIENCE: config.identity.audience,
    SECRET_KEYS: `kept:${keyBytes}`,
    GENERIC_PMS_URL: pms.url,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    INTERNAL_SERVICE_TOKEN: canaries.internal,
    PAYMENTS_URL: `${outside.echo.url}/401`,
    PAYMENTS_API_KEY: canaries.payments,
    PAYMENTS_WEBHOOK_SECRET: canaries.notices,
    PMS_WEBHOOK_SECRETS: `whsec_other,${canaries.webhooks}`,
    SMTP_URL: `smtp://vacancy:${canaries.mail}@127.0.0.1:1`,
    ...{
      SMS_URL: `${outside.echo.url}/401`,
      SMS_ACCOUNT: 'AC1',
      SMS_TOKEN: canaries.sms,
      SMS_FROM: '+15550100',
    },
    ...{ S3_BUCKET: 'vacancy', S3_ENDPOINT: `${outside.echo.url}/500` },
    ...{ S3_ACCESS_KEY: 'AKIAVACANCY', S3_SECRET_KEY: canaries.bucket },
    METRICS_TOKEN: canaries.figures,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${canaries.collector}`,
    OTEL_TRACES_SAMPLER_ARG: '1',
    LOG_LEVEL: 'debug',
  }
  const api = opened.use(await startTestProcess('api', { ...env, PORT: '0' }))
  const worker = opened.use(await startTestProcess('worker', env))
  const owner = callerFor(api.facts.url!, (await home.as('owner')).token)
  const viewer = callerFor(api.facts.url!, (await home.as('viewer')).token)
  const streamed = await openStream(opened, owner, api.facts.url!)
  const exportToken = await addFeeds(opened, owner, outside)
  const exported = await owner.get(`/calendars/${exportToken}.ics`)
  assert.equal(exported.status, 200)
  const connected = await connectEverywhere(world, outside, owner)
  const secrets = await exerciseIntegrations(owner, outside, connected[0]!)
  await until(
    () => Promise.all(connected.map(({ listingId }) => attemptsOf(owner, listingId))),
    (attempts) => attempts.every((count) => count > 0),
    60,
  )
  // A PostgreSQL that trusts every login has no password to show.
  const others = [keyBytes, exportToken, ...secrets, new URL(config.database.url).password].filter(Boolean)
  const kept = opened.move()
  return {
    ...{ world, outside, api, worker, owner, viewer, env, connected, streamed, spans: collector.received },
    assertNoSecret: (text, where) =>
      assert.equal(findSecret(text, others), null, `a secret shows in ${where}`),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function openCollector(opened: AsyncDisposableStack) {
  const received: string[] = []
  const server = createServer((request, response) => {
    request.on('data', (chunk) => received.push(String(chunk)))
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  })
  const url = await listen(server, {})
  opened.defer(() => stopListening(server))
  return { url, received: () => received.join('') }
}

async function openStream(opened: AsyncDisposableStack, { token }: TestCaller, url: string) {
  const stopping = new AbortController()
  const headers = { authorization: `Bearer ${token}` }
  const { body } = await fetch(`${url}/api/v1/sync/stream`, { headers, signal: stopping.signal })
  let received = ''
  const reading = (async () => {
    for await (const chunk of body!) received += Buffer.from(chunk).toString()
  })().catch(() => {})
  opened.defer(async () => {
    stopping.abort()
    await reading
  })
  return () => received
}

/**
 * Calendars that are read with a secret in their address: one works, one repeats it, one leads on, one is away. And
 * one of ours; its secret is the answer.
 */
async function addFeeds(
  opened: AsyncDisposableStack,
  owner: TestCaller,
  { echo }: ExternalServices,
): Promise<string> {
  const calendars = await openCalendarServer()
  opened.defer(() => calendars.close())
  const { id: unit_id } = await addUnit(owner)
  const there = calendars.serve('/ours.ics', calendarOf([inDays(3), inDays(5)]))
  const elsewhere = { location: `http://127.0.0.1:1/${canaries.feed}` }
  const leads = calendars.serve('/on', { status: 302, headers: elsewhere, body: '' })
  const feeds = [there, `${echo.url}/500/x.ics`, leads, 'http://127.0.0.1:1/x'].map((url) => ({
    ...{ unit_id, direction: 'import', name: 'Theirs', url: `${url}?token=${canaries.feed}` },
  }))
  const urls: string[] = []
  for (const feed of [...feeds, { unit_id, direction: 'export', name: 'Ours' }]) {
    const key = { 'idempotency-key': `feed-${urls.length}` }
    const made = await owner.post('/api/v1/calendar-feeds', feed, key)
    assert.deepEqual((await owner.post('/api/v1/calendar-feeds', feed, key)).body, made.body)
    urls.push(expectStatus(made, 201).calendar_feed.url)
  }
  return /calendars\/(.+)\.ics$/.exec(urls.at(-1)!)![1]!
}

async function attemptsOf(owner: TestCaller, listingId: string): Promise<number> {
  const { body } = await owner.get(`/api/v1/sync/audit?channel_listing_id=${listingId}&limit=50`)
  return body.audit.filter((entry: { finished_at: string | null }) => entry.finished_at !== null).length
}
