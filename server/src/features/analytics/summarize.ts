import { dateOf, nightOf } from '#nights.ts'
import type { Analytics, Period } from './analytics.ts'
import type { StayGroup } from './queries.ts'

interface Counted {
  readonly period: Period
  readonly currency: string
  readonly groups: readonly StayGroup[]
  /** Rooms for each night, and those that are blocked. */
  readonly rooms: number
  readonly blocked: ReadonlyMap<string, number>
}

type Money = Pick<Analytics, 'bookings' | 'revenue' | 'by_day' | 'by_channel'>

/** The figures of occupancy and revenue that follow from what was counted. */
export function summarize(counted: Counted): Money {
  const by_day = daysOf(counted)
  const { groups, currency } = counted
  const of = (by: StayGroup['by']) => groups.filter((group) => group.by === by)
  const channels = of('channel')
  const nights = sum(channels, 'nights')
  const available = by_day.reduce((total, day) => total + day.available_nights, 0)
  const revenue = revenueOf(channels, currency)
  const { revenue_cents, adr_cents } = revenue[0]!
  return {
    bookings: {
      total: sum(of('status'), 'stays'),
      by_status: Object.fromEntries(of('status').map(({ status, stays }) => [status!, stays])),
      nights,
      available_nights: available,
      revenue_cents,
      currency,
      adr_cents,
      revpar_cents: each(revenue_cents, available),
      occupancy_rate: share(nights, available),
    },
    revenue,
    by_day,
    by_channel: channelsOf(channels, currency),
  }
}

/** From what begins and what ends on each day, what there is on it. */
function daysOf({ period, currency, groups, rooms, blocked }: Counted): Analytics['by_day'] {
  const changes = new Map<string, { all: number; ours: number; cents: number; once: number }>()
  for (const group of groups) {
    if (group.by !== 'start' && group.by !== 'end') continue
    const change = changes.get(group.day!) ?? { all: 0, ours: 0, cents: 0, once: 0 }
    changes.set(group.day!, change)
    const sign = group.by === 'start' ? 1 : -1
    change.all += sign * group.rooms
    if (group.currency !== currency) continue
    change.ours += sign * group.rooms
    change.cents += sign * group.nightly_cents
    if (group.by === 'start') change.once += group.rest_cents
  }
  const [first, last] = [nightOf(period.from), nightOf(period.to)]
  let [nights, ours, nightly] = [0, 0, 0]
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const date = dateOf(first + at)
    const change = changes.get(date)
    nights += change?.all ?? 0
    ours += change?.ours ?? 0
    nightly += change?.cents ?? 0
    const revenue_cents = nightly + (change?.once ?? 0)
    const available_nights = Math.max(0, rooms - (blocked.get(date) ?? 0))
    return {
      date,
      nights,
      available_nights,
      occupancy_rate: share(nights, available_nights),
      revenue_cents,
      adr_cents: each(revenue_cents, ours),
      revpar_cents: each(revenue_cents, available_nights),
    }
  })
}

function revenueOf(channels: readonly StayGroup[], own: string): Analytics['revenue'] {
  const others = channels.map(({ currency }) => currency!).filter((currency) => currency !== own)
  return [own, ...[...new Set(others)].sort()].map((currency) => {
    const groups = channels.filter((group) => group.currency === currency)
    const [nights, revenue_cents] = [sum(groups, 'nights'), sum(groups, 'revenue_cents')]
    return { currency, nights, revenue_cents, adr_cents: each(revenue_cents, nights) }
  })
}

/** A channel that sells in two currencies has the nights of both, and the revenue of ours. */
function channelsOf(groups: readonly StayGroup[], own: string): Analytics['by_channel'] {
  const found = new Map<string, Analytics['by_channel'][number]>()
  for (const { source, channel_target_id, name, currency, stays, nights, revenue_cents } of groups) {
    const key = `${source} ${channel_target_id}`
    const before = found.get(key)
    found.set(key, {
      source: source!,
      channel_target_id,
      name: name ?? source!,
      bookings: stays + (before?.bookings ?? 0),
      nights: nights + (before?.nights ?? 0),
      revenue_cents: (currency === own ? revenue_cents : 0) + (before?.revenue_cents ?? 0),
    })
  }
  return [...found.values()].sort(
    (a, b) => b.revenue_cents - a.revenue_cents || b.nights - a.nights || (a.name < b.name ? -1 : 1),
  )
}

const sum = (groups: readonly StayGroup[], member: 'stays' | 'nights' | 'revenue_cents') =>
  groups.reduce((total, group) => total + group[member], 0)
const each = (cents: number, nights: number) => (nights === 0 ? null : Math.round(cents / nights))
const share = (nights: number, available: number) =>
  available === 0 ? null : Math.round((nights / available) * 10_000) / 10_000
