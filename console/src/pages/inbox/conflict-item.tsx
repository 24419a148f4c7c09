import { useState } from 'react'
import { Button } from '@mantine/core'
import { retryBookingConflict } from '@vacancy/client'

import { Warning } from '../../components/icons.tsx'
import { ActionButton } from '../../components/action-button.tsx'
import { screenLink } from '../../components/screen-link.ts'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { Link } from '@tanstack/react-router'
import { AcceptDialog, DismissDialog } from './conflict-dialogs.tsx'
import { conflictMessages } from './conflict-messages.ts'
import { InboxItem } from './inbox-item.tsx'
import type { ItemState } from './inbox-item.tsx'
import { inboxMessages } from './messages.ts'
import { OccupantCard } from './occupant-card.tsx'
import { nightsBetween, occupantsOf, stayOf } from './stay.ts'
import { useRefreshInbox } from './use-inbox.ts'
import type { Conflict } from './use-inbox.ts'
import styles from './details.module.css'

/** Reasons for which the booking can be given a room by hand. */
const acceptable: readonly Conflict['reason'][] = ['no_room', 'unlinked_room']

/** A booking that does not fit, beside the bookings that have its room. */
export const ConflictItem = ({ conflict, ...state }: { conflict: Conflict } & ItemState) => {
  const text = useMessages(conflictMessages)
  const format = useFormat()
  const { reason, unit, channel_target, calendar_feed, created_at } = conflict
  const stay = stayOf(conflict)
  const dates = stay.arrival && stay.departure && datesOf(format, stay.arrival, stay.departure)
  return (
    <InboxItem
      {...state}
      id={conflict.id}
      icon={Warning}
      tone="bad"
      title={text(reason, { unit: unit?.name ?? text('aUnit') })}
      subject={[
        reason === 'imported_reservation' ? null : (stay.guestName ?? text('aGuest')),
        dates,
        unit?.space_name,
        channel_target?.name ?? calendar_feed?.name,
      ]
        .filter(Boolean)
        .join(' · ')}
      since={created_at}
      timeZone={unit?.timezone}
    >
      <ConflictDetails conflict={conflict} />
    </InboxItem>
  )
}

const ConflictDetails = ({ conflict }: { conflict: Conflict }) => {
  const api = useApi()
  const text = useMessages(conflictMessages)
  const inboxText = useMessages(inboxMessages)
  const format = useFormat()
  const describe = useFailureText()
  const toast = useToast()
  const refresh = useRefreshInbox()
  const { may } = useCaller()
  const [dialog, setDialog] = useState<'accept' | 'dismiss' | null>(null)
  const [isTrying, setTrying] = useState(false)
  const { reason, unit, channel_target, calendar_feed } = conflict
  const stay = stayOf(conflict)
  const refusal = may('bookings:write') ? null : inboxText('noBookingRole')
  const close = () => setDialog(null)
  const retry = async () => {
    setTrying(true)
    try {
      const reply = await api.send(retryBookingConflict, { path: { id: conflict.id } })
      toast({ message: text(reply.booking_conflict.status === 'open' ? 'retriedOpen' : 'retried') })
      await refresh()
    } catch (failure) {
      toast({ message: describe(failure) })
    } finally {
      setTrying(false)
    }
  }
  return (
    <>
      <p className={styles.hint}>{text(`${reason}Hint`)}</p>
      <div className={styles.stays}>
        <div className={styles.stay} data-incoming="true">
          <span className={styles.label}>
            {reason === 'imported_reservation'
              ? text('importedStay', { feed: calendar_feed?.name ?? '' })
              : text('incoming', { source: channel_target?.name ?? '' })}
          </span>
          {reason !== 'imported_reservation' && (
            <span className={styles.guest}>{stay.guestName ?? text('aGuest')}</span>
          )}
          {stay.arrival && stay.departure && (
            <span>
              {datesOf(format, stay.arrival, stay.departure)} ·{' '}
              {text('nights', { count: nightsBetween(stay.arrival, stay.departure) })}
            </span>
          )}
          {reason !== 'imported_reservation' && (
            <span className={styles.note}>
              {[
                text('guests', { count: stay.guests }),
                stay.totalCents !== null && stay.currency && format.money(stay.totalCents, stay.currency),
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          )}
          {reason !== 'imported_reservation' && (
            <span className={styles.note}>
              {[
                stay.number && text('number', { number: stay.number }),
                reason === 'unlinked_room' && stay.room && text('room', { room: stay.room }),
                reason === 'unlinked_plan' && stay.plan && text('plan', { plan: stay.plan }),
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          )}
          {conflict.booking_id && reason !== 'unlinked_plan' && (
            <span className={styles.note}>{text('keepsRoom')}</span>
          )}
          {acceptable.includes(reason) && stay.arrival && stay.departure && (
            <div className={styles.stayActions}>
              <ActionButton refusal={refusal} onClick={() => setDialog('accept')}>
                {text('accept')}
              </ActionButton>
            </div>
          )}
        </div>
        {occupantsOf(conflict).map((occupant, index) => (
          <OccupantCard key={index} occupant={occupant} conflict={conflict} refusal={refusal} />
        ))}
      </div>
      <div className={styles.actions}>
        <ActionButton refusal={refusal} loading={isTrying} onClick={() => void retry()}>
          {text('retry')}
        </ActionButton>
        <ActionButton refusal={refusal} onClick={() => setDialog('dismiss')}>
          {text('dismiss')}
        </ActionButton>
        {channel_target && reason.startsWith('unlinked') && (
          <Button
            size="compact-sm"
            variant="default"
            renderRoot={(props) => <Link {...screenLink(`/channels/${channel_target.id}`)} {...props} />}
          >
            {inboxText('openTarget')}
          </Button>
        )}
        {unit && (
          <Button
            size="compact-sm"
            variant="default"
            renderRoot={(props) => <Link to="/units/$unitId" params={{ unitId: unit.id }} {...props} />}
          >
            {inboxText('openUnit')}
          </Button>
        )}
      </div>
      {dialog === 'accept' && <AcceptDialog conflict={conflict} onClose={close} />}
      {dialog === 'dismiss' && <DismissDialog conflicts={[conflict]} onClose={close} />}
    </>
  )
}

const datesOf = (format: ReturnType<typeof useFormat>, arrival: string, departure: string) =>
  `${format.shortDate(arrival)} – ${format.date(departure)}`
