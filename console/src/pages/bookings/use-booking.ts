import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  getBooking,
  listBookingTimeline,
  listBookings,
  listPaymentIntents,
  updateBooking,
} from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { isVersionConflict } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { detailMessages } from './booking-detail-messages.ts'

/** A booking with the entity tag that a change of it names. */
export const useBooking = (id: string) => {
  const api = useApi()
  return useQuery({
    queryKey: [getBooking.path, id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.request(getBooking, { path: { id }, signal })
      return { booking: data.booking, etag }
    },
  })
}

/** Changes the booking as it is shown; fails with a sentence when somebody else was faster. */
export const useChangeBooking = (id: string, etag: string | null) => {
  const text = useMessages(detailMessages)
  const api = useApi()
  const refresh = useRefreshBooking(id)
  return async (body: contract.BookingPatch) => {
    try {
      await api.send(updateBooking, { path: { id }, body, ifMatch: etag })
    } catch (failure) {
      if (!isVersionConflict(failure)) throw failure
      throw new Error(text('conflict'), { cause: failure })
    } finally {
      await refresh()
    }
  }
}

/** Reads again what a change of the booking or its payments changes. */
export const useRefreshBooking = (id: string) => {
  const queries = useQueryClient()
  return async () => {
    const paths = [
      [getBooking.path, id],
      [listBookingTimeline.path, id],
      [listBookings.path],
      [listPaymentIntents.path],
    ]
    await Promise.all(paths.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }
}
