import { RelativeTime } from '../../components/relative-time.tsx'
import { useMessages } from '../../i18n/language.tsx'
import type { AcceptedValue } from './accepted-values.ts'
import { FieldName, FieldValue } from './field-value.tsx'
import { listingMessages } from './messages.ts'
import styles from './listing.module.css'

const maxUnfolded = 5

interface AcceptedValuesProps {
  accepted: AcceptedValue[]
  currency: string
  timeZone: string | undefined
}

/** The fields that people ask about most, and the rest folded. */
export const AcceptedValuesList = ({ accepted, ...shared }: AcceptedValuesProps) => {
  const text = useMessages(listingMessages)
  const rest = accepted.slice(maxUnfolded)
  return (
    <>
      <Fields accepted={accepted.slice(0, maxUnfolded)} {...shared} />
      {rest.length > 0 && (
        <details className={styles.more}>
          <summary>{text('more', { count: rest.length })}</summary>
          <Fields accepted={rest} {...shared} />
        </details>
      )}
    </>
  )
}

const Fields = ({ accepted, currency, timeZone }: AcceptedValuesProps) => (
  <dl className={styles.facts}>
    {accepted.map(({ field, value, at }) => (
      <div key={field} className={styles.fact}>
        <dt>
          <FieldName field={field} />
        </dt>
        <dd>
          <span className={styles.value}>
            <FieldValue field={field} value={value} currency={currency} />
          </span>
          <span className={styles.exact}>
            <RelativeTime at={at} timeZone={timeZone} />
          </span>
        </dd>
      </div>
    ))}
  </dl>
)
