import assert from 'node:assert/strict'
import fc from 'fast-check'
import { signature } from '../../../sandbox/src/payments/deliveries.ts'
import { callerFor, type Reply, type TestCaller } from '../caller.ts'
import { assertConforms, operationOf } from '../contract-conformance.ts'
import { openPopulatedWorld, type PopulatedWorld } from '../populated-world.ts'
import { picture } from '../uploads.ts'
import { anyRequest, isUpload, operationNamed, tried, type Draw, type Who } from './drawn-requests.ts'
import { openPool, type Pool } from './id-pool.ts'
import { assertAcceptable, type Sent } from './check-response.ts'
import { readEverything } from './reading-everything.ts'

/** Generates requests from the contract, sends them to a real server, and checks every response. */

export interface Fuzzed {
  requests: number
  statuses: Map<number, number>
  /** Operations that never succeeded. */
  unfulfilled: string[]
  /** Records that were read once more at the end. */
  readAgain: number
}

export interface FuzzOptions {
  seed: number
  requests: number
  /** Of an earlier failure: tries that request alone. */
  path?: string
  endOnFailure?: boolean
}

interface Ground {
  onslaught: PopulatedWorld
  pool: Pool
  as: Map<Who, TestCaller>
}

/** @throws with the seed and the smallest failing request when a response is wrong. */
export async function fuzz({ seed, requests, path, endOnFailure = false }: FuzzOptions): Promise<Fuzzed> {
  await using onslaught = await openPopulatedWorld()
  const pool = openPool(onslaught)
  const ground = { onslaught, pool, as: await callersOf(onslaught) }
  await learnFile(ground)
  const fuzzed: Fuzzed = { requests: 0, statuses: new Map(), unfulfilled: [], readAgain: 0 }
  const fulfilled = new Set<string>()
  const property = fc.asyncProperty(anyRequest, async (draw) => {
    const sent = await prepared(ground, draw)
    const reply = await send(ground, draw.as, sent)
    fuzzed.requests += 1
    fuzzed.statuses.set(reply.status, (fuzzed.statuses.get(reply.status) ?? 0) + 1)
    await explained(sent, reply, () => assertAcceptable(sent, reply))
    if (reply.status >= 300) return
    fulfilled.add(draw.name)
    remember(ground, sent, reply)
    if (draw.as === 'owner' && sent.method !== 'GET' && sent.method !== 'HEAD')
      await explained(sent, reply, () => readBack(ground, sent, reply))
  })
  await fc.assert(property, { seed, numRuns: requests, endOnFailure, ...(path !== undefined && { path }) })
  fuzzed.readAgain = await readEverything(ground.as.get('owner')!)
  fuzzed.unfulfilled = tried.map(({ name }) => name).filter((name) => !fulfilled.has(name))
  return fuzzed
}

async function callersOf({ world }: PopulatedWorld) {
  const roles = ['owner', 'admin', 'manager', 'staff', 'viewer', 'service'] as const
  // The long form takes longer than a token lives.
  const exp = Math.floor(Date.now() / 1_000) + 6 * 3_600
  const callers = await Promise.all(roles.map((role) => world.home.as(role, { exp })))
  return new Map<Who, TestCaller>([
    ...roles.map((role, nth) => [role, callers[nth]!] as const),
    ['nobody', callerFor(world.url, null)],
  ])
}

async function learnFile({ onslaught: { owner, ids }, pool }: Ground): Promise<void> {
  const { body } = await owner.get(`/api/v1/media/${ids['media_id']}`)
  pool.learn('file', new URL(body.media.url as string).pathname.split('/').at(-1)!)
}

async function prepared({ pool }: Ground, draw: Draw): Promise<Sent> {
  const operation = operationNamed(draw.name)
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    // Without an id the path is that of the list, which a final slash does not change.
    const text = textOf(pool.settled(pool.nameIn(operation, name), draw.id)).slice(0, 500) || '-'
    // The client itself would take such a step, and ask for something else.
    return /^\.{1,2}$/.test(text) ? 'dots' : encodeURIComponent(text.toWellFormed())
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(draw.query))
    for (const one of [pool.settled(name, value)].flat()) search.append(name, textOf(one))
  for (const [name, value] of draw.moreQuery) search.append(name, value)
  const body = isUpload(operation) ? await form(pool, draw) : textIn(pool, draw)
  const isJson = typeof body === 'string'
  const headers = Object.entries(draw.headers).map(([name, value]) => [
    name,
    textOf(pool.settled(name, value)),
  ])
  return {
    operation,
    method: draw.isHead ? 'HEAD' : operation.method,
    // More than this is refused before there is an operation to ask.
    path: `${path}?${search.toString().slice(0, 5_000).replace(/%.?$/, '')}`,
    headers: {
      ...(isJson && { 'content-type': draw.contentType ?? 'application/json' }),
      // The provider of payments proves that it is the sender.
      ...(isJson &&
        draw.name === 'POST /webhooks/payments' && { 'stripe-signature': signature(body, 'whsec_world') }),
      ...(Object.fromEntries(headers) as Record<string, string>),
    },
    body,
  }
}

function textIn(pool: Pool, { body, extra, cut }: Draw): string | undefined {
  if (body === undefined) return undefined
  const isRecord = typeof body === 'object' && body !== null && !Array.isArray(body)
  const settled = pool.settled('', body)
  const text = JSON.stringify(isRecord ? { ...(settled as object), ...extra } : settled)
  return cut === null ? text : text.slice(0, cut)
}

/** Half of the time a picture; otherwise the drawn bytes with the type of a picture. */
async function form(pool: Pool, { extra, cut, id }: Draw): Promise<FormData> {
  const found = new FormData()
  for (const [name, value] of Object.entries(extra)) found.append(name, textOf(value))
  if (typeof id === 'object' && id.nth % 3 === 0) found.append('unit_id', textOf(pool.settled('unit_id', id)))
  const bytes =
    cut === null ? new Uint8Array(await picture()) : new TextEncoder().encode('GIF89a'.repeat(cut))
  found.append('file', new Blob([bytes], { type: 'image/png' }), textOf(Object.keys(extra)[0] ?? 'a.png'))
  return found
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

const send = ({ as }: Ground, who: Who, { method, path, headers, body }: Sent) =>
  as.get(who)!.send(method, path, { headers, ...(body !== undefined && { body }) })

/** Adds created records to the pool of ids, and removes deleted ones. */
function remember({ pool }: Ground, { method, path }: Sent, reply: Reply): void {
  if (method === 'DELETE' && !/\/pause\?/.test(path)) pool.forget(/([^/]+)\?/.exec(path)![1]!)
  const etag = reply.headers.get('etag')
  if (etag) pool.learn('etag', etag)
  const body = reply.body as Record<string, unknown> | null
  if (typeof body?.['next_cursor'] === 'string') pool.learn('cursor', body['next_cursor'])
  for (const [name, record] of Object.entries(body ?? {}))
    if (typeof (record as { id?: unknown } | null)?.id === 'string')
      pool.learn(`${name}_id`, (record as { id: string }).id)
}

/** Stored records can be read, and match the contract. */
async function readBack({ as }: Ground, { method, path }: Sent, reply: Reply): Promise<void> {
  const location = reply.headers.get('location')
  const place = location ? new URL(location, 'http://x').pathname : path.split('?')[0]!
  const hasPage = location !== null || method === 'PUT' || method === 'PATCH'
  if (!hasPage) return
  const shown = assertConforms(operationOf('GET', place), await as.get('owner')!.get(place))
  assert.equal(shown.status, 200, `what was written is not shown: ${shown.text}`)
}

/** Adds the request and the response to the error. */
async function explained(sent: Sent, reply: Reply, work: () => void | Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { method, path, headers, body, operation } = sent
    const asked = `${method} ${path} ${JSON.stringify(headers)}\n${typeof body === 'string' ? body : body ? '(a form)' : ''}`
    throw new Error(
      `${operation.name}: ${(error as Error).message}\nAsked: ${asked.slice(0, 3_000)}\nAnswered: ${reply.status} ${reply.text.slice(0, 2_000)}`,
      { cause: error },
    )
  }
}
