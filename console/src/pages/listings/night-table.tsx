import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { FieldName } from './field-value.tsx'
import { listingMessages } from './messages.ts'
import type { Night, ProofNight } from './proof-nights.ts'
import styles from './listing-page.module.css'

/** Each night in a row; what the PMS shows differently is marked, and what it has not accepted yet. */
export const NightTable = ({ nights, currency }: { nights: ProofNight[]; currency: string }) => {
  const text = useMessages(listingMessages)
  const format = useFormat()
  const none: ReadonlySet<string> = new Set()
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{text('night')}</th>
          <th scope="col">{text('wanted')}</th>
          <th scope="col">{text('acceptedThere')}</th>
          <th scope="col">{text('shownThere')}</th>
        </tr>
      </thead>
      <tbody>
        {nights.map(({ date, desired, accepted, shown, differs, unaccepted }) => (
          <tr key={date} data-night={date} data-differs={differs.size > 0}>
            <th scope="row">{format.shortDate(date)}</th>
            <td data-label={text('wanted')}>
              <Terms night={desired} currency={currency} bad={none} late={none} />
            </td>
            <td data-label={text('acceptedThere')}>
              <Terms night={accepted} currency={currency} bad={none} late={unaccepted} />
            </td>
            <td data-label={text('shownThere')}>
              <Terms night={shown} currency={currency} bad={differs} late={none} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface TermsProps {
  night: Night
  currency: string
  bad: ReadonlySet<string>
  late: ReadonlySet<string>
}

/** The values of a night in words; those that say nothing special are left out. */
const Terms = ({ night, currency, bad, late }: TermsProps) => {
  const text = useMessages(listingMessages)
  const format = useFormat()
  const { available, price_cents, min_stay_arrival, min_stay_through, max_stay } = night
  const parts: [string, string | false][] = [
    ['available', available !== undefined && text('rooms', { count: available })],
    ['price_cents', typeof price_cents === 'number' && format.money(price_cents, currency)],
    ['min_stay_arrival', (min_stay_arrival ?? 1) > 1 && text('stayFrom', { count: min_stay_arrival ?? 1 })],
    ['min_stay_through', (min_stay_through ?? 1) > 1 && text('stayFrom', { count: min_stay_through ?? 1 })],
    ['max_stay', typeof max_stay === 'number' && text('stayTo', { count: max_stay })],
    ['closed_to_arrival', night.closed_to_arrival === true && text('noArrival')],
    ['closed_to_departure', night.closed_to_departure === true && text('noDeparture')],
    ['stop_sell', night.stop_sell === true && text('stopped')],
  ]
  const shown = parts.filter(([term, words]) => words || bad.has(term))
  if (shown.length === 0) return <span className={styles.quiet}>{text('nothing')}</span>
  return (
    <span className={styles.terms}>
      {shown.map(([term, words]) => (
        <span key={term} data-term={term} data-bad={bad.has(term)} data-late={late.has(term)}>
          {words || (
            <>
              <FieldName field={term} />: {text('nothing')}
            </>
          )}
        </span>
      ))}
    </span>
  )
}
