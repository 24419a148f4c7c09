import { readPrice } from '../../i18n/money.ts'
import type { PriceFault } from '../../i18n/money.ts'
import type { ChangeDraft, PriceEdit } from './change-draft.ts'
import type { Weekday } from './nights.ts'

export type Closure = 'keep' | 'closed' | 'open'

/** The fields of the editor as they were typed and chosen. */
export interface DraftForm {
  weekdays: Weekday[]
  priceKind: PriceEdit['kind']
  price: string
  minStay: string
  maxStay: string
  arrival: Closure
  departure: Closure
  sales: Closure
  block: ChangeDraft['block']
  rooms: string
  reason: string
}

export type DraftFault =
  | { fault: 'nothing' | 'noWeekday' | 'badPercent' | 'badStay' | 'badRooms' | 'currencies' }
  | { fault: 'price'; price: PriceFault }
export type ReadDraft = { draft: ChangeDraft } | DraftFault

/** Reads the form into a change of units with these currencies, or says which field cannot be read. */
export const readDraft = (form: DraftForm, currencies: ReadonlySet<string>, locale: string): ReadDraft => {
  const price = readPriceEdit(form, currencies, locale)
  if ('fault' in price) return price
  const [minStay, maxStay] = [readCount(form.minStay, 999), readCount(form.maxStay, 999)]
  if (minStay === undefined || maxStay === undefined) return { fault: 'badStay' }
  if (minStay !== null && maxStay !== null && minStay > maxStay) return { fault: 'badStay' }
  const rooms = readCount(form.rooms, 10_000)
  if (rooms === undefined) return { fault: 'badRooms' }
  if (form.weekdays.length === 0) return { fault: 'noWeekday' }
  const draft: ChangeDraft = {
    weekdays: form.weekdays,
    price,
    minStay,
    maxStay,
    closedToArrival: closureOf(form.arrival),
    closedToDeparture: closureOf(form.departure),
    stopSell: closureOf(form.sales),
    block: form.block,
    rooms,
    reason: form.reason.trim(),
  }
  return isEmpty(draft) ? { fault: 'nothing' } : { draft }
}

const isEmpty = ({ price, block, ...terms }: ChangeDraft) =>
  price.kind === 'keep' &&
  block === 'keep' &&
  [terms.minStay, terms.maxStay, terms.closedToArrival, terms.closedToDeparture, terms.stopSell].every(
    (term) => term === null,
  )

const closureOf = (closure: Closure) => (closure === 'keep' ? null : closure === 'closed')

/** Null for an empty field, undefined for what is no count. */
const readCount = (typed: string, max: number): number | null | undefined => {
  if (typed.trim() === '') return null
  const count = Number(typed)
  return Number.isInteger(count) && count >= 1 && count <= max ? count : undefined
}

const readPriceEdit = (
  { priceKind, price: typed }: DraftForm,
  currencies: ReadonlySet<string>,
  locale: string,
): PriceEdit | DraftFault => {
  if (priceKind === 'keep' || priceKind === 'default') return { kind: priceKind }
  if (priceKind === 'percent') {
    const percent = Number(typed.replace(/[%\s]/g, '').replace(',', '.').replace('−', '-'))
    const isPercent = typed.trim() !== '' && Number.isFinite(percent) && percent >= -99 && percent <= 1000
    return isPercent ? { kind: 'percent', percent } : { fault: 'badPercent' }
  }
  const [currency = 'eur'] = currencies
  if (currencies.size > 1) return { fault: 'currencies' }
  const isNegative = priceKind === 'add' && /^\s*[-−]/.test(typed)
  const read = readPrice(priceKind === 'add' ? typed.replace(/^\s*[-−+]/, '') : typed, currency, locale)
  if ('fault' in read) return { fault: 'price', price: read.fault }
  return { kind: priceKind, cents: isNegative ? -read.priceCents : read.priceCents }
}
