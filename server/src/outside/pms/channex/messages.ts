import type { Nights, Parcel, PlanNights, RoomNights } from '../pms.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { Kind } from './channex-api.ts'

/** What is said of some nights of a room type or a rate plan, and whose wish it is. */
export interface Wish<Run extends Nights = Nights> {
  readonly parcel: Parcel
  readonly run: Run
  /** The room type or rate plan at Channex. */
  readonly externalId: string
  readonly value: Readonly<Record<string, unknown>>
  readonly closes: boolean
  readonly opens: boolean
}

export type MessageKind = Exclude<Kind, 'content'>

/** What all these parcels want to say of rooms, what closes first. */
export function roomWishes(property: string, parcels: readonly Parcel[]): Wish<RoomNights>[] {
  const wishes = parcels.flatMap((parcel) =>
    parcel.rooms.map((run) => ({
      parcel,
      run,
      externalId: parcel.externalId,
      value: {
        property_id: property,
        room_type_id: parcel.externalId,
        date_from: run.date_from,
        date_to: run.date_to,
        availability: run.available,
      },
      closes: run.available === 0,
      opens: run.available > 0,
    })),
  )
  return closingFirst(wishes)
}

/** What they want to say of prices and stays, what closes first; and plans that have no place over there. */
export function planWishes(property: string, parcels: readonly Parcel[]) {
  const homeless = new Map<Parcel, PmsFailure>()
  const wishes = parcels.flatMap((parcel) => {
    const links = new Map(parcel.plans.map(({ plan, externalId }) => [plan, externalId]))
    return parcel.rates.flatMap((run): Wish<PlanNights>[] => {
      const externalId = links.get(run.plan)
      if (externalId) return [{ parcel, run, externalId, ...said(property, externalId, run) }]
      homeless.set(parcel, notLinked())
      return []
    })
  })
  return { wishes: closingFirst(wishes), homeless }
}

function said(property: string, externalId: string, run: PlanNights) {
  const { plan: _, date_from, date_to, price_cents, max_stay, ...others } = run
  const value = {
    property_id: property,
    rate_plan_id: externalId,
    date_from,
    date_to,
    ...(price_cents !== undefined && { rate: price_cents }),
    ...others,
    // No limit is written as a stay of no nights; null is refused.
    ...(max_stay !== undefined && { max_stay: max_stay ?? 0 }),
  }
  const flags = [run.stop_sell, run.closed_to_arrival, run.closed_to_departure]
  const closes = flags.includes(true)
  return { value, closes, opens: !closes && flags.includes(false) }
}

/** The order among equals stays, as messages are applied from top to bottom. */
const closingFirst = <W extends Wish>(wishes: readonly W[]): W[] => [
  ...wishes.filter(({ closes }) => closes),
  ...wishes.filter(({ closes, opens }) => !closes && !opens),
  ...wishes.filter(({ closes, opens }) => !closes && opens),
]

const notLinked = () =>
  new PmsFailure('mapping_not_found', 'A rate plan of this unit is not linked to one at Channex.', {
    hint: 'Link the rate plan in the listing, or let it be created at Channex.',
  })

/** Channex takes bodies under 10 MB, whichever megabyte that is. */
const longestMessageBytes = 9_000_000

/** As few messages as their size allows. */
export function inMessages(wishes: readonly Wish[]): Wish[][] {
  const messages: Wish[][] = []
  let bytes = longestMessageBytes
  for (const wish of wishes) {
    const more = Buffer.byteLength(JSON.stringify(wish.value)) + 1
    if (bytes + more > longestMessageBytes) {
      messages.push([])
      bytes = 20
    }
    messages.at(-1)!.push(wish)
    bytes += more
  }
  return messages
}
