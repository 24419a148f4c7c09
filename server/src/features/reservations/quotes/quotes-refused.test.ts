import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inDays } from '#test/local-days.ts'
import type { Reply } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addCharge, addPlan, addQuote, addSpace, addStop, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { owner } = shareWorld()

const path = '/api/v1/quotes'
const july = (day: number) => `2030-07-${String(day).padStart(2, '0')}`
const dates = { check_in: july(1), check_out: july(4) }
const decide = async (unit_id: string, first: number, last: number, terms: object) =>
  expectStatus(
    await owner.post('/api/v1/calendar', {
      values: [{ unit_id, date_from: july(first), date_to: july(last), ...terms }],
    }),
    201,
  )
const reasonsOf = (reply: Reply) => {
  expectProblem(reply, 409, 'dates-unavailable')
  return reply.body.reasons.map(({ date, term, limit, message }: Record<string, unknown>) => {
    assert.equal(typeof message, 'string')
    return [date, term, limit]
  })
}

suite('quotes: impossible stays', () => {
  test('rejects dates out of order, in the past, or longer than a year', async () => {
    const { id: unit_id } = await addUnit(owner)
    for (const [stay, pointer] of [
      [{ check_in: july(4), check_out: july(4) }, '/check_out'],
      [{ check_in: july(4), check_out: july(1) }, '/check_out'],
      [{ check_in: '2030-07-01', check_out: '2031-07-02' }, '/check_out'],
    ] as const)
      expectProblem(await owner.post(path, { unit_id, guests: 1, ...stay }), 422, 'semantic-error', pointer)
    const past = { unit_id, guests: 1, check_in: inDays(-1), check_out: inDays(2) }
    expectProblem(await owner.post(path, past), 422, 'stay-in-the-past', '/check_in')
  })

  test('uses the local date of the unit', async () => {
    // Kiritimati is a day ahead of Pago Pago at every moment.
    const [ahead, behind] = await Promise.all(
      ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map(async (timezone) =>
        addUnit(owner, { space_id: (await addSpace(owner, { timezone })).id }),
      ),
    )
    const there = new Date().toLocaleDateString('sv-SE', { timeZone: 'Pacific/Pago_Pago' })
    const stay = { check_in: there, check_out: inDays(9), guests: 1 }
    expectStatus(await owner.post(path, { unit_id: behind!.id, ...stay }), 201)
    const past = await owner.post(path, { unit_id: ahead!.id, ...stay })
    expectProblem(past, 422, 'stay-in-the-past', '/check_in')
  })

  test('rejects too many guests or rooms', async () => {
    const unit = await addUnit(owner, { max_guests: 2, quantity: 2 })
    const of = { unit_id: unit.id, ...dates }
    expectProblem(await owner.post(path, { ...of, guests: 3 }), 422, 'semantic-error', '/guests')
    expectStatus(await owner.post(path, { ...of, guests: 4, rooms: 2 }), 201)
    expectProblem(await owner.post(path, { ...of, guests: 1, rooms: 3 }), 422, 'semantic-error', '/rooms')
    for (const [member, value] of [
      ['guests', 0],
      ['guests', undefined],
      ['rooms', 0],
      ['check_in', '2030-02-30'],
      ['hold', 'yes'],
    ] as const) {
      const reply = await owner.post(path, { ...of, guests: 1, [member]: value })
      expectProblem(reply, 400, 'validation-error', `/${member}`)
    }
  })

  test('returns 404 for an unknown unit, and rejects a plan of another unit', async () => {
    const [unit, other] = [await addUnit(owner), await addPlan(owner)]
    expectProblem(await owner.post(path, { unit_id: unknownId, ...dates, guests: 1 }), 404, 'not-found')
    for (const rate_plan_id of [unknownId, other.id])
      expectProblem(
        await owner.post(path, { unit_id: unit.id, ...dates, guests: 1, rate_plan_id }),
        422,
        'reference-not-found',
        '/rate_plan_id',
      )
  })

  test('rejects inactive units, spaces and plans', async () => {
    const unit = await addUnit(owner)
    const plan = await addPlan(owner, { unit_id: unit.id, status: 'inactive' })
    const of = { unit_id: unit.id, ...dates, guests: 1 }
    expectProblem(await owner.post(path, { ...of, rate_plan_id: plan.id }), 409, 'unit-not-bookable')
    for (const [place, status] of [
      [`units/${unit.id}`, 'maintenance'],
      [`spaces/${unit.space_id}`, 'inactive'],
    ]) {
      expectStatus(await owner.patch(`/api/v1/${place}`, { status }), 200)
      expectProblem(await owner.post(path, of), 409, 'unit-not-bookable')
      expectStatus(await owner.patch(`/api/v1/${place}`, { status: 'active' }), 200)
    }
    expectStatus(await owner.post(path, of), 201)
  })

  test('reports a charge in another currency', async () => {
    const space = await addSpace(owner)
    const unit = await addUnit(owner, { space_id: space.id, currency: 'usd' })
    await addCharge(owner, { space_id: space.id, kind: 'tax', percent: 5 })
    await addQuote(owner, { unit_id: unit.id })
    await addCharge(owner, { space_id: space.id, name: 'Cleaning' })
    const reply = await owner.post(path, { unit_id: unit.id, ...dates, guests: 1 })
    expectProblem(reply, 409, 'unit-not-bookable')
    assert.match(reply.body.detail, /Cleaning is EUR 50\.00, but the unit sells in USD/)
  })
})

suite('quotes: unavailable dates', () => {
  const ask = (unit_id: string, fields: object = {}) =>
    owner.post(path, { unit_id, ...dates, guests: 1, ...fields })
  for (const [what, nights, terms, reasons] of [
    ['a closed night', [2, 2], { stop_sell: true }, [[july(2), 'stop_sell', null]]],
    ['no arrival', [1, 1], { closed_to_arrival: true }, [[july(1), 'closed_to_arrival', null]]],
    ['no arrival on later nights', [2, 4], { closed_to_arrival: true }, null],
    ['no departure', [4, 4], { closed_to_departure: true }, [[july(4), 'closed_to_departure', null]]],
    ['no departure on earlier days', [1, 3], { closed_to_departure: true }, null],
    ['a longer arrival', [1, 1], { min_stay_arrival: 4 }, [[july(1), 'min_stay_arrival', 4]]],
    ['a longer arrival on later nights', [2, 4], { min_stay_arrival: 4 }, null],
    ['a longer stay through', [3, 4], { min_stay_through: 4 }, [[july(3), 'min_stay_through', 4]]],
    ['a stay of just that length', [1, 4], { min_stay_through: 3, min_stay_arrival: 3, max_stay: 3 }, null],
    ['a shorter stay', [1, 3], { max_stay: 2 }, [[july(1), 'max_stay', 2]]],
    ['all the night after', [4, 9], { stop_sell: true, blocked: 1 }, null],
    [
      'a blocked room',
      [2, 3],
      { blocked: 1 },
      [
        [july(2), 'no_room', 0],
        [july(3), 'no_room', 0],
      ],
    ],
  ] as const)
    test(`${what} ${reasons ? 'is reported' : 'has no effect'}`, async () => {
      const unit = await addUnit(owner)
      await decide(unit.id, nights[0], nights[1], terms)
      const reply = await ask(unit.id)
      if (reasons) assert.deepEqual(reasonsOf(reply), reasons)
      else expectStatus(reply, 201)
    })

  test('reports all reasons together', async () => {
    const unit = await addUnit(owner, { quantity: 2 })
    await decide(unit.id, 1, 3, { blocked: 1, min_stay_arrival: 5, stop_sell: true })
    const stop = await addStop(owner, { unit_id: unit.id })
    const everything = [1, 2, 3].flatMap((day) => [
      [july(day), 'no_room', 1],
      [july(day), 'stop_sell', null],
    ])
    assert.deepEqual(reasonsOf(await ask(unit.id, { rooms: 2 })), [
      [july(1), 'sales_stop', null],
      [july(1), 'min_stay_arrival', 5],
      ...everything,
    ])
    expectStatus(await owner.delete(`/api/v1/sales-stops/${stop.id}`), 204)
    await decide(unit.id, 1, 3, { min_stay_arrival: null, stop_sell: null })
    expectStatus(await ask(unit.id), 201)
  })
})
