import { forEachConcurrently } from '../concurrency.ts'
import type { CallContext } from '../pms-call.ts'
import type { UpdateResult, UnitUpdate } from '../pms.ts'
import { PmsFailure } from '../pms-failure.ts'
import { trackResults, type ResultTracker } from '../result-tracker.ts'
import {
  buildMessages,
  isUnknownUnitRefusal,
  parseRefusals,
  partialRejection,
  type CalendarMessage,
} from './calendar-messages.ts'
import { assertSuccess, assertUnit, isUnknownUnit } from './responses.ts'
import { unitPath, type GenericResponse, type Send } from './generic-api.ts'

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
    const created = toCreate.filter((update) => !results.failureOf(update))
    await sendCalendars(context, created, { reportUnknown: false })
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
