import type { ChargeFields } from '#features/inventory/charges/charge.ts'
import { formatMoney, product, roundedQuotient } from '#schema/money.ts'
import type { LineItem, StayPrice } from './stay-price.ts'

/** The input of a price calculation. */
export interface PricingInput {
  /** Each night with its price for one room. */
  readonly nights: readonly { readonly date: string; readonly price_cents: number }[]
  readonly charges: readonly StayCharge[]
  readonly guests: number
  readonly rooms: number
  readonly currency: string
}

export type StayCharge = Omit<ChargeFields, 'space_id' | 'unit_id' | 'account_id' | 'currency' | 'status'> & {
  readonly id: string
}

/**
 * Calculates the price of a stay line by line, in whole minor units: nights, less discounts, plus fees, plus taxes. Each
 * line is rounded half up once, so that the total is the sum of the lines that a guest sees.
 */
export function priceStay(stay: PricingInput): StayPrice {
  const { nights, rooms } = stay
  const charges = stay.charges.filter((charge) => appliesTo(charge, nights.length))
  const ofKind = (kind: StayCharge['kind']) => charges.filter((charge) => charge.kind === kind)
  const subtotal = nights.reduce((sum, { price_cents }) => sum + price_cents, 0) * rooms

  let remaining = subtotal
  const discounts = ofKind('discount').map((charge) => {
    const line = buildLine(charge, stay, { numerator: BigInt(subtotal), denominator: 1n, of: subtotal })
    const deducted = Math.min(line.amount_cents, remaining)
    remaining -= deducted
    const capped =
      deducted < line.amount_cents ? `${line.explanation}, limited to the price of the nights` : ''
    return { ...line, amount_cents: 0 - deducted, ...(capped && { explanation: capped }) }
  })
  const fees = ofKind('fee').map((charge) =>
    buildLine(charge, stay, { numerator: BigInt(remaining), denominator: 1n, of: remaining }),
  )
  const feesTotal = sumOf(fees)
  const baseOfTax = taxBases(ofKind('tax'), remaining, feesTotal)
  const taxes = ofKind('tax').map((charge) => buildLine(charge, stay, baseOfTax(charge)))
  const addedTaxes = sumOf(taxes.filter(({ included }) => !included))
  const total = remaining + feesTotal + addedTaxes
  const deposits = ofKind('deposit').map((charge) =>
    buildLine(charge, stay, { numerator: BigInt(total), denominator: 1n, of: total }),
  )
  return {
    nightly: nights.map(({ date, price_cents }) => ({ date, price_cents })),
    line_items: [buildNightsLine(stay, subtotal), ...discounts, ...fees, ...taxes, ...deposits],
    subtotal_cents: subtotal,
    discounts_cents: subtotal - remaining,
    fees_cents: feesTotal,
    taxes_cents: addedTaxes,
    included_taxes_cents: sumOf(taxes) - addedTaxes,
    total_cents: total,
    deposit_cents: sumOf(deposits),
  }
}

const appliesTo = ({ min_nights, max_nights }: StayCharge, nights: number) =>
  nights >= (min_nights ?? 0) && nights <= (max_nights ?? Infinity)

const sumOf = (lines: readonly LineItem[]) => lines.reduce((sum, { amount_cents }) => sum + amount_cents, 0)

function buildNightsLine({ nights, rooms, currency }: PricingInput, subtotal: number): LineItem {
  const prices = new Set(nights.map(({ price_cents }) => price_cents))
  const [price] = prices.size === 1 ? prices : [null]
  const name = [pluralize(nights.length, 'night'), ...(rooms > 1 ? [pluralize(rooms, 'room')] : [])].join(
    ' × ',
  )
  const each = price === null ? 'each night at its own price' : formatMoney(price!, currency)
  return {
    type: 'base',
    name,
    charge_id: null,
    basis: 'room_night',
    quantity: nights.length * rooms,
    unit_cents: price ?? null,
    percent: null,
    of_cents: null,
    included: false,
    amount_cents: subtotal,
    explanation: `${name} × ${each}`,
  }
}

/** What a percentage is applied to: the exact amount as a fraction, and the rounded amount for the explanation. */
interface PercentageBase {
  readonly numerator: bigint
  readonly denominator: bigint
  readonly of: number
}

function buildLine(charge: StayCharge, stay: PricingInput, whole: PercentageBase): LineItem {
  const { currency } = stay
  const line = {
    type: charge.kind,
    name: charge.name,
    charge_id: charge.id,
    basis: charge.basis,
    included: charge.included,
  }
  if (charge.basis === 'percent') {
    const { numerator, denominator, of } = whole
    const within = charge.included
      ? `, contained in ${formatMoney(of, currency)}`
      : ` of ${formatMoney(of, currency)}`
    return {
      ...line,
      quantity: 1,
      unit_cents: null,
      percent: charge.percent,
      of_cents: of,
      amount_cents: roundedQuotient(numerator * millionthsOf(charge), denominator * million),
      explanation: `${charge.percent} %${within}`,
    }
  }
  const factors = factorsFor(charge, stay)
  const quantity = factors.reduce((sum, [count]) => sum * count, 1)
  const price = charge.amount_cents!
  const counts = factors.map(([count, word]) => pluralize(count, word))
  return {
    ...line,
    quantity,
    unit_cents: price,
    percent: null,
    of_cents: null,
    amount_cents: Number(product(price, quantity)),
    explanation: [...(counts.length > 0 ? counts : ['once']), formatMoney(price, currency)].join(' × '),
  }
}

/** Percentages have four decimal places, so a percentage is an integer number of millionths. */
const million = 1_000_000n
const millionthsOf = ({ percent }: StayCharge) => BigInt(Math.round(percent! * 10_000))

/** The counts that the amount of a charge is multiplied by, each with its name for the explanation. */
function factorsFor(charge: StayCharge, { nights, rooms, guests }: PricingInput): [number, string][] {
  const night: [number, string] = [Math.min(nights.length, charge.charged_nights ?? Infinity), 'night']
  const free = charge.guests_included * rooms
  const guest: [number, string] = [Math.max(0, guests - free), free > 0 ? 'further guest' : 'guest']
  switch (charge.basis) {
    case 'night':
      return [night]
    case 'room':
      return [[rooms, 'room']]
    case 'room_night':
      return [[rooms, 'room'], night]
    case 'guest':
      return [guest]
    case 'guest_night':
      return [guest, night]
    case 'stay':
    case 'percent':
      return []
  }
}

export const pluralize = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

/**
 * Returns what each tax is a percentage of. An added tax is a percentage of the price. The prices contain all included
 * taxes together: with 10 % and 5 % included, a price of 115 contains 10 and 5.
 */
function taxBases(taxes: readonly StayCharge[], base: number, fees: number) {
  const includedTaxes = taxes.filter(({ included, basis }) => included && basis === 'percent')
  const rates = (some: readonly StayCharge[]) =>
    some.reduce((sum, charge) => sum + millionthsOf(charge), million)
  const inBase = rates(includedTaxes)
  const inFees = rates(includedTaxes.filter(({ applies_to }) => applies_to === 'base_and_fees'))
  return ({ included, applies_to }: StayCharge): PercentageBase => {
    const withFees = applies_to === 'base_and_fees' ? fees : 0
    const of = base + withFees
    if (!included) return { numerator: BigInt(of), denominator: 1n, of }
    // The base and the fees, each without the taxes that it includes, as one exact fraction.
    const numerator = (BigInt(base) * inFees + BigInt(withFees) * inBase) * million
    return { numerator, denominator: inBase * inFees, of }
  }
}
