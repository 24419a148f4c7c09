import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { openEgress } from '#egress/egress.ts'
import { startPms } from '../../../../../sandbox/src/pms/server.ts'
import { callerOf, loft } from '../../../../../sandbox/test/pms-caller.ts'
import { content, nights, buildUpdate, pushAll, readOne, terms } from '#test/pms-fixture.ts'
import type { PmsConnection, UnitLink } from '../pms.ts'
import { genericProvider } from './generic-provider.ts'

let stand: Awaited<ReturnType<typeof startPms>>
let pms: PmsConnection
const egress = openEgress({ allowsPrivate: true, allowsHttp: true })
before(async () => {
  stand = await startPms()
  pms = genericProvider(egress, stand.url).connect({
    baseUrl: null,
    property: 'p/1',
    credentials: { api_key: 'key' },
    timeoutMs: 5_000,
  })
  for (const id of ['a', 'b', 'c']) await call('PUT', `/properties/p%2F1/units/${id}`, loft)
})
afterEach(() => call('DELETE', '/_control/faults'))
after(async () => {
  await egress.close()
  await stand.close()
})

const call = callerOf(() => stand.url)

interface Arrived {
  readonly method: string
  readonly path: string
  readonly external_ids?: string[]
  readonly status: number
  readonly idempotency_key: string
  readonly traceparent: string
  readonly body: { rooms: Record<string, unknown>[]; rates: Record<string, unknown>[] } & Record<
    string,
    unknown
  >
}

/** What arrives while the work is done. */
async function arriving(work: () => Promise<unknown>): Promise<Arrived[]> {
  const { last } = (await call('GET', '/_control/calls')).body
  await work()
  return (await call('GET', `/_control/calls?after=${last}`)).body.calls
}

const callsOf = (calls: Arrived[]) =>
  calls.map(({ method, path }) => `${method} ${path.slice('/properties/p%2F1'.length)}`)

const link = (externalId: string): UnitLink => ({
  externalId,
  plans: [
    { plan: 'one', externalId: null },
    { plan: 'two', externalId: 'half board' },
  ],
})

test('the nights of all units are one call, closures first', async () => {
  const calls = await arriving(() =>
    pushAll(pms, [
      buildUpdate(link('a'), {
        rooms: [
          { ...nights(1), available: 2 },
          { ...nights(2), available: 0 },
        ],
        rates: [
          { plan: 'two', ...nights(1), price_cents: 100 },
          { plan: 'one', ...nights(1), stop_sell: true },
        ],
      }),
      buildUpdate(link('b'), { rooms: [{ ...nights(3), available: 0 }] }),
    ]),
  )
  assert.deepEqual(callsOf(calls), ['POST /calendar'])
  assert.deepEqual(calls[0]!.external_ids, ['a', 'b'])
  assert.deepEqual(calls[0]!.body, {
    rooms: [
      { external_id: 'a', ...nights(2), available: 0 },
      { external_id: 'b', ...nights(3), available: 0 },
      { external_id: 'a', ...nights(1), available: 2 },
    ],
    rates: [
      { external_id: 'a', rate_plan: null, ...nights(1), stop_sell: true },
      { external_id: 'a', rate_plan: 'half board', ...nights(1), price_cents: 100 },
    ],
  })
})

test('sends the calendar before the content, and only changed content', async () => {
  const one = buildUpdate(link('a'), {
    content: { ...content, name: 'Other', open: false },
    changedFields: ['name', 'open'],
    rooms: [{ ...nights(1), available: 2 }],
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  })
  const calls = await arriving(() => pushAll(pms, [one]))
  assert.deepEqual(callsOf(calls), ['POST /calendar', 'PATCH /units/a'])
  assert.deepEqual(calls[1]!.body, { name: 'Other', open: false })
  assert.equal(calls[1]!.idempotency_key, one.idempotencyKey)
  assert.ok(calls[0]!.idempotency_key.startsWith(`${one.idempotencyKey}-`))
  for (const { traceparent } of calls) assert.equal(traceparent.slice(3, 35), one.traceparent!.slice(3, 35))
})

test('equal bodies have equal keys, and different ones different keys', async () => {
  const one = (available: number) => ({
    ...buildUpdate(link('a'), { rooms: [{ ...nights(4), available }] }),
    idempotencyKey: 'same',
  })
  const calls = await arriving(async () => {
    for (const available of [3, 3, 4]) await pushAll(pms, [one(available)])
  })
  const keys = calls.map(({ idempotency_key: key }) => key)
  assert.equal(keys[0], keys[1])
  assert.notEqual(keys[1], keys[2])
})

test('creates new units one by one, then sends their nights in one call', async () => {
  const fresh = ['n1', 'n2'].map((id) =>
    buildUpdate(link(id), { changedFields: 'all', rooms: [{ ...nights(1), available: 1 }] }),
  )
  const known = buildUpdate(link('b'), { rooms: [{ ...nights(1), available: 1 }] })
  const calls = await arriving(() => pushAll(pms, [fresh[0]!, known, fresh[1]!]))
  assert.deepEqual(
    calls.map(({ method, external_ids: ids }) => [method, ids]),
    [
      ['POST', ['b']],
      ['PUT', undefined],
      ['PUT', undefined],
      ['POST', ['n1', 'n2']],
    ],
  )
})

test('sends an unknown unit in full', async () => {
  const calls = await arriving(() =>
    pushAll(pms, [
      buildUpdate(link('lost-1'), { changedFields: ['name'], rooms: [{ ...nights(1), available: 1 }] }),
      buildUpdate(link('lost-2'), { changedFields: ['name'] }),
    ]),
  )
  assert.deepEqual(callsOf(calls), [
    'POST /calendar',
    'PUT /units/lost-1',
    'POST /calendar',
    'PATCH /units/lost-2',
    'PUT /units/lost-2',
  ])
  assert.equal(calls[4]!.idempotency_key, `${calls[3]!.idempotency_key}-whole`)
  assert.equal((await readOne(pms, link('lost-2'))).content.name, content.name)
})

test('one refused value leaves the others of its update, and the content, accepted', async () => {
  await call('PUT', '/_control/faults', {
    mode: 'refuse_values',
    external_id: 'c',
    rate_plan: 'half board',
    message: 'Too cheap for half board.',
  })
  const one = buildUpdate(link('c'), {
    changedFields: ['name'],
    rooms: [{ ...nights(1), available: 1 }],
    rates: [
      { plan: 'one', ...nights(1), price_cents: 1 },
      { plan: 'two', ...nights(1, 3), price_cents: 1 },
    ],
  })
  const delivery = (await pms.push([one], {})).get(one.id)!
  assert.deepEqual(
    [delivery.contentAccepted, delivery.acceptedRooms, delivery.acceptedRates],
    [true, one.rooms, [one.rates[0]]],
  )
  assert.equal(delivery.failure?.code, 'partial_rejection')
  const { date_from: from, date_to: to } = nights(1, 3)
  assert.equal(
    delivery.failure.message,
    `The PMS refused a value: Too cheap for half board. (${from} to ${to})`,
  )
  assert.match(delivery.exchanges[0]!.response!.summary, /^2 values accepted, 1 refused: refused Too cheap/)
})

test('splits large calendars into several calls', async () => {
  const many = Array.from({ length: 12_000 }, (_, index) => ({
    plan: index < 6_000 ? 'one' : 'two',
    ...nights(1 + (index % 400)),
    ...terms,
    price_cents: index,
  }))
  const one = buildUpdate(link('a'), { rates: many })
  assert.deepEqual(callsOf(await arriving(() => pushAll(pms, [one]))), ['POST /calendar', 'POST /calendar'])
  const shown = await readOne(pms, link('a'), nights(1, 400))
  assert.equal(shown.rates.filter(({ plan }) => plan === 'two').length, 400)
})

test('limits the length of URLs with many long ids', async () => {
  const units = Array.from({ length: 40 }, (_, index) => link(`${'é'.repeat(50)} ${index}`))
  await pushAll(
    pms,
    units.map((unit) => buildUpdate(unit, { changedFields: 'all', rooms: [{ ...nights(1), available: 1 }] })),
  )
  const calls = await arriving(async () => {
    const shown = await pms.readUnits(units, nights(1), {})
    for (const { externalId } of units)
      assert.deepEqual(shown.get(externalId)!.rooms, [{ ...nights(1), available: 1 }])
  })
  assert.ok(calls.filter(({ path }) => path.endsWith('/calendar')).length > 1)
})

test('rejects ids that would change the path, without a call', async () => {
  const calls = await arriving(async () => {
    const one = buildUpdate(link('..'), { changedFields: 'all' })
    const { failure } = (await pms.push([one], {})).get(one.id)!
    assert.equal(failure?.code, 'validation_rejected')
  })
  assert.deepEqual(calls, [])
})

test('reports the missing setting without a URL', async () => {
  const target = { baseUrl: null, property: 'p', credentials: null, timeoutMs: 1_000 }
  await assert.rejects(genericProvider(egress, null).connect(target).checkAccess({}), {
    code: 'validation_rejected',
    hint: /address/,
  })
})

test('created plans have unique ids', async () => {
  const plans = ['Flexible – très bon', 'flexible tres bon', '—'].map((name, n) => ({
    plan: `plan-${n}`,
    name,
    isDefault: n === 0,
  }))
  const draft = { content, plans, linkedIds: [], idempotencyKey: 'names' }
  const made = await pms.createUnit(draft, {})
  assert.match(made.externalId, /^V-[0-9a-f]{12}$/)
  assert.deepEqual(
    made.plans.map(({ externalId }) => externalId),
    ['flexible-tres-bon', 'flexible-tres-bon-2', 'plan'],
  )
})

test('a unit of a full sync whose content is rejected still gets its calendar', async () => {
  await call('PUT', '/_control/faults', { mode: 'refuse', status: 422, method: 'PUT', external_id: 'c' })
  const one = buildUpdate(link('c'), { changedFields: 'all', rooms: [{ ...nights(22), available: 0 }] })
  const { failure, acceptedRooms } = (await pms.push([one], {})).get(one.id)!
  assert.deepEqual([failure?.code, acceptedRooms], ['validation_rejected', one.rooms])
})
