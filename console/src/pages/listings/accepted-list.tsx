import { Moment } from '../../parts/moment.tsx'
import { nameOf } from './accepted.ts'
import type { Accepted } from './accepted.ts'
import { Value } from './value.tsx'
import look from './listing.module.css'

const shownFirst = 5

/** The few fields people ask about, and the rest behind a fold. */
export const AcceptedList = ({ accepted, currency }: { accepted: Accepted[]; currency: string }) => {
  const rest = accepted.slice(shownFirst)
  return (
    <>
      <Fields accepted={accepted.slice(0, shownFirst)} currency={currency} />
      {rest.length > 0 && (
        <details className={look.more}>
          <summary>{rest.length} more</summary>
          <Fields accepted={rest} currency={currency} />
        </details>
      )}
    </>
  )
}

const Fields = ({ accepted, currency }: { accepted: Accepted[]; currency: string }) => (
  <dl className={look.facts}>
    {accepted.map(({ field, value, at }) => (
      <div key={field} className={look.fact}>
        <dt>{nameOf(field)}</dt>
        <dd>
          <span className={look.value}>
            <Value field={field} value={value} currency={currency} />
          </span>
          <span className={look.exact}>
            <Moment at={at} />
          </span>
        </dd>
      </div>
    ))}
  </dl>
)
