import { useId, useRef, useState } from 'react'
import {
  acceptBookingConflict,
  dismissBookingConflict,
  Problem,
  retryBookingConflict,
  updateBooking,
} from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { DateInput } from '../../components/date-input.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { moveMessages } from '../calendar/move-messages.ts'
import { conflictMessages } from './conflict-messages.ts'
import { stayOf } from './stay.ts'
import { UnitPicker } from './unit-picker.tsx'
import { useRefreshInbox } from './use-inbox.ts'
import type { Conflict } from './use-inbox.ts'
import styles from './details.module.css'

interface DialogProps {
  conflict: Conflict
  onClose: () => void
}

/**
 * Decides about conflicts as they were seen when the dialog opened: the PMS may send another revision while it is open.
 * After an attempt that failed, they are decided as they are now.
 */
const useDecision = (conflicts: readonly Conflict[]) => {
  const text = useMessages(conflictMessages)
  const refresh = useRefreshInbox()
  const seen = useRef(new Map(conflicts.map(({ id, updated_at }) => [id, updated_at])))
  return {
    seenAt: ({ id, updated_at }: Conflict) => seen.current.get(id) ?? updated_at,
    /** What shows the failure of a dialog. */
    explain: (failure: unknown) =>
      failure instanceof Problem && failure.status === 412 ? text('changedMeanwhile') : null,
    decide: async (send: () => Promise<unknown>) => {
      try {
        await send()
      } catch (failure) {
        seen.current.clear()
        throw failure
      } finally {
        await refresh()
      }
    },
  }
}

/** Gives the new booking a room in another unit. */
export const AcceptDialog = ({ conflict, onClose }: DialogProps) => {
  const api = useApi()
  const text = useMessages(conflictMessages)
  const toast = useToast()
  const { seenAt, explain, decide } = useDecision([conflict])
  const [unitId, setUnitId] = useState<string | null>(null)
  const { arrival, departure, guests, rooms, totalCents, currency } = stayOf(conflict)
  const accept = async () => {
    if (!unitId) return
    const body = { unit_id: unitId, updated_at: seenAt(conflict) }
    await decide(() => api.send(acceptBookingConflict, { path: { id: conflict.id }, body }))
    toast({ message: text('accepted') })
  }
  return (
    <ConfirmDialog
      title={text('acceptTitle')}
      action={text('acceptAction')}
      isReady={unitId !== null}
      explain={explain}
      onConfirm={accept}
      onClose={onClose}
    >
      {arrival && departure && (
        <UnitPicker stay={{ arrival, departure, guests, rooms }} value={unitId} onChange={setUnitId} />
      )}
      <KeptPrice cents={totalCents} currency={currency} />
    </ConfirmDialog>
  )
}

interface MoveDialogProps extends DialogProps {
  booking: contract.Booking
  unitName: string
}

/** Moves the booking that has the room to another unit or other dates, and tries the new booking again. */
export const MoveDialog = ({ conflict, booking, unitName, onClose }: MoveDialogProps) => {
  const api = useApi()
  const text = useMessages(conflictMessages)
  const toast = useToast()
  const refresh = useRefreshInbox()
  // Only what was changed here: a colleague may move the booking meanwhile.
  const [edit, setEdit] = useState<{ arrival?: string; departure?: string }>({})
  const dates = { arrival: booking.arrival, departure: booking.departure, ...edit }
  const [unitId, setUnitId] = useState<string | null>(null)
  const isSameStay = dates.arrival === booking.arrival && dates.departure === booking.departure
  const move = async () => {
    const days = isSameStay ? {} : { checkIn: dates.arrival, checkOut: dates.departure }
    const unit = unitId && unitId !== booking.unitId ? { unitId } : {}
    await api.send(updateBooking, { path: { id: booking.id }, body: { ...days, ...unit } })
    const { booking_conflict } = await api
      .send(retryBookingConflict, { path: { id: conflict.id } })
      .catch((failure: unknown) => {
        // It may have been closed already, because the room became free.
        if (failure instanceof Problem && failure.status === 409)
          return { booking_conflict: { status: 'resolved' } }
        throw failure
      })
    toast({ message: text(booking_conflict.status === 'open' ? 'movedStillOpen' : 'moved') })
    await refresh()
  }
  const dateField = (name: 'arrival' | 'departure') => (
    <label>
      {text(name)}
      <DateInput
        className={styles.date}
        value={dates[name]}
        onChange={(event) => setEdit({ ...edit, [name]: event.currentTarget.value })}
      />
    </label>
  )
  return (
    <ConfirmDialog
      title={text('moveTitle', { guest: booking.guestName || text('aGuest') })}
      action={text('moveAction')}
      isReady={dates.arrival < dates.departure && (unitId !== null || !isSameStay)}
      onConfirm={move}
      onClose={onClose}
    >
      <div className={styles.fields}>
        {dateField('arrival')}
        {dateField('departure')}
      </div>
      <UnitPicker
        // It keeps its price.
        stay={{ ...dates, guests: booking.guests, rooms: booking.rooms, currency: booking.currency }}
        {...(!isSameStay && { current: { id: booking.unitId, name: unitName } })}
        value={unitId ?? (isSameStay ? null : booking.unitId)}
        onChange={setUnitId}
      />
      <KeptPrice cents={booking.totalCents} currency={booking.currency} />
    </ConfirmDialog>
  )
}

/** The prices of free units are those of new bookings. */
const KeptPrice = ({ cents, currency }: { cents: number | null; currency: string | null }) => {
  const text = useMessages(moveMessages)
  const format = useFormat()
  if (cents === null || currency === null) return null
  return <p className={styles.keptPrice}>{text('keepsPrice', { price: format.money(cents, currency) })}</p>
}

/** Closes conflicts that need no action, with a reason for those who read the history. */
export const DismissDialog = ({
  conflicts,
  onClose,
}: {
  conflicts: readonly Conflict[]
  onClose: () => void
}) => {
  const api = useApi()
  const text = useMessages(conflictMessages)
  const toast = useToast()
  const { seenAt, explain, decide } = useDecision(conflicts)
  const [reason, setReason] = useState('')
  const fieldId = useId()
  const dismiss = async () => {
    await decide(async () => {
      for (const conflict of conflicts) {
        const body = { reason: reason.trim(), updated_at: seenAt(conflict) }
        await api.send(dismissBookingConflict, { path: { id: conflict.id }, body })
      }
    })
    toast({ message: text('dismissed', { count: conflicts.length }) })
  }
  return (
    <ConfirmDialog
      title={text('dismissTitle', { count: conflicts.length })}
      action={text('dismiss')}
      isReady={reason.trim() !== ''}
      explain={explain}
      onConfirm={dismiss}
      onClose={onClose}
    >
      <p>{text('dismissText')}</p>
      <label className={styles.reasonLabel} htmlFor={fieldId}>
        {text('reason')}
      </label>
      <textarea
        id={fieldId}
        data-autofocus
        className={styles.reason}
        maxLength={1000}
        placeholder={text('reasonMissing')}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmDialog>
  )
}
