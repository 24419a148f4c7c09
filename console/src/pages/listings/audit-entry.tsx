import type { AuditEntry as Entry } from '@vacancy/client'

import { RelativeTime } from '../../components/relative-time.tsx'
import { Quoted, SyncError } from '../../components/sync-error.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { nameOf } from './accepted-values.ts'
import { FieldChanges } from './field-changes.tsx'
import { historyMessages } from './history-messages.ts'
import styles from './audit-entry.module.css'

interface AuditEntryProps {
  entry: Entry
  currency: string
  timeZone: string | undefined
}

/** One attempt: what was done, by whom and why, the changed values, and the call that was made. */
export const AuditEntry = ({ entry, currency, timeZone }: AuditEntryProps) => {
  const text = useMessages(historyMessages)
  const format = useFormat()
  const { action, actor, trigger, attempt, max_attempts, request, response, error, duration_ms } = entry
  const who = [
    [actor?.name, trigger && text(trigger)].filter(Boolean).join(', '),
    attempt && attempt > 1 ? text('attempt', { attempt, max: max_attempts ?? attempt }) : null,
  ]
  const summary = [
    response?.http_status ? `HTTP ${response.http_status}` : text('details'),
    duration_ms === null ? null : `${format.number(duration_ms)} ms`,
  ]
  return (
    <li className={styles.entry} data-status={entry.status}>
      <div className={styles.head}>
        <strong className={styles.action}>
          {isKnown(action) ? text(action) : nameOf(action.replace(/^sync\./, ''))}
        </strong>
        <span className={styles.when}>
          <RelativeTime at={entry.created_at} timeZone={timeZone} />
        </span>
      </div>
      <p className={styles.who}>{who.filter(Boolean).join(' · ')}</p>
      <FieldChanges changes={entry.changes} currency={currency} />
      {error && (
        <p className={styles.error}>
          <SyncError code={error.code} message={error.message} target="PMS" />
          {error.hint && (
            <span>
              <Quoted>{error.hint}</Quoted>
            </span>
          )}
        </p>
      )}
      <details className={styles.details}>
        <summary>{summary.filter(Boolean).join(' · ')}</summary>
        <dl>
          <Fact name={text('time')}>{format.dateTime(entry.created_at, timeZone)}</Fact>
          <Fact name={text('request')}>{request ? `${request.method} ${request.path}` : ''}</Fact>
          <Fact name={text('payload')}>{request?.payload_hash ?? ''}</Fact>
          <Fact name={text('response')}>
            {response ? `${response.http_status ?? ''} ${response.summary}`.trim() : ''}
          </Fact>
          <Fact name={text('pmsRequest')}>{response?.request_id ?? ''}</Fact>
          <Fact name={text('error')}>{error?.code ?? ''}</Fact>
          <Fact name={text('trace')}>{entry.trace_id ?? ''}</Fact>
        </dl>
      </details>
    </li>
  )
}

const Fact = ({ name, children }: { name: string; children: string }) =>
  children && (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )

const isKnown = (action: string): action is keyof (typeof historyMessages)['en'] =>
  Object.hasOwn(historyMessages.en, action)
