import type { PmsResponse } from '../send-request.ts'
import { termNames } from '../pms.ts'
import { PmsFailure } from '../pms-failure.ts'
import { dataOf } from './channex-api.ts'
import { detailsText } from './failures.ts'
import type { CalendarChange } from './calendar-changes.ts'

/** The changes that a response with status 200 refuses, each with the reason. */
export type RefusedChanges = ReadonlyMap<CalendarChange, unknown>

/**
 * A status of 200 says only that the message was read: each refused value appears in `meta.warnings`, with the reason
 * under `warning`. Null when the response neither confirms nor warns.
 */
export function parseWarnings(
  response: PmsResponse,
  changes: readonly CalendarChange[],
): RefusedChanges | null {
  const { meta } = (response.body ?? {}) as { meta?: { warnings?: unknown } | null }
  const warnings = Array.isArray(meta?.warnings) ? (meta.warnings as unknown[]) : []
  const data = dataOf(response)
  if (!Array.isArray(data) || data.length + warnings.length === 0) return null
  const findRefused = warnings.length > 0 ? indexChanges(changes) : () => []
  const refused = new Map<CalendarChange, unknown>()
  const recorded = new Set<readonly CalendarChange[]>()
  for (const warning of warnings) {
    const matches = findRefused(warning)
    if (!recorded.has(matches)) for (const change of matches) refused.set(change, reasonOf(warning))
    recorded.add(matches)
  }
  return refused
}

const reasonOf = (warning: unknown) => (warning as { warning?: unknown } | null)?.warning ?? warning

/**
 * The changes that a warning is about: the one with its id and dates, else those of the room type or plan, else, so
 * that no refusal is lost, all of them.
 */
function indexChanges(changes: readonly CalendarChange[]): (warning: unknown) => readonly CalendarChange[] {
  const keyOf = (id: unknown, from: unknown, to: unknown) => JSON.stringify([id, from, to])
  const byId = Map.groupBy(changes, ({ externalId }): unknown => externalId)
  const byRange = Map.groupBy(changes, ({ externalId, range }) =>
    keyOf(externalId, range.date_from, range.date_to),
  )
  return (warning) => {
    const fields = Object(warning) as Record<string, unknown>
    const id = fields['room_type_id'] ?? fields['rate_plan_id']
    const from = fields['date_from'] ?? fields['date']
    return byRange.get(keyOf(id, from, fields['date_to'] ?? from)) ?? byId.get(id) ?? changes
  }
}

/**
 * The restrictions of values that were rejected for their price, which must not keep a closed night open. Their ranges are
 * new ones, because those of the update are accepted only with the price.
 */
export const withoutPrices = (refused: RefusedChanges): CalendarChange[] =>
  [...refused].flatMap(([change, reason]) => {
    const { rate, ...value } = change.value
    const isForPrice = rate !== undefined && Object.hasOwn(Object(reason) as object, 'rate')
    if (!isForPrice || !termNames.some((term) => term in value)) return []
    return { ...change, range: { ...change.range }, value }
  })

/** The failure of one update of which these changes were refused. */
export function partialRejection(
  response: PmsResponse,
  refused: readonly (readonly [CalendarChange, unknown])[],
  sentCount: number,
  redact: (text: string) => string,
): PmsFailure {
  const fields = new Set(refused.flatMap(([, reason]) => Object.keys(Object(reason) as object)))
  const rangeByReason = new Map(
    refused.map(([{ range }, reason]) => [detailsText(reason) || 'no reason given', range]),
  )
  const reasons = [...rangeByReason].slice(0, 3).map(([reason, { date_from: from, date_to: to }]) => {
    const nights = from === to ? from : `${from} to ${to}`
    return `${redact(reason)} (${nights})`
  })
  const isMapping = ['property_id', 'room_type_id', 'rate_plan_id'].some((field) => fields.has(field))
  return new PmsFailure(
    isMapping ? 'mapping_not_found' : 'partial_rejection',
    `Channex refused ${refused.length} of ${sentCount} values: ${reasons.join('; ')}`,
    { hint: hintFor(fields, isMapping), exchange: response.exchange },
  )
}

function hintFor(fields: ReadonlySet<string>, isMapping: boolean): string {
  if (isMapping) return 'Check the ids of the listing and the property of the channel.'
  if (['date', 'date_from', 'date_to'].some((field) => fields.has(field)))
    return 'These nights are past at the property: compare the time zones of the space and of the property.'
  if (fields.has('rate'))
    return 'Give these nights a price that Channex accepts: the calendar is sent again automatically.'
  return 'Change the value that Channex names: the calendar is sent again automatically.'
}
