import { lazy, Suspense } from 'react'
import type { ReactNode } from 'react'
import { Link } from '@tanstack/react-router'
import type { contract } from '@vacancy/client'

import { Arrows, Check, Warning } from '../../components/icons.tsx'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Section } from '../../components/section.tsx'
import { useLanguage, useMessages } from '../../i18n/language.tsx'
import { attentionCount } from '../../live/today.ts'
import type { Today } from '../../live/today.ts'
import { causeOf, urgentKinds } from '../inbox/alert-causes.ts'
import { causeMessages } from '../inbox/cause-messages.ts'
import { conflictMessages } from '../inbox/conflict-messages.ts'
import type { InboxPart } from '../inbox/filter.ts'
import { todayMessages } from './messages.ts'
import styles from './attention.module.css'

/** Loaded when there is such an alert: the texts of its reasons would be a part of the first page. */
const PaymentNote = lazy(async () => ({ default: (await import('../inbox/payment-note.tsx')).PaymentNote }))

/** Conflicts, failing syncs by cause, and alerts: what does not go away without a person. */
export const Attention = ({ today }: { today: Today | undefined }) => {
  const text = useMessages(todayMessages)
  return (
    <div className={styles.attention} data-calm={today && attentionCount(today) === 0}>
      <Section title={text('waiting')}>
        {!today ? (
          <TableSkeleton rows={3} />
        ) : attentionCount(today) === 0 ? (
          <div className={styles.nothing}>
            <Check />
            <p>
              <strong>{text('nothing')}</strong>
              {text('nothingText')}
            </p>
          </div>
        ) : (
          <>
            <Conflicts conflicts={today.conflicts} />
            <Failures failures={today.sync_failures} />
            <Alerts alerts={today.alerts} />
          </>
        )}
      </Section>
    </div>
  )
}

const Conflicts = ({ conflicts: { count, booking_conflicts } }: { conflicts: Today['conflicts'] }) => {
  const text = useMessages(todayMessages)
  const conflictText = useMessages(conflictMessages)
  return (
    <Part part="conflicts" count={count} title={text('conflicts', { count })}>
      {booking_conflicts.map(({ id, reason, unit_name, created_at }) => (
        <Item
          key={id}
          {...{ part: 'conflicts', id, tone: 'bad', since: created_at }}
          title={conflictText(reason, { unit: unit_name ?? conflictText('aUnit') })}
        />
      ))}
    </Part>
  )
}

const Failures = ({ failures }: { failures: Today['sync_failures'] }) => {
  const text = useMessages(todayMessages)
  const causeText = useMessages(causeMessages)
  const count = failures?.causes ?? 0
  return (
    <Part part="failures" count={count} title={text('failures', { count })}>
      {failures?.sync_failures.map(({ id, error_code, channel_target_name: target, ...cause }) => (
        <Item
          key={id}
          {...{ part: 'failures', id, tone: cause.failed > 0 ? 'bad' : 'wait', since: cause.first_at }}
          title={causeText(error_code, { target })}
          note={causeText('listings', { count: cause.count })}
        />
      ))}
    </Part>
  )
}

const Alerts = ({ alerts }: { alerts: Today['alerts'] }) => {
  const text = useMessages(todayMessages)
  const count = alerts?.count ?? 0
  return (
    <Part part="alerts" count={count} title={text('alerts', { count })}>
      {alerts?.alerts.map((alert) => (
        <AlertItem key={alert.id} alert={alert} />
      ))}
    </Part>
  )
}

const AlertItem = ({ alert }: { alert: contract.Alert }) => {
  const { id, kind, message, first_at, details } = alert
  const text = useMessages(causeMessages)
  const { language } = useLanguage()
  const cause = causeOf(kind, [alert])
  const hint = language === 'en' ? message : text(`${cause}Hint`)
  const isAboutPayments = 'refunds' in details || 'disputes' in details
  return (
    <Item
      {...{ part: 'alerts', id, tone: urgentKinds.includes(kind) ? 'bad' : 'wait', since: first_at }}
      title={text(cause, { count: 1 })}
      note={
        isAboutPayments ? (
          <Suspense>
            <PaymentNote details={details} fallback={hint} />
          </Suspense>
        ) : (
          hint
        )
      }
    />
  )
}

interface PartProps {
  part: InboxPart
  count: number
  title: string
  children: ReactNode
}

const Part = ({ part, count, title, children }: PartProps) =>
  count > 0 && (
    <section className={styles.part} data-part={part}>
      <h3 className={styles.heading}>
        <Link to="/inbox" search={{ show: part }}>
          {title}
        </Link>
      </h3>
      <ul className={styles.list}>{children}</ul>
    </section>
  )

interface ItemProps {
  part: InboxPart
  id: string
  tone: 'bad' | 'wait'
  title: string
  note?: ReactNode
  since: string
}

const Item = ({ part, id, tone, title, note, since }: ItemProps) => (
  <li className={styles.item}>
    <span className={styles.icon} data-tone={tone}>
      {part === 'failures' ? <Arrows /> : <Warning />}
    </span>
    <div className={styles.words}>
      <Link to="/inbox" search={{ show: part, open: id }} className={styles.title}>
        {title}
      </Link>
      {note && <p className={styles.note}>{note}</p>}
    </div>
    <span className={styles.since}>
      <RelativeTime at={since} />
    </span>
  </li>
)
