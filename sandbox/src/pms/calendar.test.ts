import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { callerOf, loft } from '../../test/pms-caller.ts'
import { night, range, today } from '../../test/pms-nights.ts'
import { startPms } from './server.ts'

let pms: Awaited<ReturnType<typeof startPms>>
before(async () => (pms = await startPms()))
after(() => pms.close())

const call = callerOf(() => pms.url)
const path = '/properties/p/calendar'

async function unit(externalId: string, property = 'p') {
  await call('PUT', `/properties/${property}/units/${externalId}`, loft)
}

async function shown(externalId: string, from = -3, to = 2000) {
  const { body } = await call('GET', `${path}?external_id=${externalId}&from=${night(from)}&to=${night(to)}`)
  return body.units[0]
}

const terms = {
  price_cents: 12_000,
  min_stay_arrival: 2,
  min_stay_through: 1,
  max_stay: 14,
  closed_to_arrival: false,
  closed_to_departure: true,
  stop_sell: false,
}

describe('values', () => {
  test('equal adjacent nights are one run, and nights without a value are left out', async () => {
    await unit('filled')
    const external_id = 'filled'
    const { status, body } = await call('POST', path, {
      rooms: [
        { external_id, ...range(0, 3), available: 2 },
        { external_id, ...range(4, 9), available: 2 },
        { external_id, ...range(12), available: 0 },
      ],
      rates: [
        { external_id, rate_plan: 'bar', ...range(0, 499), ...terms },
        { external_id, rate_plan: 'bar', ...range(2, 3), max_stay: null, stop_sell: true },
        { external_id, rate_plan: null, ...range(5), price_cents: 900 },
      ],
    })
    assert.deepEqual([status, body], [200, { accepted: 6, refused: [] }])
    assert.deepEqual(await shown('filled'), {
      external_id,
      rooms: [
        { ...range(0, 9), available: 2 },
        { ...range(12), available: 0 },
      ],
      rates: [
        { rate_plan: 'bar', ...range(0, 1), ...terms },
        { rate_plan: 'bar', ...range(2, 3), ...terms, max_stay: null, stop_sell: true },
        { rate_plan: 'bar', ...range(4, 499), ...terms },
        { rate_plan: null, ...range(5), price_cents: 900 },
      ],
    })
    assert.deepEqual((await shown('filled', 3, 5)).rooms, [{ ...range(3, 5), available: 2 }])
  })

  test('nights can be sent in any order', async () => {
    await unit('order')
    const external_id = 'order'
    for (const [day, available] of [
      [400, 1],
      [0, 2],
      [1700, 3],
      [1, 2],
    ] as const)
      await call('POST', path, { rooms: [{ external_id, ...range(day), available }] })
    assert.deepEqual((await shown('order')).rooms, [
      { ...range(0, 1), available: 2 },
      { ...range(400), available: 1 },
      { ...range(1700), available: 3 },
    ])
  })

  test('a refused value does not affect the others', async () => {
    await unit('judged')
    const room = { external_id: 'judged', ...range(1), available: 1 }
    const rate = { external_id: 'judged', rate_plan: 'bar', ...range(1), price_cents: 1 }
    const { body } = await call('POST', path, {
      rooms: [
        room,
        { ...room, external_id: 'nowhere' },
        { ...room, ...range(-1, 5) },
        { ...room, date_from: night(2) },
        { ...room, available: -1 },
        { ...room, date_to: '2026-02-30' },
        { ...room, stop_sell: true },
        { ...room, ...range(1, 4000) },
        null,
      ],
      rates: [
        { ...rate, price_cents: undefined },
        { ...rate, max_stay: 0 },
        { ...rate, rate_plan: undefined },
        { ...rate, constructor: 1 },
        { ...rate, closed_to_arrival: 'no' },
        rate,
      ],
    })
    assert.equal(body.accepted, 2)
    assert.deepEqual(
      body.refused.map(({ list, index, code }: Record<string, string>) => `${list} ${index} ${code}`),
      [
        'rooms 1 unknown_unit',
        'rooms 2 past_date',
        ...[3, 4, 5, 6, 7, 8].map((index) => `rooms ${index} invalid`),
        ...[0, 1, 2, 3, 4].map((index) => `rates ${index} invalid`),
      ],
    )
    assert.match(body.refused[3].message, /^available must be a whole number/)
    assert.deepEqual(await shown('judged'), {
      external_id: 'judged',
      rooms: [{ ...range(1), available: 1 }],
      rates: [{ rate_plan: 'bar', ...range(1), price_cents: 1 }],
    })
  })

  test('a body or a query of another shape is 422', async () => {
    for (const body of [[], { rooms: {} }, { rates: 'none' }, { nights: [] }])
      assert.equal((await call('POST', path, body)).status, 422)
    for (const query of ['', `?from=${night(1)}`, `?from=${night(2)}&to=${night(1)}`])
      assert.equal((await call('GET', path + query)).status, 422)
    assert.equal((await call('PUT', path, {})).status, 405)
  })

  test('a query without units returns all units of the property, and of no other', async () => {
    await unit('mine', 'alone')
    const { body } = await call('GET', `/properties/alone/calendar?from=${today}&to=${today}`)
    assert.deepEqual(body, { units: [{ external_id: 'mine', rooms: [], rates: [] }] })
    const other = await call('GET', `${path}?external_id=mine&from=${today}&to=${today}`)
    assert.deepEqual(other.body, { units: [] })
  })

  test('one call can carry a thousand rooms', async () => {
    await unit('large')
    const rates = Array.from({ length: 20_000 }, (_, index) => ({
      external_id: 'large',
      rate_plan: `plan ${Math.floor(index / 500)}`,
      ...range(index % 500),
      ...terms,
      price_cents: index,
    }))
    assert.deepEqual((await call('POST', path, { rates })).body, { accepted: 20_000, refused: [] })
    assert.equal((await shown('large')).rates.length, 20_000)
  })
})

describe('keys', () => {
  test('a repeated call gets the first answer and changes nothing; another call under its key is 409', async () => {
    await unit('key')
    const body = { rooms: [{ external_id: 'key', ...range(1), available: 3 }] }
    const headers = { 'idempotency-key': 'calendar' }
    const first = await call('POST', path, body, headers)
    await call('POST', path, { rooms: [{ ...body.rooms[0], available: 4 }] })
    const again = await call('POST', path, body, headers)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(again.body, first.body)
    assert.equal((await shown('key')).rooms[0].available, 4)
    assert.equal((await call('POST', path, { rooms: [] }, headers)).status, 409)
  })

  test('a call with refused values is evaluated again', async () => {
    const body = { rooms: [{ external_id: 'late', ...range(1), available: 3 }] }
    const headers = { 'idempotency-key': 'late' }
    assert.equal((await call('POST', path, body, headers)).body.refused[0].code, 'unknown_unit')
    await unit('late')
    assert.deepEqual((await call('POST', path, body, headers)).body, { accepted: 1, refused: [] })
  })
})

test('the calendar and its keys survive restarts and compaction', async () => {
  const home = mkdtempSync(join(tmpdir(), 'pms-'))
  const body = {
    rooms: [{ external_id: 'kept', ...range(0, 2), available: 1 }],
    rates: [{ external_id: 'kept', rate_plan: null, ...range(0, 2), ...terms, max_stay: null }],
  }
  const headers = { 'idempotency-key': 'kept' }
  const seen: unknown[] = []
  try {
    for (let round = 0; round < 3; round += 1) {
      const started = await startPms({ home })
      const call = callerOf(() => started.url)
      await call('PUT', '/properties/p/units/kept', loft)
      const reply = await call('POST', path, body, headers)
      assert.equal(reply.headers.get('idempotent-replayed'), round === 0 ? null : 'true')
      seen.push((await call('GET', `${path}?external_id=kept&from=${today}&to=${night(9)}`)).body)
      await started.close()
    }
  } finally {
    rmSync(home, { recursive: true })
  }
  assert.deepEqual(seen[2], {
    units: [
      {
        external_id: 'kept',
        rooms: [{ ...range(0, 2), available: 1 }],
        rates: [{ rate_plan: null, ...range(0, 2), ...terms, max_stay: null }],
      },
    ],
  })
  assert.deepEqual(seen, [seen[2], seen[2], seen[2]])
})
