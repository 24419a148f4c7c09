import type { NightRange, UnitUpdate, RateRange, AvailabilityRange } from '../pms.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { CallKind } from './channex-api.ts'

/** One value of a message: a range of nights of a room type or rate plan, and the update that it belongs to. */
export interface CalendarChange<Range extends NightRange = NightRange> {
  readonly update: UnitUpdate
  readonly range: Range
  /** The id of the room type or rate plan at Channex. */
  readonly externalId: string
  readonly value: Readonly<Record<string, unknown>>
  readonly closes: boolean
  readonly opens: boolean
}

export type MessageKind = Exclude<CallKind, 'content'>

/** The availability changes of all updates; those that close nights stand first. */
export function availabilityChanges(
  property: string,
  updates: readonly UnitUpdate[],
): CalendarChange<AvailabilityRange>[] {
  const changes = updates.flatMap((update) =>
    update.rooms.map((range) => ({
      update,
      range,
      externalId: update.externalId,
      value: {
        property_id: property,
        room_type_id: update.externalId,
        date_from: range.date_from,
        date_to: range.date_to,
        availability: range.available,
      },
      closes: range.available === 0,
      opens: range.available > 0,
    })),
  )
  return closingFirst(changes)
}

/** The price and restriction changes of all updates, closing ones first, and the updates with unmapped plans. */
export function restrictionChanges(property: string, updates: readonly UnitUpdate[]) {
  const unmapped = new Map<UnitUpdate, PmsFailure>()
  const changes = updates.flatMap((update) => {
    const externalIds = new Map(update.plans.map(({ plan, externalId }) => [plan, externalId]))
    return update.rates.flatMap((range): CalendarChange<RateRange>[] => {
      const externalId = externalIds.get(range.plan)
      if (externalId) return [{ update, range, externalId, ...restrictionValue(property, externalId, range) }]
      unmapped.set(update, planNotLinked())
      return []
    })
  })
  return { changes: closingFirst(changes), unmapped }
}

function restrictionValue(property: string, externalId: string, range: RateRange) {
  const { plan: _, date_from, date_to, price_cents, max_stay, ...others } = range
  const value = {
    property_id: property,
    rate_plan_id: externalId,
    date_from,
    date_to,
    ...(price_cents !== undefined && { rate: price_cents }),
    ...others,
    // Channex refuses null; a maximum stay of 0 nights means no limit.
    ...(max_stay !== undefined && { max_stay: max_stay ?? 0 }),
  }
  const flags = [range.stop_sell, range.closed_to_arrival, range.closed_to_departure]
  const closes = flags.includes(true)
  return { value, closes, opens: !closes && flags.includes(false) }
}

/** Stable within each group, because Channex applies a message from top to bottom. */
const closingFirst = <Change extends CalendarChange>(changes: readonly Change[]): Change[] => [
  ...changes.filter(({ closes }) => closes),
  ...changes.filter(({ closes, opens }) => !closes && !opens),
  ...changes.filter(({ closes, opens }) => !closes && opens),
]

const planNotLinked = () =>
  new PmsFailure('mapping_not_found', 'A rate plan of this unit is not linked to one at Channex.', {
    hint: 'Link the rate plan in the listing, or let it be created at Channex.',
  })

/** Channex documents a limit of 10 MB. */
const maxMessageBytes = 9_000_000

/** Splits the changes into as few messages as the size limit allows. */
export function splitIntoMessages(changes: readonly CalendarChange[]): CalendarChange[][] {
  const messages: CalendarChange[][] = []
  let bytes = maxMessageBytes
  for (const change of changes) {
    const valueBytes = Buffer.byteLength(JSON.stringify(change.value)) + 1
    if (bytes + valueBytes > maxMessageBytes) {
      messages.push([])
      bytes = 20
    }
    messages.at(-1)!.push(change)
    bytes += valueBytes
  }
  return messages
}
