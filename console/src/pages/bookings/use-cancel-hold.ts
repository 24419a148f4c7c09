import { getBooking, updateBooking } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { newBookingMessages } from './new-booking-messages.ts'

/** Frees the nights of a hold, unless the guest has paid meanwhile: then it is a booking. */
export const useCancelHold = () => {
  const text = useMessages(newBookingMessages)
  const api = useApi()
  return async ({ booking_id: id }: NonNullable<contract.Quote['hold']>) => {
    const { data, etag } = await api.request(getBooking, { path: { id } })
    if (data.booking.status === 'confirmed') throw new Error(text('holdTaken'))
    if (data.booking.status !== 'pending') return
    await api.send(updateBooking, { path: { id }, body: { status: 'cancelled' }, ifMatch: etag })
  }
}
