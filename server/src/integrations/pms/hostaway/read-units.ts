import { forEachConcurrently } from '../concurrency.ts'
import { nullIfNotFound } from '../pms-failure.ts'
import type { CallContext } from '../pms-call.ts'
import type { NightRange, RemoteUnit, UnitLink } from '../pms.ts'
import { unexpectedResponse } from './failures.ts'
import type { Send } from './hostaway-api.ts'
import { parseContent } from './listing.ts'
import { parseListingId, type Listings } from './listings.ts'
import { isCalendarDay, parseAvailability, parseRates, type CalendarDay } from './parse-calendar.ts'

/** Reads listings, unless what they show is known, and their calendars. @throws PmsFailure */
export async function readUnits(
  send: Send,
  listings: Listings,
  units: readonly UnitLink[],
  nights: NightRange,
  call: CallContext,
): Promise<ReadonlyMap<string, RemoteUnit | null>> {
  const byId = await listings.byId(
    units.filter(({ shown }) => !shown).map(({ externalId }) => parseListingId(externalId)),
    call,
  )
  const remoteUnits = new Map<string, RemoteUnit | null>()
  await forEachConcurrently(units, async ({ externalId, plans, shown }) => {
    const id = parseListingId(externalId)
    const listing = byId.get(id)
    const content = shown ?? (listing ? parseContent(listing) : null)
    const days = content && (await readCalendar(send, id, nights, call))
    remoteUnits.set(
      externalId,
      days && {
        content,
        rooms: parseAvailability(days),
        rates: plans
          .filter((link) => link.externalId === null)
          .flatMap(({ plan }) => parseRates(days, plan, content.currency)),
      },
    )
  })
  return remoteUnits
}

async function readCalendar(
  send: Send,
  id: number,
  { date_from, date_to }: NightRange,
  call: CallContext,
): Promise<CalendarDay[] | null> {
  const query = new URLSearchParams({ startDate: date_from, endDate: date_to, includeResources: '0' })
  const request = { method: 'GET', path: `/listings/${id}/calendar?${query}` } as const
  const response = await send(request, call).catch(nullIfNotFound)
  if (response === null) return null
  const { result, exchange } = response
  if (!Array.isArray(result) || !result.every(isCalendarDay)) throw unexpectedResponse({ exchange })
  return result.filter(({ date }) => date >= date_from && date <= date_to)
}
