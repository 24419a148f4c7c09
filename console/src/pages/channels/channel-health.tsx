import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { listAlerts, listSyncAudit } from '@vacancy/client'
import type { ChannelTarget } from '@vacancy/client'

import { RelativeTime } from '../../components/relative-time.tsx'
import { Fact, Facts, Section } from '../../components/section.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import type { SyncTarget } from './channel-state.tsx'
import { ListingCounts } from './channel-state.tsx'
import { detailMessages } from './detail-messages.ts'
import { channelMessages } from './messages.ts'
import styles from './channels.module.css'

interface HealthProps {
  target: ChannelTarget
  sync: SyncTarget | undefined
}

/** Whether the PMS answers, what waits for it, and when it was last compared with what is stored here. */
export const ChannelHealth = ({ target, sync }: HealthProps) => {
  const text = useMessages(detailMessages)
  const words = useMessages(channelMessages)
  const format = useFormat()
  const moment = (at: string) => <RelativeTime at={at} />
  const { oldest_change_at: oldest, expected_at: expected } = sync?.queue ?? {}
  return (
    <Section title={text('health')}>
      <Facts>
        <Fact
          name={text('checkedAt')}
          note={target.last_health_check_at && format.dateTime(target.last_health_check_at)}
        >
          {target.last_health_check_at ? moment(target.last_health_check_at) : words('never')}
        </Fact>
        {sync?.circuit.next_probe_at && (
          <Fact name={text('nextProbe')}>{moment(sync.circuit.next_probe_at)}</Fact>
        )}
        <Fact name={words('listings')}>{sync && <ListingCounts sync={sync} />}</Fact>
        {oldest && <Fact name={text('oldest')}>{moment(oldest)}</Fact>}
        {expected && Date.parse(expected) > Date.now() && (
          <Fact name={text('expected')}>{moment(expected)}</Fact>
        )}
        <Fact name={text('readBack')} note={sync && `${text('next')}: ${format.dateTime(sync.reconcile_at)}`}>
          {sync?.reconciled_at ? moment(sync.reconciled_at) : words('never')}
        </Fact>
      </Facts>
    </Section>
  )
}

const lowShare = 0.2

/** How many calls the PMS still allows in the running window, by kind of call. */
export const ChannelBudget = ({ sync }: { sync: SyncTarget | undefined }) => {
  const text = useMessages(detailMessages)
  const words = useMessages(channelMessages)
  const format = useFormat()
  return (
    <Section title={text('budget')}>
      {sync?.budgets.length === 0 && <p className={styles.quiet}>{text('noBudget')}</p>}
      {sync?.budgets.map(({ kind, limit, remaining, window_seconds, next_call_at }) => (
        <div key={kind}>
          <Facts>
            <Fact
              name={sync.budgets.length > 1 ? text('kind', { kind }) : text('budget')}
              note={
                next_call_at
                  ? text('nextCall', { when: format.timeAgo(next_call_at, Date.now()) })
                  : text('perWindow', { limit: format.number(limit), seconds: window_seconds })
              }
            >
              {words('callsLeft', { remaining: format.number(remaining), limit: format.number(limit) })}
            </Fact>
          </Facts>
          <div className={styles.bar} data-low={remaining / limit < lowShare} aria-hidden="true">
            <span style={{ width: `${(100 * remaining) / limit}%` }} />
          </div>
        </div>
      ))}
    </Section>
  )
}

interface HistoryEvent {
  id: string
  at: string
  isOpen: boolean
  content: ReactNode
}

const shownEvents = 8

/** Outages and pauses, the newest first. */
export const ChannelHistory = ({ target: { id: channelId, status } }: { target: ChannelTarget }) => {
  const api = useApi()
  const text = useMessages(detailMessages)
  const format = useFormat()
  const shared = { channel_target_id: channelId, limit: shownEvents }
  const { data: alerts } = useQuery({
    // A changed state has an entry of its own.
    queryKey: [listAlerts.path, channelId, status],
    queryFn: ({ signal }) =>
      api.send(listAlerts, { query: { ...shared, kind: 'target.error', sort: '-first_at' }, signal }),
    placeholderData: (before) => before,
  })
  const { data: audit } = useQuery({
    queryKey: [listSyncAudit.path, channelId, status],
    queryFn: ({ signal }) =>
      api.send(listSyncAudit, {
        query: { ...shared, action: ['target.paused', 'target.resumed'] },
        signal,
      }),
    placeholderData: (before) => before,
  })
  if (!alerts || !audit) return null
  const events: HistoryEvent[] = [
    ...alerts.alerts.map(({ id, first_at, resolved_at, message, times }) => ({
      id,
      at: first_at,
      isOpen: resolved_at === null,
      content: (
        <>
          {text('outage', { message })}{' '}
          <span className={styles.quiet}>
            {[
              text('outageTimes', { count: times }),
              resolved_at && text('until', { when: format.dateTime(resolved_at) }),
            ]
              .filter(Boolean)
              .join(', ')}
          </span>
        </>
      ),
    })),
    ...audit.audit.map(({ id, created_at, action, actor }) => ({
      id,
      at: created_at,
      isOpen: false,
      content: text(action === 'target.paused' ? 'pausedBy' : 'resumedBy', { name: actor?.name ?? '–' }),
    })),
  ].toSorted((a, b) => b.at.localeCompare(a.at))
  return (
    <Section title={text('history')}>
      {events.length === 0 && <p className={styles.quiet}>{text('noHistory')}</p>}
      <ol className={styles.events}>
        {events.slice(0, shownEvents).map(({ id, at, isOpen, content }) => (
          <li key={id}>
            <p data-open={isOpen}>{content}</p>
            <RelativeTime at={at} />
          </li>
        ))}
      </ol>
    </Section>
  )
}
