import { useCallback, useMemo } from 'react'
import { useQueries } from '@tanstack/react-query'
import { listBookings, listPaymentIntents } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { useSpaces } from '../../components/use-spaces.ts'
import { useApi } from '../../session/api.tsx'

/** As many ids as one request asks for. */
const chunkSize = 50

interface References<T> {
  byId: ReadonlyMap<string, T>
  /** Why some of them could not be read. */
  error: unknown
  refetch: () => void
}

/** The bookings that payments are for, a page of them with one request. */
export const useBookingsById = (ids: readonly string[]) => {
  const api = useApi()
  return useById<contract.Booking>(listBookings.path, ids, async (id, signal) => {
    const query = { id, limit: chunkSize }
    return (await api.send(listBookings, { query, signal })).bookings
  })
}

/** The time zone of the property that a booking is for. */
export const useZoneOf = () => {
  const spaces = useSpaces()
  return useCallback(
    (booking: contract.Booking | undefined) => spaces.find(({ id }) => id === booking?.spaceId)?.timezone,
    [spaces],
  )
}

/** The payments that refunds are of. */
export const usePaymentsById = (ids: readonly string[]) => {
  const api = useApi()
  return useById<contract.PaymentIntent>(listPaymentIntents.path, ids, async (id, signal) => {
    const query = { id, limit: chunkSize }
    return (await api.send(listPaymentIntents, { query, signal })).payment_intents
  })
}

const useById = <T extends { id: string }>(
  path: string,
  ids: readonly string[],
  read: (ids: string[], signal: AbortSignal) => Promise<T[]>,
): References<T> => {
  const unique = [...new Set(ids)]
  const chunks = Array.from({ length: Math.ceil(unique.length / chunkSize) }, (_, index) =>
    unique.slice(index * chunkSize, (index + 1) * chunkSize),
  )
  const { found, ...rest } = useQueries({
    queries: chunks.map((chunk) => ({
      queryKey: [path, 'by id', chunk],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(chunk, signal),
    })),
    combine: (results) => ({
      found: results.flatMap(({ data }) => data ?? []),
      error: results.find(({ error }) => error)?.error,
      refetch: () => results.forEach(({ error, refetch }) => error && void refetch()),
    }),
  })
  return { byId: useMemo(() => new Map(found.map((record) => [record.id, record])), [found]), ...rest }
}
