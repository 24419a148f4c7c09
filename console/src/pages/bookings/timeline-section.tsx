import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { listBookingTimeline, resendNotification } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { Arrows, Book, Coins, Mail, Pencil, Tag } from '../../components/icons.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { usePaymentFailure } from '../../i18n/payment-failure.ts'
import { useApi, useCaller } from '../../session/api.tsx'
import { bookingMessages } from './booking-messages.ts'
import { TimelineChanges } from './timeline-changes.tsx'
import { timelineMessages } from './timeline-messages.ts'
import { useEntryTitle } from './use-entry-title.ts'
import styles from './booking.module.css'

type Entry = contract.TimelineEntry

const icons = { change: Pencil, quote: Tag, payment: Coins, refund: Coins, notification: Mail, push: Arrows }
/** Mails and pushes follow within seconds. */
const refetchMs = 15_000

interface TimelineSectionProps {
  booking: contract.Booking
  timeZone: string | undefined
}

/** All that happened to a booking, the latest first. */
export const TimelineSection = ({ booking, timeZone }: TimelineSectionProps) => {
  const text = useMessages(timelineMessages)
  const titleOf = useEntryTitle()
  const reasonOf = usePaymentFailure()
  const api = useApi()
  const {
    data: entries,
    error,
    refetch,
  } = useQuery({
    queryKey: [listBookingTimeline.path, booking.id],
    queryFn: async ({ signal }) =>
      (await api.send(listBookingTimeline, { path: { id: booking.id }, signal })).timeline,
    refetchInterval: refetchMs,
  })
  return (
    <Section title={text('title')}>
      <ProblemNote failure={entries ? null : error} onRetry={() => void refetch()} />
      {entries?.length === 0 && <p className={styles.hint}>{text('empty')}</p>}
      <ol className={styles.timeline}>
        {entries?.map((entry) => {
          const Icon = entry.action === 'booking.created' ? Book : icons[entry.kind]
          return (
            <li key={entry.id} data-tone={hasFailed(entry) ? 'bad' : undefined}>
              <span className={styles.mark}>
                <Icon />
              </span>
              {titleOf(entry)}{' '}
              <span className={styles.when}>
                <RelativeTime at={entry.occurred_at} timeZone={timeZone} />
                {entry.actor && ` ${text('by', { actor: entry.actor })}`}
              </span>
              {entry.action !== 'booking.created' && (
                <TimelineChanges changes={entry.changes} booking={booking} timeZone={timeZone} />
              )}
              {entry.kind === 'notification' && <span className={styles.note}>{entry.name}</span>}
              {entry.message && (
                <span className={styles.note}>
                  {entry.kind === 'payment' || entry.kind === 'refund'
                    ? text('failedBecause', { reason: reasonOf(entry.message, entry.kind) })
                    : entry.message.replaceAll('_', ' ')}
                </span>
              )}
              {entry.kind === 'notification' && entry.status !== 'queued' && (
                <ResendButton id={entry.id} onSent={() => void refetch()} />
              )}
            </li>
          )
        })}
      </ol>
    </Section>
  )
}

const hasFailed = ({ kind, status, action }: Entry) =>
  status === 'failed' || (kind === 'push' && action === 'sync.failed')

const ResendButton = ({ id, onSent }: { id: string; onSent: () => void }) => {
  const text = useMessages(timelineMessages)
  const word = useMessages(bookingMessages)
  const describe = useFailureText()
  const toast = useToast()
  const api = useApi()
  const { may } = useCaller()
  const [isSending, setSending] = useState(false)
  const maySend = may('notifications:send')
  const resend = async () => {
    setSending(true)
    try {
      await api.send(resendNotification, { path: { id } })
      toast({ message: text('resent') })
      onSent()
    } catch (failure) {
      toast({ message: describe(failure) })
    }
    setSending(false)
  }
  return (
    <button
      type="button"
      className={styles.link}
      disabled={!maySend || isSending}
      title={maySend ? undefined : word('noPermission')}
      onClick={() => void resend()}
    >
      {text('resend')}
    </button>
  )
}
