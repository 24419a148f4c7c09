import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inDays } from '#test/local-days.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addCharge, addPlan, addQuote, addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()

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

suite('quotes: happy', () => {
  test('prices the nights of the default plan, valid for half an hour', async () => {
    const unit = await addUnit(owner, { base_price_cents: 12_000, max_guests: 2 })
    const made = await owner.post(path, { unit_id: unit.id, ...dates, guests: 2 })
    const { quote } = expectStatus(made, 201)
    const { id, rate_plan_id, created_at, expires_at, ...rest } = quote
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: world.home.accountId,
      unit_id: unit.id,
      ...dates,
      nights: 3,
      guests: 2,
      rooms: 1,
      currency: 'eur',
      nightly: [1, 2, 3].map((day) => ({ date: july(day), price_cents: 12_000 })),
      line_items: [
        {
          type: 'base',
          name: '3 nights',
          charge_id: null,
          basis: 'room_night',
          quantity: 3,
          unit_cents: 12_000,
          percent: null,
          of_cents: null,
          included: false,
          amount_cents: 36_000,
          explanation: '3 nights × EUR 120.00',
        },
      ],
      subtotal_cents: 36_000,
      discounts_cents: 0,
      fees_cents: 0,
      taxes_cents: 0,
      included_taxes_cents: 0,
      total_cents: 36_000,
      deposit_cents: 0,
      available: true,
      booking_id: null,
      hold: null,
    })
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 30 * 60_000)
    const plans = await owner.get(`/api/v1/rate-plans?unit_id=${unit.id}`)
    assert.equal(rate_plan_id, plans.body.rate_plans[0].id)
    assert.equal(made.headers.get('location'), `${path}/${id}`)
    assert.deepEqual((await owner.get(`${path}/${id}`)).body, made.body)
    assert.deepEqual(expectStatus(await owner.get(`${path}?unit_id=${unit.id}`), 200).quotes, [quote])
  })

  test('has a line with an explanation for every charge', async () => {
    const space = await addSpace(owner)
    const unit = await addUnit(owner, {
      space_id: space.id,
      base_price_cents: 10_000,
      quantity: 2,
      max_guests: 2,
    })
    await decide(unit.id, 2, 2, { price_cents: 12_345 })
    const of = { unit_id: unit.id }
    const city = { kind: 'tax', basis: 'guest_night', amount_cents: 200, charged_nights: 2, name: 'City tax' }
    await addCharge(owner, { space_id: space.id, ...city })
    await addCharge(owner, { ...of, kind: 'tax', percent: 7.25, applies_to: 'base_and_fees', name: 'VAT' })
    await addCharge(owner, { ...of, kind: 'discount', percent: 10, min_nights: 3, name: 'Three nights' })
    await addCharge(owner, { ...of, basis: 'room', amount_cents: 3_000, name: 'Cleaning' })
    await addCharge(owner, { ...of, kind: 'deposit', amount_cents: 20_000, name: 'Deposit' })
    await addCharge(owner, { ...of, min_nights: 4, name: 'Not for three nights' })
    await addCharge(owner, { ...of, status: 'inactive', name: 'Not any more' })
    const quote = await addQuote(owner, { ...of, guests: 3, rooms: 2 })
    assert.deepEqual(
      quote.line_items.map(({ type, name, amount_cents, explanation }: Record<string, unknown>) => [
        type,
        name,
        amount_cents,
        explanation,
      ]),
      [
        ['base', '3 nights × 2 rooms', 64_690, '3 nights × 2 rooms × each night at its own price'],
        ['discount', 'Three nights', -6_469, '10 % of EUR 646.90'],
        ['fee', 'Cleaning', 6_000, '2 rooms × EUR 30.00'],
        ['tax', 'City tax', 1_200, '3 guests × 2 nights × EUR 2.00'],
        ['tax', 'VAT', 4_656, '7.25 % of EUR 642.21'],
        ['deposit', 'Deposit', 20_000, 'once × EUR 200.00'],
      ],
    )
    const { subtotal_cents, discounts_cents, fees_cents, taxes_cents, total_cents, deposit_cents } = quote
    assert.deepEqual(
      [subtotal_cents, discounts_cents, fees_cents, taxes_cents, total_cents, deposit_cents],
      [64_690, 6_469, 6_000, 5_856, 70_077, 20_000],
    )
  })

  test('uses the prices of the requested plan, and never changes', async () => {
    const unit = await addUnit(owner, { base_price_cents: 10_000 })
    const plan = await addPlan(owner, { unit_id: unit.id })
    await decide(unit.id, 1, 3, { rate_plan_id: plan.id, price_cents: 8_000 })
    const quote = await addQuote(owner, { unit_id: unit.id, rate_plan_id: plan.id })
    assert.deepEqual([quote.rate_plan_id, quote.total_cents], [plan.id, 24_000])
    assert.equal((await addQuote(owner, { unit_id: unit.id })).total_cents, 30_000)
    await decide(unit.id, 1, 3, { rate_plan_id: plan.id, price_cents: 1 })
    assert.deepEqual((await owner.get(`${path}/${quote.id}`)).body.quote, quote)
    expectStatus(await owner.delete(`/api/v1/rate-plans/${plan.id}`), 204)
    assert.deepEqual((await owner.get(`${path}/${quote.id}`)).body.quote, { ...quote, rate_plan_id: null })
  })

  for (const [currency, total, explanation] of [
    ['jpy', 10_700, '7 % of JPY 10,000'],
    ['eur', 10_700, '7 % of EUR 100.00'],
    ['bhd', 10_700, '7 % of BHD 10.000'],
  ] as const)
    test(`uses the minor units of ${currency}`, async () => {
      const unit = await addUnit(owner, { base_price_cents: 10_000, currency })
      await addCharge(owner, { unit_id: unit.id, kind: 'tax', percent: 7 })
      const quote = await addQuote(owner, { unit_id: unit.id, check_out: july(2) })
      assert.deepEqual(
        [quote.currency, quote.total_cents, quote.line_items[1].explanation],
        [currency, total, explanation],
      )
    })

  test('accepts today and a year of nights', async () => {
    const unit = await addUnit(owner, { base_price_cents: 2_147_483_647, quantity: 10_000 })
    const today = inDays(0)
    const whole = { unit_id: unit.id, check_in: today, check_out: inDays(365), rooms: 10_000 }
    const quote = await addQuote(owner, whole)
    assert.deepEqual([quote.nights, quote.total_cents], [365, 2_147_483_647 * 365 * 10_000])
  })

  test('a repeated key returns the same quote', async () => {
    const unit = await addUnit(owner)
    const body = { unit_id: unit.id, ...dates, guests: 1 }
    const asked = () => owner.post(path, body, { 'idempotency-key': `quote-${unit.id}` })
    assert.deepEqual(expectStatus(await asked(), 201), expectStatus(await asked(), 201))
    assert.equal((await owner.get(`${path}?unit_id=${unit.id}`)).body.quotes.length, 1)
  })
})

suite('quotes: security', () => {
  test('another organization finds nothing', async () => {
    const unit = await addUnit(owner)
    const quote = await addQuote(owner, { unit_id: unit.id })
    expectProblem(await stranger.get(`${path}/${quote.id}`), 404, 'not-found')
    expectProblem(await stranger.post(path, { unit_id: unit.id, ...dates, guests: 1 }), 404, 'not-found')
    for (const query of ['', `?unit_id=${unit.id}`])
      assert.deepEqual(ids(expectStatus(await stranger.get(path + query), 200).quotes), [])
  })

  test('reading and writing need their permissions', async () => {
    const unit = await addUnit(owner)
    const quote = await addQuote(owner, { unit_id: unit.id })
    const [viewer, staff] = [await world.home.as('viewer'), await world.home.as('staff')]
    expectStatus(await viewer.get(`${path}/${quote.id}`), 200)
    expectProblem(await viewer.post(path, { unit_id: unit.id, ...dates, guests: 1 }), 403, 'forbidden')
    await addQuote(staff, { unit_id: unit.id })
  })
})
