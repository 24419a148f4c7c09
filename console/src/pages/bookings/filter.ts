import type { contract } from '@vacancy/client'

import { date, flag, oneOf, readSearch, text } from '../../components/read-search.ts'

export const statuses = [
  'pending',
  'confirmed',
  'checked_in',
  'checked_out',
  'cancelled',
  'no_show',
  'declined',
  'expired',
] as const satisfies readonly contract.Booking['status'][]

export const todaySets = ['arrivals', 'departures', 'in_house', 'unpaid'] as const

export const sources = ['direct', 'manual', 'api', 'pms'] as const satisfies readonly Source[]
export type Source = contract.Booking['source']

const sorts = ['check_in', '-check_in', 'created_at', '-created_at', 'updated_at', '-updated_at'] as const

/** Which bookings are shown. `channel` is a source, or the id of the target where they were made. */
export const readBookingsFilter = readSearch({
  q: text,
  status: oneOf(statuses),
  from: date,
  to: date,
  space: text,
  unit: text,
  channel: text,
  unpaid: flag,
  today: oneOf(todaySets),
  sort: oneOf(sorts),
})

export type BookingsFilter = ReturnType<typeof readBookingsFilter>

export const defaultSort = '-created_at'

/** The filter as the list and the export of the API take it. */
export const queryOf = ({
  q,
  status,
  from,
  to,
  space,
  unit,
  channel,
  unpaid,
  today,
  sort,
}: BookingsFilter) => ({
  sort: sort ?? defaultSort,
  ...(q && { q }),
  ...(status && { status }),
  ...(from && { check_in_from: from }),
  ...(to && { check_in_to: to }),
  ...(space && { space_id: space }),
  ...(unit && { unit_id: unit }),
  ...(unpaid && { unpaid }),
  ...(today && { today }),
  ...channelQuery(channel),
})

const channelQuery = (channel: string | undefined) => {
  const source = sources.find((one) => one === channel)
  if (source) return { source }
  return channel ? { channel_target_id: channel } : {}
}
