import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { callerOf, loft } from '../../test/pms-caller.ts'
import { night, range, today } from '../../test/pms-nights.ts'
import { startPms } from './server.ts'

let pms: Awaited<ReturnType<typeof startPms>>
before(async () => {
  pms = await startPms()
  for (const name of ['picky', 'drift']) await call('PUT', `/properties/p/units/${name}`, loft)
})
afterEach(() => call('DELETE', '/_control/faults'))
after(() => pms.close())

const call = callerOf(() => pms.url)
const path = '/properties/p/calendar'

const fault = (rule: object) => call('PUT', '/_control/faults', rule)
const tell = async (...ids: string[]) =>
  (
    await call('POST', path, {
      rooms: ids.map((external_id) => ({ external_id, ...range(1), available: 1 })),
    })
  ).status

test('the log of calls lists every unit of a call', async () => {
  const { last } = (await call('GET', '/_control/calls')).body
  await tell('a', 'b', 'a')
  await call('GET', `${path}?external_id=c&external_id=d&from=${today}&to=${today}`)
  const { calls } = (await call('GET', `/_control/calls?after=${last}`)).body
  assert.deepEqual(
    calls.map((one: Record<string, unknown>) => [one['method'], one['external_id'], one['external_ids']]),
    [
      ['POST', null, ['a', 'b']],
      ['GET', null, ['c', 'd']],
    ],
  )
})

test('a rule with a unit applies to calendars only with `calendar`', async () => {
  await fault({ mode: 'refuse', status: 500, external_id: 'a' })
  assert.equal(await tell('a', 'b'), 200)
  await fault({ mode: 'refuse', status: 502, external_id: 'b', calendar: true })
  assert.equal(await tell('a'), 200)
  assert.equal(await tell('a', 'b'), 502)
  assert.equal((await call('GET', '/properties/p/units/b')).status, 502)
})

test("a rule for calendars only does not apply to the unit's own calls", async () => {
  await fault({ mode: 'refuse', status: 502, calendar: 'only', times: 1 })
  assert.notEqual((await call('GET', '/properties/p/units/b')).status, 502)
  assert.equal(await tell('a', 'b'), 502)
})

test('a rule without a unit applies to calendars too', async () => {
  await fault({ mode: 'refuse', status: 503, property: 'p', times: 1 })
  assert.equal(await tell('a'), 503)
  assert.equal(await tell('a'), 200)
})

test('refuse_values: matching values are listed as refused in the answer', async () => {
  const rule = { mode: 'refuse_values', external_id: 'picky', rate_plan: 'bar', times: 1 }
  await fault({ ...rule, code: 'too_cheap', message: 'This is too cheap.' })
  const rate = { external_id: 'picky', ...range(1), price_cents: 1 }
  const body = {
    rooms: [{ external_id: 'picky', ...range(1), available: 1 }],
    rates: [
      { ...rate, rate_plan: 'bar' },
      { ...rate, rate_plan: 'half board' },
      { ...rate, rate_plan: 'bar', ...range(2) },
    ],
  }
  const refusal = { list: 'rates', code: 'too_cheap', message: 'This is too cheap.' }
  assert.deepEqual((await call('POST', path, body)).body, {
    accepted: 2,
    refused: [
      { ...refusal, index: 0 },
      { ...refusal, index: 2 },
    ],
  })
  assert.equal((await call('POST', path, body)).body.accepted, 4)
})

test('a person changes values without a recorded call', async () => {
  const { last } = (await call('GET', '/_control/calls')).body
  const { status, body } = await call('PUT', '/_control/values', {
    property: 'p',
    rooms: [{ external_id: 'drift', ...range(1), available: 7 }],
    units: [{ external_id: 'drift', name: 'Renamed' }],
  })
  assert.deepEqual([status, body], [200, { accepted: 1, refused: [] }])
  assert.equal((await call('GET', `/_control/calls?after=${last}`)).body.last, last)
  assert.equal(
    (await call('GET', `${path}?external_id=drift&from=${today}&to=${night(9)}`)).body.units[0].rooms[0]
      .available,
    7,
  )
  assert.equal((await call('GET', '/properties/p/units/drift')).body.unit.name, 'Renamed')
  const unknown = { property: 'p', units: [{ external_id: 'nowhere', name: 'x' }] }
  assert.equal((await call('PUT', '/_control/values', unknown)).status, 422)
})
