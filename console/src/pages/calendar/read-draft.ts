import { readPrice } from '../../i18n/money.ts'
import type { PriceFault } from '../../i18n/money.ts'
import type { ChangeDraft, PriceEdit } from './change-draft.ts'
import type { Weekday } from './nights.ts'

type Closure = 'keep' | 'closed' | 'open'

/** The fields of the editor as they were typed and chosen. */
export interface DraftForm {
  weekdays: Weekday[]
  priceKind: PriceEdit['kind']
  price: string
  minStay: string
  arrival: Closure
  departure: Closure
  sales: Closure
  block: ChangeDraft['block']
  reason: string
}

export type ReadDraft =
  | { draft: ChangeDraft }
  | { fault: 'nothing' | 'badPercent' | 'badStay' }
  | { fault: 'price'; price: PriceFault }

/** Reads the form into a change, or says which field cannot be read. */
export const readDraft = (form: DraftForm, currency: string, locale: string): ReadDraft => {
  const price = readPriceEdit(form, currency, locale)
  if ('fault' in price) return price
  const minStay = form.minStay.trim() === '' ? null : Number(form.minStay)
  if (minStay !== null && !(Number.isInteger(minStay) && minStay >= 1 && minStay <= 999))
    return { fault: 'badStay' }
  const draft: ChangeDraft = {
    weekdays: form.weekdays,
    price,
    minStay,
    closedToArrival: closureOf(form.arrival),
    closedToDeparture: closureOf(form.departure),
    stopSell: closureOf(form.sales),
    block: form.block,
    reason: form.reason.trim(),
  }
  return isEmpty(draft) ? { fault: 'nothing' } : { draft }
}

const isEmpty = ({
  price,
  minStay,
  closedToArrival,
  closedToDeparture,
  stopSell,
  block,
  weekdays,
}: ChangeDraft) =>
  weekdays.length === 0 ||
  (price.kind === 'keep' &&
    block === 'keep' &&
    [minStay, closedToArrival, closedToDeparture, stopSell].every((term) => term === null))

const closureOf = (closure: Closure) => (closure === 'keep' ? null : closure === 'closed')

const readPriceEdit = (
  { priceKind, price: typed }: DraftForm,
  currency: string,
  locale: string,
): PriceEdit | Exclude<ReadDraft, { draft: ChangeDraft }> => {
  if (priceKind === 'keep' || priceKind === 'default') return { kind: priceKind }
  if (priceKind === 'percent') {
    const percent = Number(typed.replace(/[%\s]/g, '').replace(',', '.').replace('−', '-'))
    const isPercent = typed.trim() !== '' && Number.isFinite(percent) && percent >= -100 && percent <= 1000
    return isPercent ? { kind: 'percent', percent } : { fault: 'badPercent' }
  }
  const isNegative = priceKind === 'add' && /^\s*[-−]/.test(typed)
  const read = readPrice(priceKind === 'add' ? typed.replace(/^\s*[-−+]/, '') : typed, currency, locale)
  if ('fault' in read) return { fault: 'price', price: read.fault }
  return { kind: priceKind, cents: isNegative ? -read.priceCents : read.priceCents }
}
