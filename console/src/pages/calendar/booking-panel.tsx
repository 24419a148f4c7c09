import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getBooking } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { Cross } from '../../components/icons.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import type { Bar } from './bars.ts'
import { useChannels } from './channels.tsx'
import { editorMessages } from './editor-messages.ts'
import { calendarMessages } from './messages.ts'
import { dateOf } from './nights.ts'
import type { CalendarUnit } from './rows.ts'
import styles from './editor.module.css'

interface BookingPanelProps {
  bar: Bar
  unit: CalendarUnit
  /** Why the booking cannot be moved, as a whole. */
  moveRefusal: string | null
  onMove: () => void
  onClose: () => void
}

/** What a person looks for when they click a stay. */
export const BookingPanel = ({ bar, unit, moveRefusal, onMove, onClose }: BookingPanelProps) => {
  const text = useMessages(editorMessages)
  const calendarText = useMessages(calendarMessages)
  const format = useFormat()
  const api = useApi()
  const { may } = useCaller()
  const channel = useChannels().get(bar.channelTargetId ?? '')
  const id = bar.bookingId
  const { data: booking } = useQuery({
    queryKey: ['bookings', id],
    queryFn: async ({ signal }) => (await api.send(getBooking, { path: { id: id ?? '' }, signal })).booking,
    enabled: id !== null && may('bookings:read'),
  })
  const close = useRef<HTMLButtonElement>(null)
  useEffect(() => close.current?.focus({ preventScroll: true }), [bar.id])
  const facts: [string, ReactNode][] = [
    [text('status'), calendarText(bar.kind)],
    [text('arrivalDate'), format.date(dateOf(bar.from))],
    [text('departureDate'), format.date(dateOf(bar.to))],
    [text('nights'), format.number(bar.to - bar.from)],
    [text('guests'), booking && format.number(booking.guests)],
    [
      text('total'),
      booking &&
        booking.totalCents !== null &&
        booking.currency &&
        format.money(booking.totalCents, booking.currency),
    ],
    [text('channel'), channel?.name ?? (bar.kind === 'conflict' ? '' : text('direct'))],
  ]
  return (
    <aside
      className={styles.panel}
      aria-label={text('booking')}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div className={styles.head}>
        <div>
          <h2>{bar.guestName || calendarText('anonymous')}</h2>
          <p>
            {unit.name} · {unit.spaceName}
          </p>
        </div>
        <button
          ref={close}
          type="button"
          className={styles.close}
          aria-label={text('close')}
          onClick={onClose}
        >
          <Cross />
        </button>
      </div>
      <dl className={styles.facts}>
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {bar.kind === 'conflict' && (
        <ButtonLink to="/inbox" search={{ show: 'conflicts', open: bar.id }} fullWidth>
          {text('openConflict')}
        </ButtonLink>
      )}
      {id !== null && (
        <>
          <ButtonLink to="/bookings/$bookingId" params={{ bookingId: id }} variant="default" fullWidth>
            {text('openBooking')}
          </ButtonLink>
          <Button
            variant="default"
            fullWidth
            disabled={moveRefusal !== null}
            title={moveRefusal ?? undefined}
            onClick={onMove}
          >
            {text('moveBooking')}
          </Button>
          {moveRefusal && <p className={styles.note}>{moveRefusal}</p>}
        </>
      )}
    </aside>
  )
}
