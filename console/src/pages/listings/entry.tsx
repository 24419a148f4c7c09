import type { ReactNode } from 'react'
import type { AuditEntry } from '@vacancy/client'

import { Arrow } from '../../parts/icons.tsx'
import { Moment, utc } from '../../parts/moment.tsx'
import { nameOf } from './accepted.ts'
import { Value } from './value.tsx'
import look from './entry.module.css'

/** One line of the history: who, what from and to, how it went; opened, what was said on the wire. */
export const Entry = ({ entry, currency }: { entry: AuditEntry; currency: string }) => (
  <li className={look.entry} data-status={entry.status}>
    <div className={look.line}>
      <strong className={look.action}>{titleOf(entry)}</strong>
      <span className={look.when}>
        <Moment at={entry.created_at} />
      </span>
    </div>
    <p className={look.who}>{whoOf(entry)}</p>
    {entry.changes.length > 0 && (
      <ul className={look.changes}>
        {entry.changes.map(({ field, before, after }) => (
          <li key={field}>
            <span className={look.field}>{nameOf(field)}</span>
            <span className={look.before}>
              <Value field={field} value={before} currency={currency} />
            </span>
            <Arrow />
            <span className={look.after}>
              <span className="unseen">became</span>
              <Value field={field} value={after} currency={currency} />
            </span>
          </li>
        ))}
      </ul>
    )}
    {entry.error && (
      <p className={look.error}>
        {entry.error.message}
        {entry.error.hint && <span>{entry.error.hint}</span>}
      </p>
    )}
    <details className={look.wire}>
      <summary>{wireOf(entry)}</summary>
      <dl>
        <Line name="Time">{utc(entry.created_at)}</Line>
        {entry.request && (
          <Line name="Request">
            {entry.request.method} {entry.request.path}
          </Line>
        )}
        {entry.request?.payload_hash && <Line name="Payload">{entry.request.payload_hash}</Line>}
        {entry.response && (
          <Line name="Response">
            {[entry.response.http_status, entry.response.summary].filter(Boolean).join(' ')}
          </Line>
        )}
        {entry.response?.request_id && <Line name="PMS request">{entry.response.request_id}</Line>}
        {entry.error && <Line name="Error">{entry.error.code}</Line>}
        {entry.trace_id && <Line name="Trace">{entry.trace_id}</Line>}
      </dl>
    </details>
  </li>
)

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const titles: Record<string, string> = {
  'sync.started': 'Sync started',
  'sync.completed': 'Synced',
  'sync.failed': 'Sync failed',
  'sync.retry_scheduled': 'Will be tried again',
  'sync.skipped': 'Nothing to send',
  'sync.requested': 'Sync asked for',
}

const titleOf = ({ action }: AuditEntry): string => titles[action] ?? nameOf(action.replace(/^sync\./, ''))

const reasons: Record<string, string> = {
  manual: 'by hand',
  change: 'after a change',
  schedule: 'on schedule',
  webhook: 'on word from the PMS',
  reconcile: 'to mend a difference',
  retry: 'as another try',
}

const whoOf = ({ actor, trigger, attempt, max_attempts }: AuditEntry): string =>
  [
    [actor?.name, trigger && (reasons[trigger] ?? trigger)].filter(Boolean).join(', '),
    attempt && attempt > 1 ? `attempt ${attempt} of ${max_attempts}` : null,
  ]
    .filter(Boolean)
    .join(' · ')

const wireOf = ({ response, duration_ms }: AuditEntry): string =>
  [
    response?.http_status ? `HTTP ${response.http_status}` : 'Details',
    duration_ms === null ? null : `${duration_ms.toLocaleString()} ms`,
  ]
    .filter(Boolean)
    .join(' · ')
