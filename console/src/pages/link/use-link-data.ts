import { useQuery } from '@tanstack/react-query'
import {
  getChannelTarget,
  listChannelListings,
  listChannelTargetOffers,
  listRatePlans,
  listUnits,
} from '@vacancy/client'
import type { ChannelListing, Client, Unit } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'
import type { RatePlan } from './match.ts'

const readAll = async <T>(records: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const record of records) found.push(record)
  return found
}

/** A listing that was made by the wizard and never sent: it waits, paused, until it goes live. */
export const isPrepared = ({ status, last_synced_at }: ChannelListing): boolean =>
  status === 'paused' && last_synced_at === null

export const listingsKey = (targetId: string) => [listChannelListings.path, 'linking', targetId]

const readListings = (api: Client, targetId: string, signal: AbortSignal) =>
  readAll<ChannelListing>(
    api.listAll(listChannelListings, { query: { channel_target_id: targetId }, signal }),
  )

/** What the wizard works with: the rooms at the PMS, our units and plans, and what is linked already. */
export const useLinkData = (targetId: string) => {
  const api = useApi()
  const target = useQuery({
    queryKey: [getChannelTarget.path, targetId, 'plain'],
    queryFn: async ({ signal }) =>
      (await api.send(getChannelTarget, { path: { id: targetId }, signal })).channel_target,
  })
  const offers = useQuery({
    queryKey: [listChannelTargetOffers.path, targetId],
    queryFn: async ({ signal }) =>
      (await api.send(listChannelTargetOffers, { path: { id: targetId }, signal })).offers,
    staleTime: Infinity,
  })
  const units = useQuery<Unit[]>({
    queryKey: ['units', 'linking'],
    queryFn: ({ signal }) => readAll(api.listAll(listUnits, { signal })),
  })
  const plans = useQuery<RatePlan[]>({
    queryKey: [listRatePlans.path, 'active'],
    queryFn: ({ signal }) => readAll(api.listAll(listRatePlans, { query: { status: 'active' }, signal })),
  })
  const listings = useQuery({
    queryKey: listingsKey(targetId),
    queryFn: ({ signal }) => readListings(api, targetId, signal),
  })
  const all = [target, offers, units, plans, listings]
  return {
    target: target.data,
    offers: offers.data,
    units: units.data,
    plans: plans.data,
    listings: listings.data,
    error: all.find(({ error, data }) => error && !data)?.error ?? null,
    refetch: () => all.forEach((query) => void query.refetch()),
  }
}
