import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { updateBookings, listBookings } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { maxBulkRecords, useBulkResult } from '../../components/bulk-result.ts'
import type { BulkFailure } from '../../components/bulk-result.ts'
import { componentMessages } from '../../components/component-messages.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { bookingMessages } from './booking-messages.ts'
import { isEarly } from './is-early.ts'
import { bookingsMessages } from './messages.ts'
import { ReasonField } from './reason-field.tsx'
import type { Reason } from './reason-field.tsx'
import { usePlaces } from './use-places.ts'

interface BulkActionsProps {
  bookings: contract.Booking[]
  onDone: (failures: BulkFailure[]) => void
}

/** What can be done with several bookings at once; each succeeds or fails on its own. */
export const BulkActions = ({ bookings, onDone }: BulkActionsProps) => {
  const text = useMessages(bookingsMessages)
  const word = useMessages(bookingMessages)
  const common = useMessages(componentMessages)
  const describe = useFailureText()
  const toast = useToast()
  const api = useApi()
  const queries = useQueryClient()
  const report = useBulkResult()
  const [running, setRunning] = useState<string | null>(null)
  const [isCancelling, setCancelling] = useState(false)
  const [early, setEarly] = useState<EarlyAction | null>(null)
  const { spaceOf } = usePlaces()
  const [reason, setReason] = useState<Reason>('guest_request')

  const change = async (action: contract.BulkBookingsInput['action']) => {
    const body = { action, booking_ids: bookings.map(({ id }) => id) }
    const result = await api.send(updateBookings, {
      body: { ...body, ...(action === 'cancel' && { cancellation_reason: reason }) },
    })
    await queries.invalidateQueries({ queryKey: [listBookings.path] })
    const nameOf = (id: string) => bookings.find((one) => one.id === id)?.guestName || word('anonymous')
    onDone(await report(result, nameOf))
  }
  const earlyCount = (action: SimpleAction['action']) => {
    const next = action === 'check_in' ? 'checked_in' : 'checked_out'
    return bookings.filter((one) => isEarly(one, next, spaceOf(one.spaceId)?.timezone)).length
  }
  const start = (action: SimpleAction['action']) =>
    action !== 'confirm' && earlyCount(action) > 0 ? setEarly(action) : void run(action)
  const run = async (action: contract.BulkBookingsInput['action']) => {
    setRunning(action)
    await change(action).catch((failure: unknown) => toast({ message: describe(failure) }))
    setRunning(null)
  }

  const whyNot = bookings.length > maxBulkRecords ? common('atMost', { max: maxBulkRecords }) : undefined
  const control = {
    size: 'compact-sm',
    variant: 'default',
    disabled: whyNot !== undefined,
    title: whyNot,
  } as const
  return (
    <>
      {simpleActions.map(({ action, label }) => (
        <Button key={action} {...control} loading={running === action} onClick={() => start(action)}>
          {text(label)}
        </Button>
      ))}
      <Button {...control} onClick={() => setCancelling(true)}>
        {text('cancel')}
      </Button>
      {early && (
        <ConfirmDialog
          title={text(earlyTexts[early].title, { count: earlyCount(early) })}
          action={text(earlyTexts[early].label)}
          onConfirm={() => change(early)}
          onClose={() => setEarly(null)}
        >
          <p>{text(earlyTexts[early].text)}</p>
        </ConfirmDialog>
      )}
      {isCancelling && (
        <ConfirmDialog
          title={text('cancelTitle', { count: bookings.length })}
          action={text('cancelAction', { count: bookings.length })}
          dismissal={text('keep')}
          isDangerous
          onConfirm={() => change('cancel')}
          onClose={() => setCancelling(false)}
        >
          <p>{text('cancelText')}</p>
          <ReasonField value={reason} onChange={setReason} />
        </ConfirmDialog>
      )}
    </>
  )
}

const simpleActions = [
  { action: 'confirm', label: 'confirm' },
  { action: 'check_in', label: 'checkIn' },
  { action: 'check_out', label: 'checkOut' },
] as const
type SimpleAction = (typeof simpleActions)[number]

const earlyTexts = {
  check_in: { title: 'earlyIn', text: 'earlyInText', label: 'checkIn' },
  check_out: { title: 'earlyOut', text: 'earlyOutText', label: 'checkOut' },
} as const
type EarlyAction = keyof typeof earlyTexts
