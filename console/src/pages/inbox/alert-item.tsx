import { useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from '@tanstack/react-router'
import { decideCalendarFeed } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { Warning } from '../../components/icons.tsx'
import { screenLink } from '../../components/screen-link.ts'
import { Quoted } from '../../components/sync-error.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useLanguage, useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { causeOf, urgentKinds } from './alert-causes.ts'
import { causeMessages } from './cause-messages.ts'
import { InboxItem } from './inbox-item.tsx'
import type { ItemState } from './inbox-item.tsx'
import { inboxMessages } from './messages.ts'
import { usePaymentLines } from './payment-alert.ts'
import { useRefreshInbox } from './use-inbox.ts'
import type { Alert, AlertGroup } from './use-inbox.ts'
import styles from './details.module.css'

/** Something that is wrong and is neither a conflict nor a failing sync. It closes by itself. */
export const AlertItem = ({ group, ...state }: { group: AlertGroup } & ItemState) => {
  const text = useMessages(causeMessages)
  const inboxText = useMessages(inboxMessages)
  const { language } = useLanguage()
  const { alerts, latest } = group
  const count = alerts.length
  const cause = causeOf(latest.kind, alerts)
  const paymentLines = usePaymentLines()
  const [payment] = paymentLines(latest)
  const message = payment?.sentence ?? (language === 'en' ? latest.message : null)
  return (
    <InboxItem
      {...state}
      id={group.id}
      icon={Warning}
      tone={urgentKinds.includes(latest.kind) ? 'bad' : 'wait'}
      title={text(cause, { count })}
      subject={(count === 1 && message) || text(`${cause}Hint`)}
      {...(count > 1 && { count: String(count) })}
      since={latest.first_at}
    >
      <p className={styles.hint}>{text(`${cause}Hint`)}</p>
      <ul className={styles.listings}>
        {alerts.flatMap((alert) => {
          const payments = paymentLines(alert)
          return payments.length === 0 ? (
            <Line key={alert.id} alert={alert} link={<AlertLink alert={alert} />} />
          ) : (
            payments.map(({ bookingId, sentence }, index) => (
              <Line
                key={`${alert.id} ${index}`}
                {...{ alert, sentence }}
                link={
                  <Link to="/bookings/$bookingId" params={{ bookingId }}>
                    {inboxText('openBooking')}
                  </Link>
                }
              />
            ))
          )
        })}
      </ul>
      {latest.kind === 'calendar_feed.held' && <HeldNights alert={latest} />}
    </InboxItem>
  )
}

interface LineProps {
  alert: Alert
  sentence?: string | null
  link: ReactNode
}

const Line = ({ alert, sentence, link }: LineProps) => (
  <li>
    <span className={styles.grow}>{sentence ?? <Quoted>{alert.message}</Quoted>}</span>
    {link}
  </li>
)

const AlertLink = ({ alert }: { alert: Alert }) => {
  const text = useMessages(inboxMessages)
  const { channel_listing_id, channel_target_id, unit_id } = alert
  if (channel_listing_id)
    return (
      <Link to="/listings/$listingId" params={{ listingId: channel_listing_id }}>
        {text('openListing')}
      </Link>
    )
  if (channel_target_id)
    return <Link {...screenLink(`/channels/${channel_target_id}`)}>{text('openTarget')}</Link>
  if (unit_id)
    return (
      <Link to="/units/$unitId" params={{ unitId: unit_id }}>
        {text('openUnit')}
      </Link>
    )
  return null
}

interface HeldFeed {
  calendar_feed_id: string
  name: string
  /** When these nights were first missing: others that are missing by now are not decided about. */
  since: string
}

const HeldNights = ({ alert }: { alert: Alert }) => {
  const api = useApi()
  const text = useMessages(causeMessages)
  const inboxText = useMessages(inboxMessages)
  const describe = useFailureText()
  const toast = useToast()
  const refresh = useRefreshInbox()
  const { may } = useCaller()
  const [isSending, setSending] = useState(false)
  const refusal = may('units:write') ? null : inboxText('noBookingRole')
  const feeds = (alert.details as { calendar_feeds?: HeldFeed[] }).calendar_feeds ?? []
  const decide = async ({ calendar_feed_id: id, name, since }: HeldFeed, decision: 'accept' | 'keep') => {
    setSending(true)
    try {
      await api.send(decideCalendarFeed, { path: { id }, body: { decision, since } })
      toast({ message: text('decided', { feed: name }) })
    } catch (failure) {
      toast({ message: describe(failure) })
    } finally {
      await refresh()
      setSending(false)
    }
  }
  return feeds.map((feed) => (
    <div key={feed.calendar_feed_id} className={styles.actions}>
      {feeds.length > 1 && <strong>{feed.name}</strong>}
      {(['accept', 'keep'] as const).map((decision) => {
        const action = text(decision === 'accept' ? 'freeNights' : 'keepNights')
        return (
          <ActionButton
            key={decision}
            refusal={refusal}
            loading={isSending}
            label={`${action}: ${feed.name}`}
            onClick={() => void decide(feed, decision)}
          >
            {action}
          </ActionButton>
        )
      })}
    </div>
  ))
}
