import type { contract } from '@vacancy/client'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { dateOf, weekdays } from './nights.ts'
import { seasonMessages } from './season-messages.ts'

/** A value of a season as a sentence: `1 Jul 2027 – 31 Aug 2027, Fri, Sat: +25%, at least 3 nights`. */
export const useSeasonWords = (currency: string) => {
  const text = useMessages(seasonMessages)
  const format = useFormat()
  const signed = new Intl.NumberFormat(format.locale, { signDisplay: 'exceptZero', maximumFractionDigits: 2 })
  return (value: contract.SeasonValue): string => {
    const days = weekdays.flatMap((day, index) =>
      value.weekdays?.includes(day) ? [format.weekday(dateOf(4 + index))] : [],
    )
    const dates = [format.date(value.date_from), format.date(value.date_to)]
    const when = [[...new Set(dates)].join(' – '), ...days].join(', ')
    const { price_cents, price_percent, price_delta_cents, min_stay_arrival, max_stay } = value
    const what = [
      price_cents === null && text('basePrice'),
      price_cents && text('price', { price: format.money(price_cents, currency) }),
      price_percent !== undefined && `${signed.format(price_percent)} %`,
      price_delta_cents !== undefined &&
        `${price_delta_cents < 0 ? '−' : '+'}${format.money(Math.abs(price_delta_cents), currency)}`,
      min_stay_arrival && text('minStay', { nights: min_stay_arrival }),
      max_stay && text('maxStay', { nights: max_stay }),
      isBoolean(value.closed_to_arrival) && text(value.closed_to_arrival ? 'noArrival' : 'arrival'),
      isBoolean(value.closed_to_departure) && text(value.closed_to_departure ? 'noDeparture' : 'departure'),
      isBoolean(value.stop_sell) && text(value.stop_sell ? 'stopSell' : 'sold'),
    ]
    return `${when}: ${what.filter(Boolean).join(', ')}`
  }
}

const isBoolean = (value: boolean | null | undefined): value is boolean => typeof value === 'boolean'
