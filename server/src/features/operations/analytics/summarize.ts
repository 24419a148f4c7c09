import { dateOf, nightOf } from '#schema/nights.ts'
import type { Analytics, Period } from './analytics.ts'
import type { BookingGroup } from './queries.ts'

interface AnalyticsCounts {
  readonly period: Period
  readonly currency: string
  readonly groups: readonly BookingGroup[]
  /** Rooms per night, and blocked rooms by night. */
  readonly rooms: number
  readonly blocked: ReadonlyMap<string, number>
}

type AnalyticsSummary = Pick<Analytics, 'bookings' | 'revenue' | 'by_day' | 'by_channel'>

/** Computes occupancy and revenue from the counts. */
export function summarize(counted: AnalyticsCounts): AnalyticsSummary {
  const by_day = summarizeDays(counted)
  const { groups, currency } = counted
  const of = (by: BookingGroup['by']) => groups.filter((group) => group.by === by)
  const channels = of('channel')
  const nights = sum(channels, 'nights')
  const available = by_day.reduce((total, day) => total + day.available_nights, 0)
  const revenue = summarizeRevenue(channels, currency)
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
      revpar_cents: divideCents(revenue_cents, available),
      occupancy_rate: ratio(nights, available),
    },
    revenue,
    by_day,
    by_channel: summarizeChannels(channels, currency),
  }
}

/** Computes the figures of each day from the stays that begin and end on it. */
function summarizeDays({ period, currency, groups, rooms, blocked }: AnalyticsCounts): Analytics['by_day'] {
  const changes = new Map<string, { all: number; inCurrency: number; cents: number; remainder: number }>()
  for (const group of groups) {
    if (group.by !== 'start' && group.by !== 'end') continue
    const change = changes.get(group.day!) ?? { all: 0, inCurrency: 0, cents: 0, remainder: 0 }
    changes.set(group.day!, change)
    const sign = group.by === 'start' ? 1 : -1
    change.all += sign * group.rooms
    if (group.currency !== currency) continue
    change.inCurrency += sign * group.rooms
    change.cents += sign * group.nightly_cents
    if (group.by === 'start') change.remainder += group.rest_cents
  }
  const [first, last] = [nightOf(period.from), nightOf(period.to)]
  let [nights, inCurrency, nightly] = [0, 0, 0]
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const date = dateOf(first + at)
    const change = changes.get(date)
    nights += change?.all ?? 0
    inCurrency += change?.inCurrency ?? 0
    nightly += change?.cents ?? 0
    const revenue_cents = nightly + (change?.remainder ?? 0)
    const available_nights = Math.max(0, rooms - (blocked.get(date) ?? 0))
    return {
      date,
      nights,
      available_nights,
      occupancy_rate: ratio(nights, available_nights),
      revenue_cents,
      adr_cents: divideCents(revenue_cents, inCurrency),
      revpar_cents: divideCents(revenue_cents, available_nights),
    }
  })
}

function summarizeRevenue(channels: readonly BookingGroup[], own: string): Analytics['revenue'] {
  const others = channels.map(({ currency }) => currency!).filter((currency) => currency !== own)
  return [own, ...[...new Set(others)].sort()].map((currency) => {
    const groups = channels.filter((group) => group.currency === currency)
    const [nights, revenue_cents] = [sum(groups, 'nights'), sum(groups, 'revenue_cents')]
    return { currency, nights, revenue_cents, adr_cents: divideCents(revenue_cents, nights) }
  })
}

/** A channel that sells in two currencies has the nights of both, and the revenue in the currency of the organization. */
function summarizeChannels(groups: readonly BookingGroup[], own: string): Analytics['by_channel'] {
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

const sum = (groups: readonly BookingGroup[], member: 'stays' | 'nights' | 'revenue_cents') =>
  groups.reduce((total, group) => total + group[member], 0)
const divideCents = (cents: number, nights: number) => (nights === 0 ? null : Math.round(cents / nights))
const ratio = (nights: number, available: number) =>
  available === 0 ? null : Math.round((nights / available) * 10_000) / 10_000
