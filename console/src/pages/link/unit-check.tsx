import { useState } from 'react'
import type { ChannelListing, contract } from '@vacancy/client'

import { Warning } from '../../components/icons.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { FieldName, FieldValue } from '../listings/field-value.tsx'
import { countNights, openedRanges, opensNights } from './closures.ts'
import type { Difference, Proof } from './closures.ts'
import type { RatePlan } from './match.ts'
import { linkMessages } from './messages.ts'
import styles from './check.module.css'

interface UnitCheckProps {
  listing: ChannelListing
  proof: Proof | undefined
  problems: contract.PreflightProblem[]
  plans: readonly RatePlan[]
}

/** What is wrong with one unit, and what the first sync would change of it. */
export const UnitCheck = ({ listing, proof, problems, plans }: UnitCheckProps) => {
  const text = useMessages(linkMessages)
  return (
    <>
      {problems.length > 0 && (
        <ul className={styles.problems}>
          {problems.map(({ severity, code, field, message, hint }) => (
            <li key={`${code} ${field} ${message}`} data-severity={severity}>
              <Warning />
              <div>
                {severity === 'error' && <strong>{text('blocked')}. </strong>}
                {message} <span>{hint}</span>
              </div>
            </li>
          ))}
        </ul>
      )}
      {proof && <Changes listing={listing} proof={proof} plans={plans} />}
    </>
  )
}

const Changes = ({
  listing,
  proof,
  plans,
}: Required<Omit<UnitCheckProps, 'problems'>> & { proof: Proof }) => {
  const text = useMessages(linkMessages)
  const { differences, error_message } = proof
  if (listing.external_id === null) return <p className={styles.facts}>{text('created')}</p>
  if (error_message)
    return (
      <p className={styles.facts}>
        <span data-bad="true">{text('cannotRead', { reason: error_message })}</span>
      </p>
    )
  if (differences.some(({ field }) => field === 'unit'))
    return <p className={styles.facts}>{text('created')}</p>
  if (differences.length === 0) return <p className={styles.facts}>{text('equal')}</p>
  const ofNights = differences.filter(({ date_from }) => date_from !== null)
  const ofContent = differences.filter(({ date_from }) => date_from === null)
  const opened = countNights(openedRanges(differences))
  return (
    <>
      <p className={styles.facts}>
        {ofNights.length > 0 && <span>{text('nights', { count: countNights(union(ofNights)) })}</span>}
        {opened > 0 && <span data-opened="true">{text('opened', { count: opened })}</span>}
        {ofContent.length > 0 && (
          <span>
            {ofContent.map(({ field }, index) => (
              <span key={field}>
                {index > 0 && ', '}
                <FieldName field={field} />
              </span>
            ))}
          </span>
        )}
      </p>
      <DifferenceTable differences={differences} plans={plans} currency={listing.unit.currency} />
    </>
  )
}

const union = (differences: readonly Difference[]) => {
  const nights = differences
    .map(({ date_from, date_to }) => ({ date_from: date_from ?? '', date_to: date_to ?? '' }))
    .toSorted((a, b) => a.date_from.localeCompare(b.date_from))
  const ranges: typeof nights = []
  for (const { date_from, date_to } of nights) {
    const last = ranges.at(-1)
    if (last && date_from <= last.date_to) last.date_to = date_to > last.date_to ? date_to : last.date_to
    else ranges.push({ date_from, date_to })
  }
  return ranges
}

interface DifferenceTableProps {
  differences: readonly Difference[]
  plans: readonly RatePlan[]
  currency: string
}

const maxRows = 200

/** Stretch by stretch, first those that would be opened: what the PMS shows now, and what it shows afterwards. */
const DifferenceTable = ({ differences, plans, currency }: DifferenceTableProps) => {
  const text = useMessages(linkMessages)
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  const rows = differences.toSorted(
    (a, b) =>
      Number(opensNights(b)) - Number(opensNights(a)) || (a.date_from ?? '').localeCompare(b.date_from ?? ''),
  )
  return (
    <details className={styles.changes} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text('showNights')}</summary>
      {isOpen && (
        <div className={styles.scroll} tabIndex={0} role="group" aria-label={text('showNights')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{text('nightsOf')}</th>
                <th scope="col">{text('what')}</th>
                <th scope="col">{text('now')}</th>
                <th scope="col">{text('then')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, maxRows).map((difference) => {
                const { field, rate_plan_id, date_from, date_to, desired, read_back } = difference
                const plan = plans.find(({ id }) => id === rate_plan_id)
                return (
                  <tr key={`${field} ${rate_plan_id} ${date_from}`} data-opens={opensNights(difference)}>
                    <td>
                      {date_from === null ? '–' : <time>{format.date(date_from)}</time>}
                      {date_to !== null && date_to !== date_from && (
                        <>
                          {' – '}
                          <time>{format.date(date_to)}</time>
                        </>
                      )}
                    </td>
                    <td>
                      <FieldName field={field} />
                      {plan && !plan.is_default && ` (${plan.name})`}
                    </td>
                    <td>
                      <FieldValue field={field} value={read_back} currency={currency} />
                    </td>
                    <td>
                      <FieldValue field={field} value={desired} currency={currency} />
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
          {rows.length > maxRows && (
            <p className={styles.quiet}>{text('moreRows', { count: rows.length - maxRows })}</p>
          )}
        </div>
      )}
    </details>
  )
}
