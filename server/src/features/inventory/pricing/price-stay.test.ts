import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { chargeBases, chargeKinds } from '#features/inventory/charges/charge.ts'
import { formatMoney } from '#schema/money.ts'
import { priceStay, type PricingInput, type StayCharge } from './price-stay.ts'

const plain: StayCharge = {
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Charge',
  kind: 'fee',
  basis: 'stay',
  amount_cents: null,
  percent: null,
  applies_to: null,
  included: false,
  min_nights: null,
  max_nights: null,
  charged_nights: null,
  guests_included: 0,
}
const charge = (fields: Partial<StayCharge>): StayCharge => ({
  ...plain,
  ...(fields.basis === 'percent' && { applies_to: 'base' as const }),
  ...fields,
})

const nightsAt = (...prices: number[]) =>
  prices.map((price_cents, at) => ({ date: `2030-07-${String(at + 1).padStart(2, '0')}`, price_cents }))
const stay = (fields: Partial<PricingInput> = {}): PricingInput => ({
  nights: nightsAt(10_000, 10_000, 10_000),
  charges: [],
  guests: 2,
  rooms: 1,
  currency: 'eur',
  ...fields,
})
const lines = (fields: Partial<PricingInput>) =>
  priceStay(stay(fields))
    .line_items.slice(1)
    .map(({ amount_cents, explanation }) => [amount_cents, explanation])

suite('the lines of a price', () => {
  test('without charges is the sum of the nights for each room', () => {
    const price = priceStay(stay({ nights: nightsAt(9_900, 12_100), rooms: 2 }))
    const [line, ...others] = price.line_items
    assert.deepEqual(others, [])
    assert.deepEqual(
      [line!.name, line!.quantity, line!.unit_cents, line!.amount_cents, price.total_cents],
      ['2 nights × 2 rooms', 4, null, 44_000, 44_000],
    )
    assert.equal(priceStay(stay()).line_items[0]!.explanation, '3 nights × EUR 100.00')
  })

  test('each basis multiplies by its count', () => {
    const of = (basis: StayCharge['basis'], fields: Partial<StayCharge> = {}) =>
      lines({ rooms: 2, guests: 5, charges: [charge({ basis, amount_cents: 150, ...fields })] })[0]
    assert.deepEqual(of('stay'), [150, 'once × EUR 1.50'])
    assert.deepEqual(of('night'), [450, '3 nights × EUR 1.50'])
    assert.deepEqual(of('room'), [300, '2 rooms × EUR 1.50'])
    assert.deepEqual(of('room_night'), [900, '2 rooms × 3 nights × EUR 1.50'])
    assert.deepEqual(of('guest'), [750, '5 guests × EUR 1.50'])
    assert.deepEqual(of('guest_night'), [2_250, '5 guests × 3 nights × EUR 1.50'])
    assert.deepEqual(of('guest_night', { charged_nights: 2, guests_included: 2 }), [
      300,
      '1 further guest × 2 nights × EUR 1.50',
    ])
    assert.deepEqual(of('guest', { guests_included: 9 }), [0, '0 further guests × EUR 1.50'])
  })

  test('discounts are deducted first, fees apply to the rest, taxes to both if configured', () => {
    const price = priceStay(
      stay({
        charges: [
          charge({ kind: 'tax', basis: 'percent', percent: 10, applies_to: 'base_and_fees' }),
          charge({ kind: 'tax', basis: 'percent', percent: 10 }),
          charge({ kind: 'fee', basis: 'percent', percent: 5 }),
          charge({ kind: 'discount', basis: 'percent', percent: 20 }),
          charge({ kind: 'deposit', basis: 'percent', percent: 50 }),
        ],
      }),
    )
    assert.deepEqual(
      price.line_items.map(({ type, amount_cents }) => [type, amount_cents]),
      [
        ['base', 30_000],
        ['discount', -6_000],
        ['fee', 1_200],
        ['tax', 2_520],
        ['tax', 2_400],
        ['deposit', 15_060],
      ],
    )
    assert.deepEqual([price.total_cents, price.deposit_cents], [30_120, 15_060])
  })

  test('rounds each line half up once', () => {
    const half = (percent: number, price: number) =>
      lines({
        nights: nightsAt(price),
        charges: [charge({ kind: 'tax', basis: 'percent', percent })],
      })[0]![0]
    assert.deepEqual([half(5, 10), half(5, 9), half(5, 30), half(0.005, 10_000)], [1, 0, 2, 1])
    // 1.005 × 100 is 100.49999999999999 in floating point.
    assert.equal(half(1.005, 10_000), 101)
    const taken = priceStay(
      stay({ nights: nightsAt(10), charges: [charge({ kind: 'discount', basis: 'percent', percent: 5 })] }),
    )
    assert.deepEqual([taken.discounts_cents, taken.total_cents], [1, 9])
  })

  test('shows included taxes without adding them, also several', () => {
    const tax = (percent: number, fields: Partial<StayCharge> = {}) =>
      charge({ kind: 'tax', basis: 'percent', percent, included: true, ...fields })
    const price = priceStay(stay({ nights: nightsAt(11_500), charges: [tax(10), tax(5)] }))
    assert.deepEqual(
      price.line_items.map(({ amount_cents }) => amount_cents),
      [11_500, 1_000, 500],
    )
    assert.deepEqual([price.taxes_cents, price.included_taxes_cents, price.total_cents], [0, 1_500, 11_500])
    const withFee = [charge({ amount_cents: 1_100 }), tax(10, { applies_to: 'base_and_fees' }), tax(5)]
    assert.deepEqual(
      lines({ nights: nightsAt(11_500), charges: withFee }).map(([amount]) => amount),
      [1_100, 1_100, 500],
    )
  })

  test('discounts never exceed the price of the nights', () => {
    const discounts = [2_000, 9_000].map((amount_cents) => charge({ kind: 'discount', amount_cents }))
    const price = priceStay(stay({ nights: nightsAt(10_000), charges: discounts }))
    assert.deepEqual([price.discounts_cents, price.total_cents], [10_000, 0])
    assert.match(price.line_items[2]!.explanation, /limited to the price of the nights/)
  })

  test('applies a charge only to its lengths of stay', () => {
    const short = charge({ amount_cents: 1, max_nights: 2 })
    const long = charge({ amount_cents: 2, min_nights: 3 })
    const amounts = (nights: number) =>
      lines({ nights: nightsAt(...Array<number>(nights).fill(1)), charges: [short, long] }).map(
        ([one]) => one,
      )
    assert.deepEqual([amounts(2), amounts(3)], [[1], [2]])
  })
})

test('formats amounts with the decimals of their currency', () => {
  assert.deepEqual(
    [
      formatMoney(12_345, 'eur'),
      formatMoney(5, 'usd'),
      formatMoney(12_345, 'jpy'),
      formatMoney(12_345, 'bhd'),
      formatMoney(0, 'kwd'),
      formatMoney(4_500_000, 'huf'),
    ],
    ['EUR 123.45', 'USD 0.05', 'JPY 12,345', 'BHD 12.345', 'KWD 0.000', 'HUF 45,000.00'],
  )
  assert.equal(formatMoney(Number.MAX_SAFE_INTEGER, 'usd'), 'USD 90,071,992,547,409.91')
})

const AnyCharge = fc
  .record({
    kind: fc.constantFrom(...chargeKinds),
    basis: fc.constantFrom(...chargeBases),
    amount: fc.integer({ min: 0, max: 2_147_483_647 }),
    tenThousandths: fc.integer({ min: 0, max: 1_000_000 }),
    withFees: fc.boolean(),
    isIncluded: fc.boolean(),
    charged_nights: fc.option(fc.integer({ min: 1, max: 999 })),
    guests_included: fc.integer({ min: 0, max: 4 }),
  })
  .map(({ kind, basis, amount, tenThousandths, withFees, isIncluded, ...rest }) => ({
    ...plain,
    ...rest,
    kind,
    basis,
    included: kind === 'tax' && isIncluded,
    ...(basis === 'percent'
      ? {
          percent: tenThousandths / 10_000,
          applies_to: kind === 'tax' && withFees ? ('base_and_fees' as const) : ('base' as const),
        }
      : { amount_cents: amount }),
  }))
const AnyStay = fc.record({
  nights: fc
    .array(fc.integer({ min: 0, max: 2_147_483_647 }), { minLength: 1, maxLength: 60 })
    .map((prices) => nightsAt(...prices)),
  charges: fc.array(AnyCharge, { maxLength: 8 }),
  guests: fc.integer({ min: 1, max: 30 }),
  rooms: fc.integer({ min: 1, max: 5 }),
  currency: fc.constantFrom('jpy', 'eur', 'usd', 'bhd'),
})

suite('any price', () => {
  test('the total is the sum of the lines, all of them integers', () => {
    fc.assert(
      fc.property(AnyStay, (asked) => {
        const price = priceStay(asked)
        const sum = (...types: string[]) =>
          price.line_items
            .filter(({ type, included }) => types.includes(type) && !included)
            .reduce((total, { amount_cents }) => total + amount_cents, 0)
        assert.equal(price.total_cents, sum('base', 'fee', 'tax', 'discount'))
        assert.equal(price.deposit_cents, sum('deposit'))
        assert.equal(price.subtotal_cents, sum('base'))
        assert.equal(price.discounts_cents, 0 - sum('discount'))
        assert.equal(
          price.total_cents,
          price.subtotal_cents - price.discounts_cents + price.fees_cents + price.taxes_cents,
        )
        assert.ok(price.total_cents >= 0 && price.discounts_cents <= price.subtotal_cents)
        for (const { amount_cents } of price.line_items) assert.ok(Number.isSafeInteger(amount_cents))
      }),
    )
  })

  test('no percentage differs by more than half a minor unit', () => {
    fc.assert(
      fc.property(AnyStay, (asked) => {
        for (const line of priceStay(asked).line_items) {
          if (line.percent === null || line.included || line.type === 'discount') continue
          // Both sides a million times as large: whole numbers, and exact.
          const exact = BigInt(line.of_cents!) * BigInt(Math.round(line.percent * 10_000))
          const off = BigInt(line.amount_cents) * 1_000_000n - exact
          assert.ok(off <= 500_000n && off > -500_000n, `${off} millionths: ${JSON.stringify(line)}`)
        }
      }),
    )
  })

  test('included taxes equal the taxes of the price without them', () => {
    const Rates = fc.array(fc.integer({ min: 0, max: 300_000 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(Rates, fc.integer({ min: 0, max: 2_147_483_647 }), (rates, gross) => {
        const charges = rates.map((rate) =>
          charge({ kind: 'tax', basis: 'percent', percent: rate / 10_000, included: true }),
        )
        const price = priceStay(stay({ nights: nightsAt(gross), charges }))
        const sum = rates.reduce((total, rate) => total + rate, 0)
        for (const [at, rate] of rates.entries()) {
          const scale = BigInt(1_000_000 + sum)
          const off = BigInt(price.line_items[at + 1]!.amount_cents) * scale - BigInt(gross) * BigInt(rate)
          assert.ok(2n * off <= scale && 2n * off > -scale, `${off} of ${scale}`)
        }
        assert.equal(price.total_cents, gross)
      }),
    )
  })
})
