import type { contract } from '@vacancy/client'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { detailMessages } from './booking-detail-messages.ts'
import { priceMessages } from './price-messages.ts'
import styles from './booking.module.css'

type Priced = Pick<contract.Quote, 'line_items' | 'total_cents' | 'currency'>

/** The lines of a price, each with how it was calculated. */
export const PriceLines = ({ line_items, total_cents, currency }: Priced) => {
  const text = useMessages(detailMessages)
  const format = useFormat()
  const translate = useTranslate(currency)
  return (
    <dl className={styles.lines}>
      {line_items.map((line, index) => {
        const { type, name, explanation, included, amount_cents } = line
        return (
          <div key={index} data-apart={type === 'deposit' || included}>
            <dt>
              {type === 'base' ? translate(line, name) : name}
              <span>{type === 'deposit' ? text('deposit') : translate(line, explanation)}</span>
            </dt>
            <dd>
              {format.money(amount_cents, currency)}
              {included && <span>{text('included')}</span>}
            </dd>
          </div>
        )
      })}
      <div className={styles.total}>
        <dt>{text('total')}</dt>
        <dd>{format.money(total_cents, currency)}</dd>
      </div>
    </dl>
  )
}

const counts = /\b(\d{1,9}) (further guest|guest|night|room)s?/
const phrases = /once|each night at its own price|limited to the price of the nights|contained in|(?<=% )of/
const amount = /[A-Z]{3} \d+(?:,\d{3})*(?:\.\d+)?/
const percentage = /\b\d{1,3}(?:\.\d{1,4})?(?= %)/
const vocabulary = new RegExp(
  [counts, phrases, amount, percentage].map(({ source }) => source).join('|'),
  'g',
)

/** The API explains in English: each word, amount and number of it is written as the person reads it. */
const useTranslate = (currency: string) => {
  const text = useMessages(priceMessages)
  const format = useFormat()
  return ({ unit_cents, of_cents, percent }: contract.LineItem, english: string) =>
    english.replace(vocabulary, (found: string, count?: string, counted?: string) =>
      counted
        ? text(counted as 'night', { count: Number(count) })
        : found in priceMessages.en
          ? text(found as 'once')
          : found.startsWith(currency.toUpperCase())
            ? format.money(unit_cents ?? of_cents ?? 0, currency)
            : format.number(percent ?? 0),
    )
}
