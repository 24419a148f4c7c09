import type { AuditEntry } from '@vacancy/client'

import { Moment, utc } from '../../parts/moment.tsx'
import { nameOf } from './accepted.ts'
import { Changes } from './changes.tsx'
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
    <Changes changes={entry.changes} currency={currency} />
    {entry.error && (
      <p className={look.error}>
        {entry.error.message}
        <span>{entry.error.hint}</span>
      </p>
    )}
    <details className={look.wire}>
      <summary>{wireOf(entry)}</summary>
      <dl>
        <Line name="Time">{utc(entry.created_at)}</Line>
        <Line name="Request">{entry.request ? `${entry.request.method} ${entry.request.path}` : ''}</Line>
        <Line name="Payload">{entry.request?.payload_hash ?? ''}</Line>
        <Line name="Response">
          {entry.response ? `${entry.response.http_status ?? ''} ${entry.response.summary}`.trim() : ''}
        </Line>
        <Line name="PMS request">{entry.response?.request_id ?? ''}</Line>
        <Line name="Error">{entry.error?.code ?? ''}</Line>
        <Line name="Trace">{entry.trace_id ?? ''}</Line>
      </dl>
    </details>
  </li>
)

const Line = ({ name, children }: { name: string; children: string }) =>
  children && (
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
  'sync.verified': 'Looked: the PMS has everything',
  'sync.repaired': 'Mended at the PMS',
  'sync.superseded': 'Overtaken by a newer change',
  'listing.linked': 'Linked',
  'listing.unlinked': 'Unlinked',
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
