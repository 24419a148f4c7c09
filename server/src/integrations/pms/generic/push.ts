import { forEachConcurrently } from '#integrations/pms/concurrency.ts'
import type { CallContext } from '#integrations/pms/pms-call.ts'
import type {
  UpdateResult,
  UnitUpdate,
  NightRange,
  RateRange,
  AvailabilityRange,
} from '#integrations/pms/pms.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import { trackResults, type ResultTracker } from '#integrations/pms/result-tracker.ts'
import {
  assertSuccess,
  assertUnit,
  isUnknownUnit,
  unitPath,
  type GenericResponse,
  type Send,
  unexpectedResponse,
  idHint,
} from './generic-api.ts'
import { hash } from 'node:crypto'
import type { PmsResponse } from '#integrations/pms/send-request.ts'

interface PushContext {
  readonly send: Send
  readonly call: CallContext
  readonly results: ResultTracker
}

/** Sends the calendar of the units that the PMS knows, creates the others, then sends the changed content. */
export async function push(
  send: Send,
  updates: readonly UnitUpdate[],
  call: CallContext,
): Promise<ReadonlyMap<string, UpdateResult>> {
  const results = trackResults(updates)
  const context = { send, call, results }
  const existing = updates.filter(({ changedFields }) => changedFields !== 'all')
  try {
    const missing = await sendCalendars(context, existing, { reportUnknown: true })
    const toCreate = [...updates.filter(({ changedFields }) => changedFields === 'all'), ...missing]
    await forEachConcurrently(toCreate, (update) => attempt(context, update, () => putUnit(context, update)))
    // Also after a refusal of the content: the PMS may know the unit, and nights that are taken must be closed there.
    await sendCalendars(context, toCreate, { reportUnknown: false })
    const changed = existing.filter(
      (update) =>
        update.changedFields.length > 0 && !missing.has(update) && !results.failureOf(update)?.retryable,
    )
    await forEachConcurrently(changed, (update) => attempt(context, update, () => patchUnit(context, update)))
  } catch (error) {
    if (!(error instanceof PmsFailure)) throw error
    results.failRemaining(error)
  }
  return results.results()
}

/** Takes one step for one update. @throws PmsFailure only when it prevents all further calls */
async function attempt(
  { call, results }: PushContext,
  update: UnitUpdate,
  step: () => Promise<void>,
): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (!(error instanceof PmsFailure) || isFatal(error, call)) throw error
    results.fail([update], error)
  }
}

const isFatal = ({ isThrottledLocally, code }: PmsFailure, { signal }: CallContext) =>
  isThrottledLocally || code === 'auth_rejected' || signal?.aborted === true

/** Sends the calendars of these units. With `reportUnknown`, returns the units that the PMS does not know. */
async function sendCalendars(
  context: PushContext,
  updates: readonly UnitUpdate[],
  { reportUnknown }: { reportUnknown: boolean },
) {
  const unknown = new Set<UnitUpdate>()
  const messages = buildMessages(updates)
  for (const [index, message] of messages.entries()) {
    try {
      for (const update of await sendMessage(context, message, reportUnknown)) unknown.add(update)
    } catch (error) {
      if (!(error instanceof PmsFailure) || isFatal(error, context.call)) throw error
      const failed = error.retryable ? messages.slice(index) : [message]
      for (const { updates } of failed) context.results.fail(updates, error)
      if (error.retryable) break
    }
  }
  return unknown
}

async function sendMessage(
  { send, call, results }: PushContext,
  message: CalendarMessage,
  reportUnknown: boolean,
) {
  const { body, idempotencyKey } = message
  const traceparent = message.changes[0]?.update.traceparent ?? call.traceparent ?? null
  const response = await send('calendar', 'POST', '/calendar', body, {
    ...call,
    traceparent,
    idempotencyKey,
  })
  assertSuccess(response)
  const refusals = parseRefusals(response, message)
  for (const change of message.changes)
    if (!refusals.has(change)) results.acceptRange(change.update, change.range)
  results.addExchange(message.updates, response.exchange)
  const unknown: UnitUpdate[] = []
  for (const [update, refused] of Map.groupBy(refusals, ([{ update }]) => update)) {
    const isUnknown = refused.every(([, refusal]) => isUnknownUnitRefusal(refusal))
    if (reportUnknown && isUnknown) unknown.push(update)
    else results.fail([update], partialRejection(refused, response))
  }
  return unknown
}

/** Sends the whole content. The key of a unit that the PMS unexpectedly lacks may already be used for a part of it. */
async function putUnit(context: PushContext, update: UnitUpdate): Promise<void> {
  const { idempotencyKey, changedFields } = update
  const response = await context.send('units', 'PUT', unitPath(update.externalId), update.content, {
    ...callFor(context, update),
    idempotencyKey: changedFields === 'all' ? idempotencyKey : `${idempotencyKey}-whole`,
  })
  recordContent(context, update, response)
}

async function patchUnit(context: PushContext, update: UnitUpdate): Promise<void> {
  const { content, changedFields, externalId } = update
  const fields = changedFields === 'all' ? [] : changedFields
  const patch = Object.fromEntries(fields.map((name) => [name, content[name]]))
  const response = await context.send('units', 'PATCH', unitPath(externalId), patch, callFor(context, update))
  if (!isUnknownUnit(response)) return recordContent(context, update, response)
  context.results.addExchange([update], response.exchange)
  await putUnit(context, update)
}

const callFor = ({ call }: PushContext, { idempotencyKey, traceparent }: UnitUpdate): CallContext => ({
  ...call,
  idempotencyKey,
  traceparent: traceparent ?? call.traceparent ?? null,
})

function recordContent({ results }: PushContext, update: UnitUpdate, response: GenericResponse) {
  assertSuccess(response)
  assertUnit(response, update.externalId)
  results.addExchange([update], response.exchange)
  results.acceptContent(update)
}

/** One value of a message, and the range of the update that it stands for. */
interface CalendarChange {
  readonly update: UnitUpdate
  readonly list: 'rooms' | 'rates'
  readonly range: NightRange
  readonly value: object
  readonly closes: boolean
}

/** One request to the calendar. */
interface CalendarMessage {
  readonly changes: readonly CalendarChange[]
  readonly updates: ReadonlySet<UnitUpdate>
  readonly body: { readonly rooms: readonly object[]; readonly rates: readonly object[] }
  /** Equal for equal bodies. */
  readonly idempotencyKey: string
}

/** Keeps a request below 10 MiB even with long ids. */
const maxValuesPerMessage = 10_000

/** The calendar changes of all updates in as few messages as possible; those that close nights stand first. */
function buildMessages(updates: readonly UnitUpdate[]): CalendarMessage[] {
  const changes = updates.flatMap((update) => [
    ...update.rooms.map((range) => availabilityChange(update, range)),
    ...update.rates.map((range) => rateChange(update, range)),
  ])
  const ordered = [...changes.filter(({ closes }) => closes), ...changes.filter(({ closes }) => !closes)]
  const messages: CalendarMessage[] = []
  for (let start = 0; start < ordered.length; start += maxValuesPerMessage)
    messages.push(buildMessage(ordered.slice(start, start + maxValuesPerMessage)))
  return messages
}

function availabilityChange(update: UnitUpdate, range: AvailabilityRange): CalendarChange {
  const value = { external_id: update.externalId, ...range }
  return { update, list: 'rooms', range, value, closes: range.available === 0 }
}

function rateChange(update: UnitUpdate, range: RateRange): CalendarChange {
  const { plan, ...terms } = range
  const link = update.plans.find((link) => link.plan === plan)
  if (!link) throw new Error(`The plan ${plan} of update ${update.id} is not linked.`)
  const value = { external_id: update.externalId, rate_plan: link.externalId, ...terms }
  const closes = [terms.stop_sell, terms.closed_to_arrival, terms.closed_to_departure].includes(true)
  return { update, list: 'rates', range, value, closes }
}

function buildMessage(changes: CalendarChange[]): CalendarMessage {
  const valuesOf = (list: CalendarChange['list']) =>
    changes.filter((change) => change.list === list).map(({ value }) => value)
  const body = { rooms: valuesOf('rooms'), rates: valuesOf('rates') }
  const digest = hash('sha256', JSON.stringify(body), 'base64url').slice(0, 22)
  return {
    changes,
    updates: new Set(changes.map(({ update }) => update)),
    body,
    idempotencyKey: `${changes[0]!.update.idempotencyKey}-${digest}`,
  }
}

/** Why the PMS refused one value. */
interface Refusal {
  readonly code: unknown
  readonly message: unknown
}

/** The changes that a successful response refuses. @throws PmsFailure when the response does not fit the message */
function parseRefusals(
  response: PmsResponse,
  { changes }: CalendarMessage,
): ReadonlyMap<CalendarChange, Refusal> {
  const { accepted, refused } = (response.body ?? {}) as { accepted?: unknown; refused?: unknown }
  if (!Array.isArray(refused) || refused.includes(null) || accepted !== changes.length - refused.length)
    throw unexpectedResponse(response, 'does not contain the result of the calendar')
  const lists = {
    rooms: changes.filter(({ list }) => list === 'rooms'),
    rates: changes.filter(({ list }) => list === 'rates'),
  }
  return new Map(
    (refused as ({ list: 'rooms' | 'rates'; index: number } & Refusal)[]).map((refusal) => {
      const change = lists[refusal.list]?.[refusal.index]
      if (!change) throw unexpectedResponse(response, 'refuses a value that was not sent')
      return [change, refusal]
    }),
  )
}

const isUnknownUnitRefusal = ({ code }: Refusal) => code === 'unknown_unit'

/** The failure of one update of which these changes were refused. */
function partialRejection(
  refused: readonly (readonly [CalendarChange, Refusal])[],
  { exchange, redact }: GenericResponse,
): PmsFailure {
  const reasons = refused.map(([{ range }, { message }]) => {
    const { date_from: from, date_to: to } = range
    return `${redact(message) ?? 'no reason given'} (${from === to ? from : `${from} to ${to}`})`
  })
  const text = [...new Set(reasons)].slice(0, 3).join('; ')
  if (refused.some(([, refusal]) => isUnknownUnitRefusal(refusal)))
    return new PmsFailure('mapping_not_found', `The PMS does not know this unit: ${text}`, {
      hint: idHint,
      exchange,
    })
  const count = refused.length === 1 ? 'a value' : `${refused.length} values`
  return new PmsFailure('partial_rejection', `The PMS refused ${count}: ${text}`, {
    hint: 'Change the values that the PMS names, then trigger the sync.',
    exchange,
  })
}
