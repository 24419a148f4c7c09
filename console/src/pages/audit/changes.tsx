import type { contract } from '@vacancy/client'

import { Arrow } from '../../components/icons.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { auditMessages } from './messages.ts'
import { useWords } from './use-words.ts'
import styles from './audit.module.css'

type Entry = contract.AuditLogEntry
type Change = Entry['changes'][number]

const maxUnfolded = 3

/** The values before and after. Those of a record that is new or gone are folded: there are many. */
export const Changes = ({ entry }: { entry: Entry }) => {
  const text = useMessages(auditMessages)
  const { action } = entry
  const changes = entry.changes.map((change) => withoutSubject(change, entry))
  const isWhole = (action === 'created' || action === 'deleted') && changes.length > 1
  const shown = isWhole ? [] : changes.slice(0, maxUnfolded)
  const rest = changes.slice(shown.length)
  return (
    <>
      <ChangeList changes={shown} currency={entry.currency} />
      {rest.length > 0 && (
        <details className={styles.rest}>
          <summary>{text(isWhole ? 'values' : 'more', { count: rest.length })}</summary>
          <ChangeList changes={rest} currency={entry.currency} />
        </details>
      )}
    </>
  )
}

const ChangeList = ({ changes, currency }: { changes: readonly Change[]; currency: string | null }) => {
  const text = useMessages(auditMessages)
  const words = useWords()
  if (changes.length === 0) return null
  return (
    <ul className={styles.changes}>
      {changes.map(({ field, before, after }, index) => (
        <li key={`${field} ${index}`}>
          {!isSubject(field) && <span className={styles.field}>{words.field(field)}</span>}
          {after === 'not shown' ? (
            <span>{text('notShown')}</span>
          ) : (
            <>
              {before !== null && (
                <span className={styles.before}>{words.value(field, before, currency)}</span>
              )}
              {before !== null && after !== null && (
                <>
                  <Arrow />
                  <span className="unseen">{text('became')}</span>
                </>
              )}
              {(after !== null || before === null) && <span>{words.value(field, after, currency)}</span>}
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Fields that name the subject of the entry, which the heading shows. */
const isSubject = (field: string) => field === 'calendar' || field === 'sales_stop'

const withoutSubject = (change: Change, { unit_id }: Entry): Change =>
  unit_id === null
    ? change
    : { ...change, before: without(change.before, unit_id), after: without(change.after, unit_id) }

const without = (value: unknown, unitId: string): unknown =>
  value !== null && typeof value === 'object' && 'unit_id' in value && value.unit_id === unitId
    ? { ...value, unit_id: null }
    : value
