import { randomUUID } from 'node:crypto'
import type { PmsResponse } from '../send-request.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { CallContext } from '../pms-call.ts'
import type { UnitUpdate, RefusedGroups } from '../pms.ts'
import type { ResultTracker } from '../result-tracker.ts'
import { splitIntoMessages, type CalendarChange, type MessageKind } from './calendar-changes.ts'
import type { ChannexApi } from './channex-api.ts'
import { isContentRefused, unexpectedResponse } from './failures.ts'
import { taskIdsIn } from './tasks.ts'
import { parseWarnings, partialRejection, withoutPrices, type RefusedChanges } from './warnings.ts'

/**
 * How many extra messages one push may spend on finding the refused units of a message. Channex accepts ten messages a
 * minute, and most of them belong to units that are not refused.
 */
const maxExtraMessages = 6

/**
 * Sends messages of one kind. When a message is refused as a whole, the updates that the refusal names are taken out
 * and the rest is sent again; when it names none, the message is bisected until the refused updates are alone or the
 * extra messages are used up. Refused groups go behind all others and are kept in the results, so that the next push
 * continues the bisection. Returns the failure that prevents any further call, or null.
 */
export async function sendMessages(
  api: ChannexApi,
  kind: MessageKind,
  changes: readonly CalendarChange[],
  call: CallContext,
  results: ResultTracker,
): Promise<PmsFailure | null> {
  const queue = orderMessages(kind, changes)
  let extraMessages = 0
  for (let message = queue.shift(); message; message = queue.shift()) {
    try {
      const { refused, rest, halves, failure } = await sendMessage(api, kind, message, call, results)
      if (failure) results.fail(refused, failure)
      results.setRefusedGroup(kind, refused, identifiedGroup)
      for (const half of halves) results.setRefusedGroup(kind, updatesOf(half), randomUUID())
      const next = [...rest, ...halves]
      if (next.length > 0 && extraMessages >= maxExtraMessages)
        results.fail(updatesOf(next.flat()), postponed(failure!))
      else {
        extraMessages += next.length
        queue.unshift(...rest)
        queue.push(...halves)
      }
    } catch (error) {
      if (!(error instanceof PmsFailure)) throw error
      results.fail(updatesOf([message, ...queue].flat()), error)
      return isLimitedToKind(error) ? null : error
    }
  }
  return null
}

/** The group of updates that are known to be refused: they are sent together, behind all others. */
const identifiedGroup = 'known'

/** Messages of updates that were never refused come first, then the groups under bisection. */
function orderMessages(kind: MessageKind, changes: readonly CalendarChange[]): CalendarChange[][] {
  const groupOf = ({ refusedGroups }: { refusedGroups?: RefusedGroups | null }) => refusedGroups?.[kind] ?? ''
  const rank = (group: string) => (group === '' ? 0 : group === identifiedGroup ? 2 : 1)
  return [...Map.groupBy(changes, ({ update }) => groupOf(update))]
    .sort(([a], [b]) => rank(a) - rank(b))
    .flatMap(([, group]) => splitIntoMessages(group))
}

interface MessageResult {
  readonly refused: Iterable<UnitUpdate>
  /** Changes of the updates that the refusal does not name, to be sent again at once. */
  readonly rest: CalendarChange[][]
  /** The two halves of a message whose refusal names no update. */
  readonly halves: CalendarChange[][]
  readonly failure: PmsFailure | null
}

/** @throws PmsFailure when this message, and those behind it, cannot be sent now. */
async function sendMessage(
  api: ChannexApi,
  kind: MessageKind,
  message: readonly CalendarChange[],
  call: CallContext,
  results: ResultTracker,
): Promise<MessageResult> {
  const body = { values: message.map(({ value }) => value) }
  const updates = updatesOf(message)
  const request = { kind, method: 'POST', path: `/${kind}`, body }
  const response = await api.send(request, { ...call, traceparent: traceparentOf(updates, call) })
  results.addExchange(updates, response.exchange)
  const failure = api.failureOf(response, 'the values')
  if (failure && !isContentRefused(response)) throw failure
  if (failure) return { ...divide(message, updates, response), failure }
  const refused = recordAccepted(api, response, message, results)
  results.setRefusedGroup(kind, updates, null)
  const restrictions = withoutPrices(refused)
  if (restrictions.length > 0) return sendMessage(api, kind, restrictions, call, results)
  return { refused: [], rest: [], halves: [], failure: null }
}

function recordAccepted(
  api: ChannexApi,
  response: PmsResponse,
  message: readonly CalendarChange[],
  results: ResultTracker,
): RefusedChanges {
  const refused = parseWarnings(response, message)
  if (!refused) throw unexpectedResponse(response)
  results.addTasks(updatesOf(message), taskIdsIn(response))
  for (const change of message) if (!refused.has(change)) results.acceptRange(change.update, change.range)
  const sentByUpdate = Map.groupBy(message, ({ update }) => update)
  for (const [update, reasons] of Map.groupBy(refused, ([{ update }]) => update))
    results.fail([update], partialRejection(response, reasons, sentByUpdate.get(update)!.length, api.redact))
  return refused
}

function divide(message: readonly CalendarChange[], updates: ReadonlySet<UnitUpdate>, { body }: PmsResponse) {
  if (updates.size === 1) return { refused: updates, rest: [], halves: [] }
  const { details } = (body as { errors?: { details?: unknown } } | null)?.errors ?? {}
  const words = new Set(JSON.stringify(details ?? null).split(/[^\w-]+/))
  const named = updatesOf(message.filter(({ externalId }) => words.has(externalId)))
  if (named.size > 0) {
    const rest = message.filter(({ update }) => !named.has(update))
    return { refused: named, rest: rest.length > 0 ? [rest] : [], halves: [] }
  }
  const first = new Set([...updates].slice(0, Math.ceil(updates.size / 2)))
  const halves = [true, false].map((isFirst) => message.filter(({ update }) => first.has(update) === isFirst))
  return { refused: [], rest: [], halves }
}

export const updatesOf = (changes: readonly CalendarChange[]): Set<UnitUpdate> =>
  new Set(changes.map(({ update }) => update))

/** A call for several updates can continue only one trace: the first that there is. */
export const traceparentOf = (updates: Iterable<UnitUpdate>, call: CallContext): string | null =>
  call.traceparent ?? [...updates].find(({ traceparent }) => traceparent)?.traceparent ?? null

/** Channex limits each kind of message separately. */
const isLimitedToKind = ({ code }: PmsFailure) => code === 'rate_limited'

/** For updates that may be in order: the next push sends them again, and this attempt is not counted. */
const postponed = (failure: PmsFailure) =>
  new PmsFailure(
    'rate_limited',
    `${failure.message} – in a message about several units, including this one`,
    {
      hint: 'No action is needed: the unit is sent again, separately from the refused ones.',
      exchange: failure.exchange,
      isThrottledLocally: true,
    },
  )
