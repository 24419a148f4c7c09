import { hash } from 'node:crypto'
import type { PmsResponse } from '../send-request.ts'
import type { NightRange, UnitUpdate, RateRange, AvailabilityRange } from '../pms.ts'
import { PmsFailure } from '../pms-failure.ts'
import { unexpectedResponse } from './responses.ts'
import { idHint, type GenericResponse } from './generic-api.ts'

/** One value of a message, and the range of the update that it stands for. */
interface CalendarChange {
  readonly update: UnitUpdate
  readonly list: 'rooms' | 'rates'
  readonly range: NightRange
  readonly value: object
  readonly closes: boolean
}

/** One request to the calendar. */
export interface CalendarMessage {
  readonly changes: readonly CalendarChange[]
  readonly updates: ReadonlySet<UnitUpdate>
  readonly body: { readonly rooms: readonly object[]; readonly rates: readonly object[] }
  /** Equal for equal bodies. */
  readonly idempotencyKey: string
}

/** Keeps a request below 10 MiB even with long ids. */
const maxValuesPerMessage = 10_000

/** The calendar changes of all updates in as few messages as possible; those that close nights stand first. */
export function buildMessages(updates: readonly UnitUpdate[]): CalendarMessage[] {
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
export function parseRefusals(
  response: PmsResponse,
  { changes }: CalendarMessage,
): ReadonlyMap<CalendarChange, Refusal> {
  const { accepted, refused } = (response.body ?? {}) as { accepted?: unknown; refused?: unknown }
  if (!Array.isArray(refused) || accepted !== changes.length - refused.length)
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

export const isUnknownUnitRefusal = ({ code }: Refusal) => code === 'unknown_unit'

/** The failure of one update of which these changes were refused. */
export function partialRejection(
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
