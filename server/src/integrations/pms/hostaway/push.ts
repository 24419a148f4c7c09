import { forEachConcurrently } from '../concurrency.ts'
import type { CallContext } from '../pms-call.ts'
import type { UpdateResult, UnitUpdate } from '../pms.ts'
import { PmsFailure, type Exchange } from '../pms-failure.ts'
import {
  availabilityOnly,
  buildMessages,
  excludeNights,
  mayClose,
  nightsIn,
  type CalendarInterval,
} from './calendar-messages.ts'
import { unexpectedResponse } from './failures.ts'
import type { Send } from './hostaway-api.ts'
import { ignoredFields, listingFields } from './listing.ts'
import { parseListingId, type Listings } from './listings.ts'

/** The progress of one update. */
interface Progress {
  readonly update: UnitUpdate
  readonly listingId: number
  /** The calendar messages still to be sent, in order; null until they are known. */
  messages: CalendarInterval[][] | null
  /** The fields of the listing still to be sent. */
  fields: Readonly<Record<string, unknown>>
  readonly exchanges: Exchange[]
  failure: PmsFailure | null
}

/**
 * Sends one message for the calendar of each listing, and one for its content where that differs. Messages that close
 * nights go first for all listings, then the rest of the calendars, then the content. A failure that would repeat for
 * every listing ends the push: our own rate limiter, too many calls, refused credentials.
 */
export async function push(
  send: Send,
  listings: Listings,
  updates: readonly UnitUpdate[],
  call: CallContext,
): Promise<ReadonlyMap<string, UpdateResult>> {
  const all = updates.map(startProgress)
  let fatal: PmsFailure | null = null

  const attempt = async (progress: Progress, step: () => Promise<void>) => {
    progress.failure ??= fatal
    if (progress.failure) return
    await step().catch((error: unknown) => {
      if (!(error instanceof PmsFailure)) throw error
      progress.failure = error
      if (error.exchange) progress.exchanges.push(error.exchange)
      fatal ??= toFatal(error)
    })
  }
  const sendIntervals = async (progress: Progress, body: CalendarInterval[]) => {
    const path = `/listings/${progress.listingId}/calendarIntervals`
    const { result, exchange } = await send({ method: 'PUT', path, body }, callFor(progress, call))
    // A successful response is an empty list; only a read-back shows what was applied.
    if (result !== null && !Array.isArray(result)) throw unexpectedResponse({ exchange })
    progress.exchanges.push(exchange)
  }
  const sendMessage = (progress: Progress, message: CalendarInterval[]) =>
    attempt(progress, async () => {
      try {
        await sendIntervals(progress, message)
      } catch (error) {
        // Hostaway rejects all intervals of a message for one of them, and a price must not keep taken nights open.
        if (error instanceof PmsFailure && error.code === 'validation_rejected')
          for (const rooms of availabilityOnly(progress.messages!)) await sendIntervals(progress, rooms)
        throw error
      }
      progress.messages = progress.messages!.filter((pending) => pending !== message)
    })

  await planMessages(all, listings, call)
  const active = all.filter(({ failure }) => failure === null)
  fatal = all.map(({ failure }) => failure && toFatal(failure)).find((failure) => failure !== null) ?? null
  await forEachConcurrently(active, async (progress) => {
    for (const message of progress.messages!.filter(mayClose)) await sendMessage(progress, message)
  })
  await forEachConcurrently(active, async (progress) => {
    for (const message of progress.messages!) await sendMessage(progress, message)
  })
  await forEachConcurrently(active.filter(hasFields), (progress) =>
    attempt(progress, () => sendFields(progress, send, listings, call)),
  )
  return new Map(all.map((progress) => [progress.update.id, toResult(progress)]))
}

function startProgress(update: UnitUpdate): Progress {
  const fields = listingFields(update.content, update.changedFields)
  const progress = { update, messages: null, fields, exchanges: [] }
  try {
    return { ...progress, listingId: parseListingId(update.externalId), failure: checkRates(update) }
  } catch (error) {
    return { ...progress, listingId: 0, failure: error as PmsFailure }
  }
}

/** A listing has one price, so only rates of the plan that is linked to the listing itself can be sent. */
function checkRates({ rates, plans }: UnitUpdate): PmsFailure | null {
  const linked = new Set(plans.filter(({ externalId }) => externalId === null).map(({ plan }) => plan))
  if (rates.every(({ plan }) => linked.has(plan))) return null
  return new PmsFailure('mapping_not_found', 'A listing at Hostaway has no rate plans, only its own price.', {
    hint: 'Link one rate plan of the unit to the listing itself, without an external id.',
  })
}

/** How availability is sent depends on whether the listing has one unit or several. */
async function planMessages(all: readonly Progress[], listings: Listings, call: CallContext): Promise<void> {
  const active = all.filter(({ failure }) => failure === null)
  const withRooms = active.filter(({ update }) => update.rooms.length > 0)
  try {
    const multiUnitIds = await listings.multiUnitIds(
      withRooms.map(({ listingId }) => listingId),
      call,
    )
    for (const progress of active)
      progress.messages = buildMessages(progress.update, multiUnitIds.has(progress.listingId))
  } catch (error) {
    if (!(error instanceof PmsFailure)) throw error
    for (const progress of active)
      if (withRooms.includes(progress)) progress.failure = error
      else progress.messages = buildMessages(progress.update, false)
  }
}

async function sendFields(
  progress: Progress,
  send: Send,
  listings: Listings,
  call: CallContext,
): Promise<void> {
  const { listingId, fields } = progress
  const request = { method: 'PUT', path: `/listings/${listingId}`, body: fields } as const
  const response = await send(request, callFor(progress, call))
  const ignored = ignoredFields(fields, listings.parse(response, listingId))
  if (ignored.length > 0)
    throw new PmsFailure('partial_rejection', `Hostaway kept its own ${ignored.join(', ')}.`, {
      hint: 'Change at Hostaway what it does not let us change, then trigger the sync.',
      exchange: response.exchange,
    })
  progress.exchanges.push(response.exchange)
  progress.fields = {}
}

const hasFields = ({ fields }: Progress): boolean => Object.keys(fields).length > 0

const callFor = ({ update }: Progress, call: CallContext): CallContext => ({
  ...call,
  traceparent: update.traceparent ?? call.traceparent ?? null,
})

/** The failure for the updates that are not attempted any more; null when it concerns only one listing. */
function toFatal(failure: PmsFailure): PmsFailure | null {
  const { code, message, hint, retryAfter, isThrottledLocally } = failure
  if (isThrottledLocally || code === 'auth_rejected' || code === 'circuit_open')
    return new PmsFailure(code, message, { hint, retryAfter, isThrottledLocally })
  if (code === 'rate_limited')
    return new PmsFailure(code, message, { hint, retryAfter, isThrottledLocally: true })
  return null
}

/** A message whose response was lost counts as not accepted, and is sent again. */
function toResult(progress: Progress): UpdateResult {
  const { update, messages, exchanges, failure } = progress
  const unsent = new Set(messages?.flat().flatMap(nightsIn))
  return {
    contentAccepted: messages !== null && !hasFields(progress),
    acceptedRooms: messages ? excludeNights(update.rooms, unsent) : [],
    acceptedRates: messages ? excludeNights(update.rates, unsent) : [],
    exchanges,
    failure,
  }
}
