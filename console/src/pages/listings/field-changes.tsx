import type { AuditEntry } from '@vacancy/client'

import { Arrow } from '../../components/icons.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { FieldName, FieldValue } from './field-value.tsx'
import { listingMessages } from './messages.ts'
import styles from './audit-entry.module.css'

type Change = AuditEntry['changes'][number]

const maxUnfolded = 4

interface FieldChangesProps {
  changes: Change[]
  currency: string
}

/** The values before and after; a first sync changes every field, so only the first ones are unfolded. */
export const FieldChanges = ({ changes, currency }: FieldChangesProps) => {
  const text = useMessages(listingMessages)
  const rest = changes.slice(maxUnfolded)
  return (
    <>
      <ChangeList changes={changes.slice(0, maxUnfolded)} currency={currency} />
      {rest.length > 0 && (
        <details className={styles.details}>
          <summary>{text('moreFields', { count: rest.length })}</summary>
          <ChangeList changes={rest} currency={currency} />
        </details>
      )}
    </>
  )
}

const ChangeList = ({ changes, currency }: FieldChangesProps) => {
  const text = useMessages(listingMessages)
  if (changes.length === 0) return null
  return (
    <ul className={styles.changes}>
      {changes.map(({ field, before, after }) => (
        <li key={field}>
          <span className={styles.field}>
            <FieldName field={field} />
          </span>
          {before !== null && (
            <>
              <span className={styles.before}>
                <FieldValue field={field} value={before} currency={currency} />
              </span>
              <Arrow />
              <span className="unseen">{text('became')}</span>
            </>
          )}
          <span className={styles.after}>
            <FieldValue field={field} value={after} currency={currency} />
          </span>
        </li>
      ))}
    </ul>
  )
}
