import type { ChargeFields } from '../charges/charge.ts'
import { money, product, rounded } from './money.ts'
import type { LineItem, StayPrice } from './stay-price.ts'

/** What a price is made from. */
export interface PricedStay {
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
 * The price of a stay, line by line, in whole minor units: nights, less discounts, plus fees, plus taxes. Each line
 * is computed for itself and rounded half up once, so that the total is the sum of what the guest reads.
 */
export function priceStay(stay: PricedStay): StayPrice {
  const { nights, rooms } = stay
  const charges = stay.charges.filter((charge) => holdsFor(charge, nights.length))
  const ofKind = (kind: StayCharge['kind']) => charges.filter((charge) => charge.kind === kind)
  const subtotal = nights.reduce((sum, { price_cents }) => sum + price_cents, 0) * rooms

  let left = subtotal
  const discounts = ofKind('discount').map((charge) => {
    const line = lineOf(charge, stay, { numerator: BigInt(subtotal), denominator: 1n, of: subtotal })
    const most = Math.min(line.amount_cents, left)
    left -= most
    const capped = most < line.amount_cents ? `${line.explanation}, no more than is left of the nights` : ''
    return { ...line, amount_cents: 0 - most, ...(capped && { explanation: capped }) }
  })
  const fees = ofKind('fee').map((charge) =>
    lineOf(charge, stay, { numerator: BigInt(left), denominator: 1n, of: left }),
  )
  const feesTotal = sumOf(fees)
  const taxShares = sharesOfTaxes(ofKind('tax'), left, feesTotal)
  const taxes = ofKind('tax').map((charge) => lineOf(charge, stay, taxShares(charge)))
  const added = sumOf(taxes.filter(({ included }) => !included))
  const total = left + feesTotal + added
  const deposits = ofKind('deposit').map((charge) =>
    lineOf(charge, stay, { numerator: BigInt(total), denominator: 1n, of: total }),
  )
  return {
    nightly: nights.map(({ date, price_cents }) => ({ date, price_cents })),
    line_items: [nightsLine(stay, subtotal), ...discounts, ...fees, ...taxes, ...deposits],
    subtotal_cents: subtotal,
    discounts_cents: subtotal - left,
    fees_cents: feesTotal,
    taxes_cents: added,
    included_taxes_cents: sumOf(taxes) - added,
    total_cents: total,
    deposit_cents: sumOf(deposits),
  }
}

const holdsFor = ({ min_nights, max_nights }: StayCharge, nights: number) =>
  nights >= (min_nights ?? 0) && nights <= (max_nights ?? Infinity)

const sumOf = (lines: readonly LineItem[]) => lines.reduce((sum, { amount_cents }) => sum + amount_cents, 0)

function nightsLine({ nights, rooms, currency }: PricedStay, subtotal: number): LineItem {
  const prices = new Set(nights.map(({ price_cents }) => price_cents))
  const [price] = prices.size === 1 ? prices : [null]
  const name = [counted(nights.length, 'night'), ...(rooms > 1 ? [counted(rooms, 'room')] : [])].join(' × ')
  const each = price === null ? 'each night at its own price' : money(price!, currency)
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

/** What a percentage is taken of: an exact amount, and how it is shown. */
interface Whole {
  readonly numerator: bigint
  readonly denominator: bigint
  readonly of: number
}

function lineOf(charge: StayCharge, stay: PricedStay, whole: Whole): LineItem {
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
    const within = charge.included ? `, contained in ${money(of, currency)}` : ` of ${money(of, currency)}`
    return {
      ...line,
      quantity: 1,
      unit_cents: null,
      percent: charge.percent,
      of_cents: of,
      amount_cents: rounded(numerator * tenThousandths(charge), denominator * million),
      explanation: `${charge.percent} %${within}`,
    }
  }
  const factors = factorsOf(charge, stay)
  const quantity = factors.reduce((sum, [count]) => sum * count, 1)
  const price = charge.amount_cents!
  const counts = factors.map(([count, word]) => counted(count, word))
  return {
    ...line,
    quantity,
    unit_cents: price,
    percent: null,
    of_cents: null,
    amount_cents: Number(product(price, quantity)),
    explanation: [...(counts.length > 0 ? counts : ['once']), money(price, currency)].join(' × '),
  }
}

/** A whole in millionths: a percentage with four places is a whole number of them. */
const million = 1_000_000n
const tenThousandths = ({ percent }: StayCharge) => BigInt(Math.round(percent! * 10_000))

/** What is counted, in words and numbers. */
function factorsOf(charge: StayCharge, { nights, rooms, guests }: PricedStay): [number, string][] {
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

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

/**
 * What each tax is a share of. One that is added is a share of the price. The prices contain the others all
 * together: with 10 % and 5 % included, 115 hold 10 and 5.
 */
function sharesOfTaxes(taxes: readonly StayCharge[], base: number, fees: number) {
  const contained = taxes.filter(({ included, basis }) => included && basis === 'percent')
  const rates = (some: readonly StayCharge[]) =>
    some.reduce((sum, charge) => sum + tenThousandths(charge), million)
  const inBase = rates(contained)
  const inFees = rates(contained.filter(({ applies_to }) => applies_to === 'base_and_fees'))
  return ({ included, applies_to }: StayCharge): Whole => {
    const withFees = applies_to === 'base_and_fees' ? fees : 0
    const of = base + withFees
    if (!included) return { numerator: BigInt(of), denominator: 1n, of }
    // Each part of the price without the taxes that it contains, as one exact fraction.
    const numerator = (BigInt(base) * inFees + BigInt(withFees) * inBase) * million
    return { numerator, denominator: inBase * inFees, of }
  }
}
