import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addUnit, noIds, unknownId } from '#test/records.ts'
import { atPms, addLinkedUnit, changeAtPms, until, type LinkedUnit } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

/** How messages are processed: each once, in any order, with an alert for those that fail. */

const { world, owner } = shareWorld({ workers: true })
let database: Database
let number = 0
const path = '/api/v1/webhook-messages'

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})

const sendMessage = async (
  { targetId }: Pick<LinkedUnit, 'targetId'>,
  type: string,
  data: object = {},
  more: object = {},
) => {
  const id = `evt_${++number}`
  const reply = await world.caller(null).post(`/webhooks/pms/${targetId}`, { id, type, data, ...more })
  assert.deepEqual(expectStatus(reply, 200), { received: true })
  return id
}
const listMessages = async ({ targetId }: Pick<LinkedUnit, 'targetId'>, query = '') =>
  expectStatus(await owner.get(`${path}?channel_target_id=${targetId}&limit=100${query}`), 200)
    .webhook_messages as {
    id: string
    message_id: string
    status: string
    attempts: number
    error_message: string
  }[]
const untilProcessed = (linked: LinkedUnit) =>
  until(
    () => listMessages(linked),
    (all) => all.every(({ status }) => status !== 'received'),
  )
const alerts = async ({ targetId }: LinkedUnit, query: string) =>
  expectStatus(await owner.get(`/api/v1/alerts?channel_target_id=${targetId}&${query}`), 200).alerts
const bookings = async ({ targetId }: LinkedUnit) => {
  const [rows] = await database.pipelined({ orgId: null }, [
    sql`select external_id, status, guest_name, total_cents::int, lower(nights)::text as arrival, source from bookings
      where channel_target_id = ${targetId} order by external_id`,
  ])
  return rows as { external_id: string; status: string; guest_name: string; arrival: string }[]
}
const stay = (linked: LinkedUnit, external_id: string, more: object = {}) => ({
  external_id,
  unit_external_id: linked.externalId,
  guest_name: 'Ada',
  check_in: '2031-07-01',
  check_out: '2031-07-04',
  total_cents: 36_000,
  currency: 'EUR',
  revised_at: '2031-01-01T00:00:00Z',
  ...more,
})

suite('webhook messages: happy', () => {
  test('processes a ping, ignores an unknown kind, and returns both with their body', async () => {
    const linked = await addLinkedUnit(owner)
    await sendMessage(linked, 'ping')
    await sendMessage(linked, 'coffee.ready', { cups: 2 })
    const [other, ping] = await untilProcessed(linked)
    assert.deepEqual([other!.status, ping!.status, ping!.attempts], ['ignored', 'processed', 1])
    const reply = await owner.get(`${path}/${other!.id}`)
    const { webhook_message: whole } = expectStatus(reply, 200)
    assert.deepEqual(whole.body, { id: other!.message_id, type: 'coffee.ready', data: { cups: 2 } })
    assert.ok(reply.headers.get('etag') && !('body' in other!))
    for (const query of ['&status=ignored', '&kind=coffee.ready'])
      assert.deepEqual(
        (await listMessages(linked, query)).map(({ id }) => id),
        [other!.id],
      )
    assert.equal((await listMessages(linked, '&received_from=2020-01-01T00:00:00Z')).length, 2)
  })

  test('does not process a copy again', async () => {
    const linked = await addLinkedUnit(owner)
    const id = await sendMessage(linked, 'ping')
    const [first] = await untilProcessed(linked)
    for (let copy = 2; copy <= 4; copy++)
      expectStatus(
        await world.caller(null).post(`/webhooks/pms/${linked.targetId}`, { id, type: 'ping' }),
        200,
      )
    const [jobs] = await database.pipelined({ orgId: null }, [
      sql`select id from queue.jobs where data -> 'payload' ->> 'messageId' = ${first!.id}`,
    ])
    assert.equal(jobs.length, 0)
    assert.deepEqual(
      (await listMessages(linked)).map(({ id, attempts }) => [id, attempts]),
      [[first!.id, 1]],
    )
  })

  test('corrects a change that was made at the PMS', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    await changeAtPms(world, linked, { base_price_cents: 1 })
    await sendMessage(linked, 'rate.updated', { unit_external_id: linked.externalId })
    await until(
      () => atPms(world, linked),
      (unit) => unit?.['base_price_cents'] === 10_000,
    )
    await world.settled()
    const entries = expectStatus(
      await owner.get(`/api/v1/sync/audit?channel_listing_id=${linked.listingId}&trigger=webhook`),
      200,
    ).audit
    assert.ok(entries.length > 0)
  })

  test('raises an alert while a connection is disabled at the PMS', async () => {
    const linked = await addLinkedUnit(owner)
    await world.settled()
    for (const [kind, open] of Object.entries({ 'connection.disabled': 1, 'connection.enabled': 0 })) {
      await sendMessage(linked, kind)
      await until(
        () => alerts(linked, 'status=open&kind=target.error'),
        ({ length }) => length === open,
      )
    }
  })

  test('reaches the same bookings in every order, with every message twice', async () => {
    const linked = await addLinkedUnit(owner)
    const at = (day: number) => ({ revised_at: `2031-01-0${day}T00:00:00Z` })
    const story = (name: string, check_in: string, check_out: string) =>
      [
        ['booking.created', stay(linked, name, { check_in, check_out, ...at(1) })],
        ['booking.updated', stay(linked, name, { check_in, check_out, guest_name: 'Grace', ...at(2) })],
      ] as [string, object][]
    const gone: [string, object] = [
      'booking.cancelled',
      stay(linked, 'B', { check_in: '2031-08-01', check_out: '2031-08-03', ...at(3) }),
    ]
    const inOrder = [
      ...story('A', '2031-07-01', '2031-07-04'),
      ...story('B', '2031-08-01', '2031-08-03'),
      gone,
    ]
    const orders = [inOrder, inOrder.toReversed(), [...inOrder.slice(2), ...inOrder.slice(0, 2)]]
    for (const [round, order] of orders.entries()) {
      const named = order.map(([type, data]) => {
        const { external_id } = data as { external_id: string }
        const month = 7 + round
        const moved = Object.fromEntries(
          Object.entries(data).map(([name, value]) => [
            name,
            name.startsWith('check_') ? String(value).replace('2031', String(2031 + month)) : value,
          ]),
        )
        return [type, { ...moved, external_id: `${round}-${external_id}` }] as const
      })
      for (const [type, data] of [...named, ...named]) await sendMessage(linked, type, data)
    }
    await untilProcessed(linked)
    const ends = (await bookings(linked)).map((one) => [one.external_id, one.status, one.guest_name])
    assert.deepEqual(
      ends,
      [0, 1, 2].flatMap((round) => [
        [`${round}-A`, 'confirmed', 'Grace'],
        [`${round}-B`, 'cancelled', 'Ada'],
      ]),
    )
  })

  test('applies a replayed booking after its unit was linked', async () => {
    const linked = await addLinkedUnit(owner)
    const late = { ...linked, externalId: 'LATE' }
    await sendMessage(linked, 'booking.created', stay(late, 'L-1'))
    const [first] = await untilProcessed(linked)
    assert.equal((await alerts(linked, 'status=open&kind=booking.conflict')).length, 1)
    const unit = await addUnit(owner)
    await addListing(owner, { unit_id: unit.id, channel_target_id: linked.targetId, external_id: 'LATE' })
    const key = { 'idempotency-key': 'again' }
    const reply = await owner.post(`${path}/${first!.id}/replay`, undefined, key)
    assert.equal(expectStatus(reply, 201).webhook_message.status, 'received')
    assert.equal((await owner.post(`${path}/${first!.id}/replay`, undefined, key)).text, reply.text)
    await untilProcessed(linked)
    assert.deepEqual(
      (await bookings(linked)).map((one) => [one.external_id, one.status]),
      [['L-1', 'confirmed']],
    )
  })
})

suite('webhook messages: error', () => {
  test('raises an alert for a booking that does not fit, and keeps the existing one', async () => {
    const linked = await addLinkedUnit(owner)
    await sendMessage(linked, 'booking.created', stay(linked, 'F-1'))
    await untilProcessed(linked)
    await sendMessage(linked, 'booking.created', stay(linked, 'F-2'))
    await untilProcessed(linked)
    assert.deepEqual(
      (await bookings(linked)).map((one) => one.external_id),
      ['F-1'],
    )
    const [alert] = await alerts(linked, 'status=open&kind=booking.conflict')
    assert.equal(alert.details.external_id, 'F-2')
  })

  test('marks an unusable message as failed with the reason, and raises an alert', async () => {
    const linked = await addLinkedUnit(owner)
    await sendMessage(linked, 'booking.created', stay(linked, 'X-1', { external_id: null }))
    const [one] = await untilProcessed(linked)
    assert.equal(one!.status, 'failed')
    assert.match(one!.error_message, /external_id/)
    const [alert] = await alerts(linked, 'status=open&kind=sync.failed')
    assert.equal(alert.details.webhook_message_id, one!.id)
  })

  test('returns 404 for an unknown id, 400 for an invalid id or filter', async () => {
    expectProblem(await owner.get(`${path}/${unknownId}`), 404, 'not-found')
    expectProblem(await owner.post(`${path}/${unknownId}/replay`), 404, 'not-found')
    for (const id of noIds) expectProblem(await owner.get(`${path}/${id}`), 400, 'validation-error', '/id')
    for (const query of ['status=done', 'received_from=yesterday', 'sort=kind', 'channel_target_id=1'])
      expectProblem(await owner.get(`${path}?${query}`), 400, 'validation-error')
  })
})

suite('webhook messages: security', () => {
  test('hides messages from other organizations, and forbids replay without permission to write', async () => {
    const linked = await addLinkedUnit(owner)
    await sendMessage(linked, 'ping')
    const [one] = await untilProcessed(linked)
    const stranger = await world.away.as('owner')
    expectProblem(await stranger.get(`${path}/${one!.id}`), 404, 'not-found')
    expectProblem(await stranger.post(`${path}/${one!.id}/replay`), 404, 'not-found')
    for (const query of ['', `?channel_target_id=${linked.targetId}`])
      assert.deepEqual(expectStatus(await stranger.get(`${path}${query}`), 200).webhook_messages, [])
    const reader = await world.home.as('service', { permissions: ['webhook_messages:read'] })
    expectStatus(await reader.get(`${path}/${one!.id}`), 200)
    expectProblem(await reader.post(`${path}/${one!.id}/replay`), 403, 'forbidden')
  })
})
