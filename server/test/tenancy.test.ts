import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import type { Reply, TestCaller } from './caller.ts'
import {
  asked,
  bodyFor,
  collectionOf,
  filled,
  operations,
  referencesIn,
  withReference,
  type Operation,
  type Schema,
} from './operations.ts'
import { addAlert, addCharge, addFeed, addMessage, addNotification, addQuote, addStop } from './records.ts'
import { addRefund } from './payments.ts'
import { addConflict } from './pms-bookings.ts'
import { link, until } from './stock.ts'
import { addMedia } from './uploads.ts'
import { addDelivery } from './webhook-receiver.ts'
import { openWorld, type World } from './world.ts'

/**
 * Every operation of the contract, tried by a stranger: an id of another organization answers exactly as an id
 * that nobody has, in paths, bodies and filters, and nothing of the other is ever shown.
 */

let world: World
let here: TestCaller
let there: TestCaller
/** What the other organization has: an id for each collection. */
let theirs: Map<string, string>
let ours: Map<string, string>
let theirRecords: string[]

const collections = operations.filter(
  ({ method, path, queryParameters }) =>
    method === 'GET' && !path.includes('{') && queryParameters.some(({ name }) => name === 'cursor'),
)

before(async () => {
  world = await openWorld({ workers: true })
  here = await world.home.as('owner')
  there = await world.away.as('owner')
  const linked = await Promise.all([link(here), link(there), link(there)])
  for (const [organization, caller, listing] of [
    [world.home, here, linked[0]],
    [world.away, there, linked[1]],
    [world.away, there, linked[2]],
  ] as const) {
    await addFeed(caller, { unit_id: listing.unitId })
    await addCharge(caller, { unit_id: listing.unitId })
    await addQuote(caller, { unit_id: listing.unitId, hold: true })
    await addStop(caller, { unit_id: listing.unitId })
    await addAlert(world, organization, listing)
    await addConflict(world, organization, listing.targetId)
    await addDelivery(world, organization)
    await addMessage(world, listing.targetId)
    await addNotification(caller)
    await addRefund(world, caller)
    await addMedia(caller, listing.spaceId, { unit_id: listing.unitId })
  }
  await world.settled()
  // An event shows when no older transaction is open, in the whole cluster.
  for (const caller of [here, there])
    await until(
      async () => (await caller.get('/api/v1/events?types=payment.refunded')).body.events.length as number,
      (shown) => shown > 0,
    )
  ours = await idsOf(here)
  theirs = await idsOf(there)
  theirRecords = await recordsOf(there)
})
after(() => world[Symbol.asyncDispose]())

async function idsOf(caller: TestCaller): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const { path } of collections) {
    const [record] = Object.values((await caller.get(asked(path))).body)[0] as { id?: string }[]
    assert.ok(record, `${path} is empty: nothing could be told apart`)
    if (record.id) found.set(path, record.id)
  }
  return found
}

async function recordsOf(caller: TestCaller): Promise<string[]> {
  const lists = await Promise.all(collections.map(({ path }) => caller.get(asked(path, 'limit=100'))))
  return lists.map(({ body }) => JSON.stringify(body))
}

const idIn = (known: Map<string, string>, name: string, path: string): string => {
  const id = known.get(collectionOf(name, path))
  assert.ok(id, `no record for ${name} of ${path}`)
  return id
}

/** A change of some members must name one at least. */
const isPatch = (schema: Schema, payload: object) =>
  Object.keys(payload).length === 0 && 'name' in (schema.properties ?? {})

const send = (
  operation: Operation,
  path: string,
  body: object | null,
  headers: Record<string, string> = {},
) =>
  here.send(operation.method, path, {
    ...(body && { body: JSON.stringify(body) }),
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
  })

/** All that an answer tells, with the id that was asked for and the id of the request made alike. */
function told({ status, headers, text }: Reply, id: string): object {
  const request = headers.get('x-request-id')!
  const names = [...headers.keys()].filter((name) => name !== 'date').sort()
  return { status, names, text: text.replaceAll(request, '<request>').replaceAll(id, '<id>') }
}

/** The same request with their id and with nobody's must tell the same. */
async function compare(theirId: string, ask: (id: string) => Promise<Reply>): Promise<Reply> {
  const nobodys = randomUUID()
  const [withTheirs, withNobodys] = [await ask(theirId), await ask(nobodys)]
  assert.deepEqual(told(withTheirs, theirId), told(withNobodys, nobodys))
  return withTheirs
}

suite('ids in paths', () => {
  for (const operation of operations.filter(
    ({ pathParameters, permission }) => pathParameters.length > 0 && permission !== 'none',
  ))
    test(operation.name, async () => {
      const { path, pathParameters, body } = operation
      const id = idIn(theirs, pathParameters[0]!.name, path)
      const payload = body && bodyFor(body, (name) => idIn(ours, name, path))
      if (payload && isPatch(body, payload)) payload['name'] = 'Taken over'
      for (const headers of [{}, { 'if-match': '*' }, { 'if-match': '"1.x"' }, { 'if-none-match': '*' }]) {
        const reply = await compare(id, (one) => send(operation, filled(path, one), payload, headers))
        assert.deepEqual([reply.status, reply.body.code], [404, 'not-found'], reply.text)
      }
      if (operation.method === 'GET') await compare(id, (one) => here.send('HEAD', filled(path, one), {}))
    })
})

suite('references in bodies', () => {
  for (const operation of operations)
    for (const name of operation.body ? referencesIn(operation.body) : [])
      test(`${operation.name}: ${name}`, async () => {
        const { path, body } = operation
        const payload = bodyFor(body!, (one) => idIn(ours, one, path))
        if (isPatch(body!, payload)) payload['name'] = 'Taken over'
        const place = path.includes('{') ? filled(path, idIn(ours, 'id', path)) : path
        const reply = await compare(idIn(theirs, name.split('/').at(-1)!, path), (id) =>
          send(
            operation,
            place,
            withReference(body!, payload, name, id, (one) => idIn(ours, one, path)),
          ),
        )
        assert.ok([404, 422].includes(reply.status), reply.text)
      })

  for (const operation of operations.filter(({ body }) => body?.properties?.['org_id']))
    test(`${operation.name}: org_id cannot be set`, async () => {
      const { path, body } = operation
      const payload = bodyFor(body!, (one) => idIn(ours, one, path))
      const place = path.includes('{') ? filled(path, idIn(ours, 'id', path)) : path
      const reply = await compare(world.away.id, (id) => send(operation, place, { ...payload, org_id: id }))
      assert.equal(reply.status, 400)
      const foreign = await compare(theirs.get('/api/v1/spaces')!, (id) =>
        send(operation, place, { ...payload, id }),
      )
      assert.equal(foreign.status, 400)
    })
})

suite('lists', () => {
  for (const { path, queryParameters } of collections) {
    test(`GET ${path} shows nothing of the other`, async () => {
      const { text } = await here.get(asked(path, 'limit=100'))
      for (const id of [world.away.id, world.away.accountId, ...theirs.values()])
        assert.ok(!text.includes(id), `${id} is shown`)
    })

    for (const { name } of queryParameters.filter(({ schema }) => schema.format === 'uuid'))
      test(`GET ${path}?${name}= filters, and never widens`, async () => {
        const id = name === 'job_id' ? await theirJob() : idIn(theirs, name, path)
        const reply = await compare(id, (one) => here.get(asked(path, `${name}=${one}`)))
        assert.deepEqual([reply.status, Object.values(reply.body)[0]], [200, []])
      })

    test(`GET ${path} refuses a cursor made for the other`, async () => {
      const { link: next } = Object.fromEntries((await there.get(asked(path, 'limit=1'))).headers)
      const stolen = next ? /cursor=([^&>]+)/.exec(next)![1] : 'AAAA'
      const reply = await here.get(asked(path, `limit=1&cursor=${stolen}`))
      assert.deepEqual([reply.status, reply.body.code], [400, 'invalid-cursor'])
    })
  }

  const theirJob = async () =>
    (await there.get('/api/v1/sync/audit')).body.audit.find((one: { job_id: string | null }) => one.job_id)
      .job_id
})

suite('what is kept for one is not given to the other', () => {
  test('an answer kept under an Idempotency-Key', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const body = { name: 'Same words' }
    const [made, other] = [
      await there.post('/api/v1/spaces', body, key),
      await here.post('/api/v1/spaces', body, key),
    ]
    assert.deepEqual([made.status, other.status], [201, 201])
    assert.notEqual(made.body.space.id, other.body.space.id)
    assert.equal(other.headers.get('idempotent-replayed'), null)
    await there.delete(`/api/v1/spaces/${made.body.space.id}`)
  })

  for (const { path } of operations.filter(({ isStream }) => isStream))
    test(`GET ${path} tells of our changes only`, async () => {
      const stopping = new AbortController()
      const headers = { authorization: `Bearer ${here.token}` }
      const answer = await fetch(`${world.url}${path}`, { headers, signal: stopping.signal })
      let heard = ''
      const listening = (async () => {
        for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) heard += chunk
      })().catch(() => {})
      const trigger = (caller: TestCaller, known: Map<string, string>) =>
        caller.post('/api/v1/sync/trigger', { channel_listing_id: known.get('/api/v1/channel-listings') })
      await trigger(there, theirs)
      await world.settled()
      await trigger(here, ours)
      await until(
        async () => heard,
        (text) => text.includes(ours.get('/api/v1/channel-listings')!),
      )
      stopping.abort()
      await listening
      assert.ok(!heard.includes(theirs.get('/api/v1/channel-listings')!), heard)
    })

  test('nothing of the other was changed by all of this', async () => {
    const quiet = (records: string) =>
      records.replace(/"(audit|sync_statuses|events)":\[.*?\],"next_cursor":[^,]*/gs, '')
    const stable = (records: string) => quiet(records).replace(/"last_synced_at":"[^"]*"/g, '')
    assert.deepEqual((await recordsOf(there)).map(stable), theirRecords.map(stable))
  })
})
