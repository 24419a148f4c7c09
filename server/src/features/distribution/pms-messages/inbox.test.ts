import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addTarget, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

/** What the inbox stores, for which target, and what it rejects. No worker runs. */

const { world, owner } = shareWorld()
let pms: TestCaller
let database: Database
let targetId: string
let number = 0
const path = '/webhooks/pms'

before(async () => {
  pms = world.caller(null)
  database = openOwner(world.databaseUrl)
  targetId = (await addTarget(owner)).id
  world.defer(() => database.close())
})

const query = async <Row>(statement: Statement<Row>) =>
  (await database.pipelined({ orgId: null }, [statement]))[0]
type Message = Record<'id' | 'kind' | 'message_id' | 'source' | 'received_at', string> & { copies: number }
const listStored = async (id = targetId): Promise<Message[]> =>
  expectStatus(await owner.get(`/api/v1/webhook-messages?channel_target_id=${id}&limit=100`), 200)
    .webhook_messages
const unrouted = () => query(sql`select * from unrouted_webhooks`)
const jobs = () =>
  query(sql<{
    data: { job: string; traceparent: string; org_id: string; payload: { messageId: string; body: object } }
  }>`
    select data from queue.jobs where data ->> 'job' like 'pms.%' order by created_at desc`)
const message = (fields: object = {}) => ({ id: `evt_${++number}`, type: 'ping', ...fields })
const received = async (reply: ReturnType<TestCaller['post']>) =>
  assert.deepEqual(expectStatus(await reply, 200), { received: true })
const sendRaw = (body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
  pms.send('POST', `${path}/${targetId}`, {
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })

suite('inbox: happy', () => {
  test('stores a message with its job and trace before it returns 200', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const body = message({
      type: 'booking.created',
      data: { external_id: 'B-1' },
      timestamp: '2030-01-02T03:04:05Z',
    })
    await received(pms.post(`${path}/${targetId}`, body, { traceparent: `00-${trace}-00f067aa0ba902b7-01` }))
    const [job] = await jobs()
    assert.equal(job!.data.job, 'pms.booking.created')
    assert.equal(job!.data.org_id, world.home.id)
    assert.equal(job!.data.traceparent.split('-')[1], trace)
    assert.deepEqual(job!.data.payload.body, body)
    const [one] = await listStored()
    const { id, received_at, ...rest } = one!
    assert.equal(job!.data.payload.messageId, id)
    assert.ok(Date.now() - Date.parse(received_at) < 60_000)
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: world.home.accountId,
      channel_target_id: targetId,
      source: 'generic',
      kind: 'booking.created',
      message_id: body.id,
      status: 'received',
      attempts: 0,
      error_message: null,
      copies: 1,
      signed: false,
      occurred_at: '2030-01-02T03:04:05.000Z',
      processed_at: null,
    })
  })

  test('reads the kind from type, event or event_type', async () => {
    const kinds = [
      { type: 'Unit.Updated' },
      { event: 'rate.updated' },
      { event_type: 'ping' },
      {},
      { type: 5 },
      { type: 'a b' },
    ]
    const before = (await listStored()).length
    for (const fields of kinds)
      await received(pms.post(`${path}/${targetId}`, { id: `evt_${++number}`, ...fields }))
    assert.deepEqual(
      (await listStored()).slice(0, -before).map(({ kind }) => kind),
      ['unknown', 'unknown', 'unknown', 'ping', 'rate.updated', 'unit.updated'],
    )
  })

  test('reads the target from the path, the query or the body', async () => {
    const { id } = await addTarget(owner)
    await received(pms.post(`${path}/${id}`, message()))
    await received(pms.post(`${path}?target=${id}`, message()))
    await received(pms.post(path, message({ channel_target_id: id })))
    assert.equal((await listStored(id)).length, 3)
  })

  test('maps the events of Channex and Hostaway to our kinds', async () => {
    const base = { base_url: 'http://127.0.0.1:9' }
    const channex = await addTarget(owner, {
      config: { ...base, provider: 'channex', property_ref: 'P-1', credentials: { api_key: 'k' } },
    })
    const hostaway = await addTarget(owner, {
      config: { ...base, provider: 'hostaway', credentials: { api_key: 'k', account_id: '10660' } },
    })
    await addListing(owner, { channel_target_id: hostaway.id, external_id: '94517' })
    await query(sql`update channel_targets set status = 'active' where id in (${channex.id}, ${hostaway.id})`)
    const revision = { booking_id: 'b', revision_id: 'r-1', property_id: 'P-1' }
    for (const event of ['booking_new', 'booking_modification', 'booking_cancellation', 'ari'])
      await received(
        pms.post(path, { event, payload: revision, timestamp: '2030-01-01T00:00:00.123456', user_id: null }),
      )
    await received(
      pms.post(path, { event: 'booking_new', payload: revision, timestamp: '2030-01-01T00:00:09' }),
    )
    assert.deepEqual(
      (await listStored(channex.id)).map(({ kind, copies, message_id }) => [kind, copies, message_id]),
      [
        ['availability.updated', 1, 'ari r-1'],
        ['booking.cancelled', 1, 'booking_cancellation r-1'],
        ['booking.updated', 1, 'booking_modification r-1'],
        ['booking.created', 2, 'booking_new r-1'],
      ],
    )
    const data = { id: 5, listingMapId: 94517, updatedOn: '2030-01-01 10:00:00' }
    for (const event of ['reservation.created', 'reservation.updated', 'message.received'])
      await received(pms.post(path, { object: 'reservation', event, accountId: 10660, data }))
    assert.deepEqual(
      (await listStored(hostaway.id)).map(({ kind, source }) => [kind, source]),
      [
        ['message.received', 'hostaway'],
        ['booking.updated', 'hostaway'],
        ['booking.created', 'hostaway'],
      ],
    )
  })

  test('stores a message of an unknown target as unrouted and returns 200', async () => {
    const before = (await unrouted()).length
    const known = (await listStored()).length
    for (const [place, fields] of [
      [path, {}],
      [path, { channel_target_id: unknownId }],
      [`${path}/${unknownId}`, { channel_target_id: targetId }],
      [`${path}/no-id`, { channel_target_id: targetId }],
      [path, { property_id: 'nobody' }],
    ] as const)
      await received(pms.post(place, message({ type: 'booking.created', ...fields })))
    assert.deepEqual([(await unrouted()).length, (await listStored()).length], [before + 5, known])
    const [job] = await jobs()
    assert.deepEqual([job!.data.job, job!.data.org_id], ['pms.booking.created', ''])
    const deleted = await addTarget(owner)
    await received(pms.post(`${path}/${deleted.id}`, message()))
    expectStatus(await owner.delete(`/api/v1/channel-targets/${deleted.id}`), 204)
    await received(pms.post(`${path}/${deleted.id}`, message()))
    assert.equal((await unrouted()).length, before + 6)
  })
})

suite('inbox: copies', () => {
  test('stores concurrent and later copies once, by webhook-id, id or bytes', async () => {
    const { id } = await addTarget(owner)
    const send = (body: object, headers = {}) => received(pms.post(`${path}/${id}`, body, headers))
    const named = message()
    await Promise.all(Array.from({ length: 20 }, () => send(named)))
    await Promise.all(Array.from({ length: 10 }, () => send(message(), { 'webhook-id': 'msg_1' })))
    await Promise.all(
      Array.from({ length: 10 }, () => send({ type: 'ping', timestamp: '2030-01-01T00:00:00Z' })),
    )
    await send({ type: 'ping', timestamp: '2030-01-01T00:00:01Z' })
    assert.deepEqual((await listStored(id)).map(({ copies }) => copies).sort(), [1, 10, 10, 20])
    const ids = new Set((await listStored(id)).map((one) => one.id))
    const asked = (await jobs()).filter(({ data }) => ids.has(data.payload.messageId))
    assert.equal(asked.length, 4)
  })

  test('stores messages with the same id for two targets separately', async () => {
    const [one, two] = [await addTarget(owner), await addTarget(owner)]
    for (const { id } of [one, two]) await received(pms.post(`${path}/${id}`, { id: 'same', type: 'ping' }))
    assert.deepEqual([(await listStored(one.id)).length, (await listStored(two.id)).length], [1, 1])
  })
})

suite('inbox: error', () => {
  test('returns 400 for no JSON object, 413 for a large body, 415 for another content type', async () => {
    for (const body of ['null', '[]', '"x"', '5', '[{}]', '', '{"a":', 'a=b', '\ufffe', '{"a":1}{}'])
      expectProblem(await sendRaw(body), 400, 'malformed-json')
    expectProblem(await sendRaw(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])), 400, 'malformed-json')
    expectProblem(await sendRaw(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`), 400, 'malformed-json')
    expectProblem(await sendRaw(`{"a":${'['.repeat(100_000)}`), 400, 'malformed-json')
    expectProblem(await sendRaw(`{"a":"${'x'.repeat(1_048_576)}"}`), 413, 'payload-too-large')
    expectProblem(await sendRaw('{}', { 'content-type': 'text/plain' }), 415, 'unsupported-media-type')
  })

  test('replaces characters that cannot be stored', async () => {
    const odd = `{"id":"odd-${++number}","type":"ping","data":{"guest":"Ad\\u0000a \\ud800","n":1e400,"id":123456789012345678901234567890,"__proto__":{"x":1},"deep":${'['.repeat(29)}${']'.repeat(29)}}}`
    await received(sendRaw(odd))
    const [one] = await listStored()
    const { body } = expectStatus(await owner.get(`/api/v1/webhook-messages/${one!.id}`), 200).webhook_message
    assert.deepEqual([body.data.guest, body.data.n], ['Ad\ufffda \ufffd', null])
    const [row] = await query(sql<{ body: string }>`select body from webhook_messages where id = ${one!.id}`)
    assert.equal(row!.body, odd, 'to the letter')
  })

  test('stores a message of the maximum size', async () => {
    const frame = JSON.stringify(message({ data: '' }))
    await received(sendRaw(frame.replace('""', `"${'x'.repeat(1_048_576 - frame.length)}"`)))
  })

  test('masks card data and secrets before it stores a message', async () => {
    const card = '4111111111111111'
    const data = {
      ccNumber: card,
      guarantee: { card_number: card, cvv: '123', expiration_date: '10/30' },
      api_key: 'k',
    }
    await received(pms.post(`${path}/${targetId}`, message({ data })))
    const everything = JSON.stringify([await query(sql`select * from webhook_messages`), await jobs()])
    assert.ok(!everything.includes(card) && !everything.includes('"123"'))
    assert.match(everything, /\*{8}/)
  })
})
