import { fourAtATime } from '../four-at-a-time.ts'
import type { Call } from '../pms-call.ts'
import type { Delivery, Parcel } from '../pms.ts'
import { PmsFailure, type Exchange } from '../pms-failure.ts'
import type { Ask } from './conversation.ts'
import { calendarMessages, mayClose, nightsIn, without, type Interval } from './intervals.ts'
import { listingId, type Listings } from './listings.ts'
import { membersOf, notTaken } from './listing.ts'
import { strange } from './refusal.ts'

/** How far one parcel has come. */
interface Way {
  readonly parcel: Parcel
  readonly id: number
  /** What is still to be told of the calendar, in this order; null until that is known. */
  messages: Interval[][] | null
  /** What is still to be told of the content. */
  members: Readonly<Record<string, unknown>>
  readonly exchanges: Exchange[]
  failure: PmsFailure | null
}

/**
 * One message for each listing's calendar, and one for its content where that differs. First everywhere what closes,
 * then the rest of the calendars, then the contents. Whatever would befall all that follow ends the push: a gate that
 * holds back, too many calls, a refused key.
 */
export async function push(
  ask: Ask,
  listings: Listings,
  parcels: readonly Parcel[],
  call: Call,
): Promise<ReadonlyMap<string, Delivery>> {
  const ways = parcels.map(wayOf)
  let end: PmsFailure | null = null

  const goOn = async (way: Way, step: () => Promise<void>) => {
    way.failure ??= end
    if (way.failure) return
    await step().catch((error: unknown) => {
      if (!(error instanceof PmsFailure)) throw error
      way.failure = error
      if (error.exchange) way.exchanges.push(error.exchange)
      end ??= endOfAll(error)
    })
  }
  const tell = (way: Way, message: Interval[]) =>
    goOn(way, async () => {
      const path = `/listings/${way.id}/calendarIntervals`
      const { result, exchange } = await ask({ method: 'PUT', path, body: message }, callFor(way, call))
      // The answer is an empty list; what came of it can only be read back.
      if (result !== null && !Array.isArray(result)) throw strange({ exchange })
      way.exchanges.push(exchange)
      way.messages = way.messages!.filter((one) => one !== message)
    })

  await plan(ways, listings, call)
  const under = ways.filter(({ failure }) => failure === null)
  end = ways.map(({ failure }) => failure && endOfAll(failure)).find((failure) => failure !== null) ?? null
  await fourAtATime(under, async (way) => {
    for (const message of way.messages!.filter(mayClose)) await tell(way, message)
  })
  await fourAtATime(under, async (way) => {
    for (const message of way.messages!) await tell(way, message)
  })
  await fourAtATime(under.filter(hasMembers), (way) => goOn(way, () => change(way, ask, listings, call)))
  return new Map(ways.map((way) => [way.parcel.id, deliveryOf(way)]))
}

function wayOf(parcel: Parcel): Way {
  const members = membersOf(parcel.content, parcel.differing)
  const way = { parcel, messages: null, members, exchanges: [] }
  try {
    return { ...way, id: listingId(parcel.externalId), failure: misledRates(parcel) }
  } catch (error) {
    return { ...way, id: 0, failure: error as PmsFailure }
  }
}

/** A listing has one price: only the plan that stands for it can say anything. */
function misledRates({ rates, plans }: Parcel): PmsFailure | null {
  const own = new Set(plans.filter(({ externalId }) => externalId === null).map(({ plan }) => plan))
  if (rates.every(({ plan }) => own.has(plan))) return null
  return new PmsFailure('mapping_not_found', 'A listing at Hostaway has no rate plans, only its own price.', {
    hint: 'Link one rate plan of the unit to the listing itself, without an external id.',
  })
}

/** How rooms are told depends on whether the listing has one unit or several. */
async function plan(ways: readonly Way[], listings: Listings, call: Call): Promise<void> {
  const under = ways.filter(({ failure }) => failure === null)
  const withRooms = under.filter(({ parcel }) => parcel.rooms.length > 0)
  try {
    const multiUnit = await listings.multiUnit(
      withRooms.map(({ id }) => id),
      call,
    )
    for (const way of under) way.messages = calendarMessages(way.parcel, multiUnit.has(way.id))
  } catch (error) {
    if (!(error instanceof PmsFailure)) throw error
    for (const way of under)
      if (withRooms.includes(way)) way.failure = error
      else way.messages = calendarMessages(way.parcel, false)
  }
}

async function change(way: Way, ask: Ask, listings: Listings, call: Call): Promise<void> {
  const question = { method: 'PUT', path: `/listings/${way.id}`, body: way.members } as const
  const answer = await ask(question, callFor(way, call))
  const names = notTaken(way.members, listings.confirmed(answer, way.id))
  if (names.length > 0)
    throw new PmsFailure('partial_rejection', `Hostaway kept its own ${names.join(', ')}.`, {
      hint: 'Change at Hostaway what it does not let us change, then trigger the sync.',
      exchange: answer.exchange,
    })
  way.exchanges.push(answer.exchange)
  way.members = {}
}

const hasMembers = ({ members }: Way): boolean => Object.keys(members).length > 0

const callFor = ({ parcel }: Way, call: Call): Call => ({
  ...call,
  traceparent: parcel.traceparent ?? call.traceparent ?? null,
})

/** What befalls all that follow, in words for those that were not asked for; null when it concerns one listing. */
function endOfAll(failure: PmsFailure): PmsFailure | null {
  const { code, message, hint, retryAfter, isHeldBack } = failure
  if (isHeldBack || code === 'auth_rejected' || code === 'circuit_open')
    return new PmsFailure(code, message, { hint, retryAfter, isHeldBack })
  if (code === 'rate_limited') return new PmsFailure(code, message, { hint, retryAfter, isHeldBack: true })
  return null
}

/** A message whose answer was lost counts as not taken, and is told again. */
function deliveryOf(way: Way): Delivery {
  const { parcel, messages, exchanges, failure } = way
  const untold = new Set(messages?.flat().flatMap(nightsIn))
  return {
    tookContent: messages !== null && !hasMembers(way),
    tookRooms: messages ? without(parcel.rooms, untold) : [],
    tookRates: messages ? without(parcel.rates, untold) : [],
    exchanges,
    failure,
  }
}
