import { useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getBooking, updateBooking } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { DateInput } from '../../components/date-input.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import type { MoveTarget } from './move-booking.ts'
import { useMoveRefusal } from './move-booking.ts'
import { moveMessages } from './move-messages.ts'
import { dateOf, dayOf } from './nights.ts'
import type { CalendarUnit } from './rows.ts'
import { useRefreshCalendar } from './use-calendar.ts'
import type { CalendarData } from './use-calendar.ts'
import styles from './move-dialog.module.css'

interface MoveDialogProps {
  target: Pick<MoveTarget, 'bar' | 'home' | 'unit' | 'from'>
  units: readonly CalendarUnit[]
  data: CalendarData
  today: number
  onClose: () => void
}

/** Asks before a booking is moved, and lets the place be chosen without a mouse. */
export const MoveDialog = ({ target, units, data, today, onClose }: MoveDialogProps) => {
  const { bar, home } = target
  const text = useMessages(moveMessages)
  const format = useFormat()
  const api = useApi()
  const queries = useQueryClient()
  const refresh = useRefreshCalendar()
  const showToast = useToast()
  const refusalOf = useMoveRefusal(data, today)
  const [place, setPlace] = useState({
    unitId: target.unit.id,
    arrival: dateOf(target.from),
    departure: dateOf(target.from + bar.to - bar.from),
  })
  const id = bar.bookingId ?? bar.id
  const {
    data: read,
    error,
    refetch,
  } = useQuery({
    queryKey: ['bookings', id, 'with tag'],
    queryFn: ({ signal }) => api.request(getBooking, { path: { id }, signal }),
    staleTime: 0,
  })
  const booking = read?.data.booking
  const guest = bar.guestName || text('somebody')
  const unit = units.find((one) => one.id === place.unitId) ?? home
  const isComplete = place.arrival !== '' && place.departure !== ''
  const [wasFrom, wasTo] = [dateOf(bar.from), dateOf(bar.to)]
  const isElsewhere =
    booking !== undefined &&
    (booking.unitId !== home.id || booking.arrival !== wasFrom || booking.departure !== wasTo)
  const refusal = isComplete
    ? refusalOf({ bar, home, unit, from: dayOf(place.arrival), to: dayOf(place.departure) })
    : text('noNights')
  const price =
    booking && booking.totalCents !== null && booking.currency
      ? format.money(booking.totalCents, booking.currency)
      : null

  const send = async (body: contract.BookingPatch, etag: string | null) => {
    try {
      return await api.request(updateBooking, { path: { id }, body, ifMatch: etag })
    } finally {
      void refresh()
      void queries.invalidateQueries({ queryKey: ['bookings'] })
    }
  }
  const move = async () => {
    if (isElsewhere) throw new Error(text('changedMeanwhile'))
    if (refusal) throw new Error(refusal)
    // Only what differs, so that the times of the day stay as they are.
    const change = {
      ...(place.unitId !== home.id && { unitId: place.unitId }),
      ...(place.arrival !== wasFrom && { checkIn: place.arrival }),
      ...(place.departure !== wasTo && { checkOut: place.departure }),
    }
    const { etag } = await send(change, read?.etag ?? null)
    showToast({
      message: text('moved', { guest, unit: unit.name }),
      undo: async () => {
        const was = { checkIn: booking?.checkIn ?? wasFrom, checkOut: booking?.checkOut ?? wasTo }
        await send({ unitId: home.id, ...was }, etag)
        return text('movedBack')
      },
      shownMs: 60_000,
    })
  }

  return (
    <ConfirmDialog
      title={text('title', { guest })}
      action={text('move')}
      // What a colleague changes meanwhile is detected by the version that was read.
      isReady={read !== undefined}
      onConfirm={move}
      onClose={onClose}
    >
      <p className={styles.was}>
        {text('was', {
          unit: home.name,
          from: format.shortDate(dateOf(bar.from)),
          to: format.shortDate(dateOf(bar.to)),
        })}{' '}
        {price ? text('keepsPrice', { price }) : text('keepsTotal')}
      </p>
      <div className={styles.fields}>
        <label>
          {text('unit')}
          <select
            value={place.unitId}
            onChange={({ currentTarget }) => setPlace({ ...place, unitId: currentTarget.value })}
          >
            {units.map(({ id: unitId, name, spaceName }) => (
              <option key={unitId} value={unitId}>
                {name} · {spaceName}
              </option>
            ))}
          </select>
        </label>
        {(['arrival', 'departure'] as const).map((name) => (
          <label key={name}>
            {text(name)}
            <DateInput
              value={place[name]}
              onChange={({ currentTarget }) => setPlace({ ...place, [name]: currentTarget.value })}
            />
          </label>
        ))}
      </div>
      <ProblemNote failure={error} onRetry={() => void refetch()} />
      {refusal && (
        <p className={styles.refusal} role="status">
          {refusal}
        </p>
      )}
    </ConfirmDialog>
  )
}
