import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { querySearch } from '@vacancy/client'

import { fold } from '../i18n/fold.ts'
import { useFormat } from '../i18n/format.ts'
import { useMessages } from '../i18n/language.tsx'
import { useApi, useCaller } from '../session/api.tsx'
import { paletteMessages } from './palette-messages.ts'
import { screens } from './screens.ts'
import { shellMessages } from './shell-messages.ts'

export interface PaletteItem {
  key: string
  group: 'screens' | 'actions' | 'units' | 'spaces' | 'bookings' | 'guests' | 'listings'
  name: string
  note?: string
  /** Where it leads, or what it does. */
  target: string | (() => void)
}

interface Actions {
  onSheet: () => void
  onSignOut: () => void
}

const typingMs = 120
const minLetters = 2
const perKind = 5

/** What can be chosen for what was typed: screens and actions by their names, records by the search of the API. */
export const usePaletteItems = (query: string, actions: Actions) => {
  const text = useMessages(paletteMessages)
  const words = fold(query.trim())
  const items = [...useScreens(), ...useActions(actions)].filter(({ name }) => fold(name).includes(words))
  const { records, isSearching, failure } = useFoundRecords(query.trim())
  return { items: [...items, ...records], isSearching, failure, text }
}

const useScreens = (): PaletteItem[] => {
  const shellText = useMessages(shellMessages)
  const { may } = useCaller()
  return screens
    .filter(({ permission }) => may(permission))
    .map(({ to, label }) => ({ key: to, group: 'screens', name: shellText(label), target: to }))
}

/** Whether there is a screen at this address; others may not be built into this console. */
const hasScreen = (path: string) => screens.some(({ to }) => to === path)

const useActions = ({ onSheet, onSignOut }: Actions): PaletteItem[] => {
  const text = useMessages(paletteMessages)
  const { may } = useCaller()
  const group = 'actions' as const
  return [
    ...(may('bookings:write')
      ? [{ key: 'newBooking', group, name: text('newBooking'), target: '/bookings/new' }]
      : []),
    { key: 'start', group, name: text('start'), target: '/start' },
    { key: 'shortcuts', group, name: text('shortcuts'), target: onSheet },
    { key: 'signOut', group, name: text('signOut'), target: onSignOut },
  ]
}

interface FoundRecords {
  records: PaletteItem[]
  isSearching: boolean
  /** Why they could not be searched for. */
  failure: unknown
}

const useFoundRecords = (query: string): FoundRecords => {
  const text = useMessages(paletteMessages)
  const format = useFormat()
  const api = useApi()
  const { may } = useCaller()
  const [settled] = useDebouncedValue(query, typingMs)
  const isEnabled = query.length >= minLetters && may('spaces:read')
  const { data, isFetching, error } = useQuery({
    queryKey: ['search', settled],
    queryFn: async ({ signal }) =>
      (await api.send(querySearch, { query: { q: settled, limit: perKind }, signal })).search,
    enabled: isEnabled && settled.length >= minLetters,
    placeholderData: keepPreviousData,
  })
  if (!isEnabled) return { records: [], isSearching: false, failure: null }
  const { units, spaces, bookings, guests, listings } = data ?? {}
  const bookingAddress = (id: string, unitName: string, arrival: string) =>
    hasScreen('/bookings') ? `/bookings/${id}` : address('/calendar', { q: unitName, from: arrival })
  const records: PaletteItem[] = [
    ...(units ?? []).map(({ id, name, space_name }) => ({
      key: id,
      group: 'units' as const,
      name,
      note: space_name,
      target: `/units/${id}`,
    })),
    ...(spaces ?? []).map(({ id, name, city }) => ({
      key: id,
      group: 'spaces' as const,
      name,
      note: city ?? '',
      target: `/spaces/${id}`,
    })),
    ...(bookings ?? []).map(({ id, guest_name, arrival, departure, unit_name }) => ({
      key: id,
      group: 'bookings' as const,
      name: guest_name,
      note: `${format.shortDate(arrival)} – ${format.date(departure)} · ${unit_name}`,
      target: bookingAddress(id, unit_name, arrival),
    })),
    ...(guests ?? []).map(({ name, bookings: count, last_booking_id, last_arrival }) => ({
      key: `guest ${last_booking_id}`,
      group: 'guests' as const,
      name,
      note: text('stays', { bookings: count }),
      target: hasScreen('/bookings')
        ? address('/bookings', { q: name })
        : address('/calendar', { from: last_arrival }),
    })),
    ...(listings ?? []).map(({ id, unit_name, channel_target_name, external_id }) => ({
      key: id,
      group: 'listings' as const,
      name: unit_name,
      note: [channel_target_name, external_id].filter(Boolean).join(' · '),
      target: `/listings/${id}`,
    })),
  ]
  return { records, isSearching: isFetching || settled !== query, failure: error }
}

const address = (path: string, query: Record<string, string>) =>
  `${path}?${new URLSearchParams(query).toString()}`
