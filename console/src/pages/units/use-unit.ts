import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getUnit, listBookings, listChannelListings } from '@vacancy/client'

import { useApi, useCaller } from '../../session/api.tsx'
import { dateOf, todayIn } from '../calendar/nights.ts'

/** A unit with the entity tag that a change of it names. */
export const useUnit = (id: string, isEnabled = true) => {
  const api = useApi()
  return useQuery({
    queryKey: [getUnit.path, id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.request(getUnit, { path: { id }, signal })
      return { unit: data.unit, etag }
    },
    enabled: isEnabled,
  })
}

const maxListings = 50

export const useListingsOf = (unitId: string) => {
  const api = useApi()
  return useQuery({
    queryKey: [listChannelListings.path, 'of-unit', unitId],
    queryFn: async ({ signal }) => {
      const query = { unit_id: [unitId], limit: maxListings }
      return (await api.send(listChannelListings, { query, signal })).channel_listings
    },
  })
}

const maxBookings = 5

/** Who is in the unit and who comes next. */
export const useNextBookings = (unitId: string, timeZone: string) => {
  const api = useApi()
  const { may } = useCaller()
  const today = dateOf(todayIn(timeZone))
  return useQuery({
    queryKey: [listBookings.path, 'next', unitId, today],
    queryFn: async ({ signal }) => {
      const query = { check_out_from: today, sort: 'check_in', limit: maxBookings } as const
      const reply = await api.send(listBookings, {
        query: { ...query, unit_id: [unitId], status: ['pending', 'confirmed', 'checked_in'] },
        signal,
      })
      return reply.bookings
    },
    enabled: may('bookings:read'),
  })
}

const inventory = /^(\/api\/v1\/)?(units|spaces)\b/

/** Reads again what shows units and spaces, after one was changed; the one on the screen first. */
export const useRefreshInventory = () => {
  const queries = useQueryClient()
  return async (path: string) => {
    await queries.invalidateQueries({ queryKey: [path] })
    void queries.invalidateQueries({
      predicate: ({ queryKey: [first] }) =>
        typeof first === 'string' && first !== path && inventory.test(first),
    })
  }
}
