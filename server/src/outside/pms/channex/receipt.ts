import type { Answer } from '../exchange.ts'
import { PmsFailure } from '../pms-failure.ts'
import { dataOf } from './channex-api.ts'
import type { Wish } from './messages.ts'
import { detailsInWords } from './refusal.ts'

/** What was refused of a message that was answered with 200, and why. */
export type Refused = ReadonlyMap<Wish, unknown>

/**
 * A 200 says only that the message was read: each value that was refused stands in `meta.warnings` with the words
 * of the refusal under `warning`. Null when the answer neither confirms nor warns.
 */
export function refusedOf(answer: Answer, wishes: readonly Wish[]): Refused | null {
  const { meta } = (answer.body ?? {}) as { meta?: { warnings?: unknown } | null }
  const warnings = Array.isArray(meta?.warnings) ? (meta.warnings as unknown[]) : []
  const data = dataOf(answer)
  if (!Array.isArray(data) || data.length + warnings.length === 0) return null
  const named = warnings.length > 0 ? registerOf(wishes) : () => []
  const refused = new Map<Wish, unknown>()
  const told = new Set<readonly Wish[]>()
  for (const warning of warnings) {
    const blamed = named(warning)
    if (!told.has(blamed)) for (const wish of blamed) refused.set(wish, wordsIn(warning))
    told.add(blamed)
  }
  return refused
}

const wordsIn = (warning: unknown) => (warning as { warning?: unknown } | null)?.warning ?? warning

/** Whom a warning means: that value, else that room type or plan, else, as nothing may be lost, everything. */
function registerOf(wishes: readonly Wish[]): (warning: unknown) => readonly Wish[] {
  const nameOf = (id: unknown, from: unknown, to: unknown) => JSON.stringify([id, from, to])
  const byId = Map.groupBy(wishes, ({ externalId }): unknown => externalId)
  const byName = Map.groupBy(wishes, ({ externalId, run }) => nameOf(externalId, run.date_from, run.date_to))
  return (warning) => {
    const named = Object(warning) as Record<string, unknown>
    const id = named['room_type_id'] ?? named['rate_plan_id']
    const from = named['date_from'] ?? named['date']
    return byName.get(nameOf(id, from, named['date_to'] ?? from)) ?? byId.get(id) ?? wishes
  }
}

/** The failure of one parcel, whose refused values these are. */
export function refusalInPart(
  answer: Answer,
  refused: readonly (readonly [Wish, unknown])[],
  sent: number,
  clean: (words: string) => string,
): PmsFailure {
  const fields = new Set(refused.flatMap(([, words]) => Object.keys(Object(words) as object)))
  const said = new Map(refused.map(([{ run }, words]) => [detailsInWords(words) || 'no reason given', run]))
  const reasons = [...said].slice(0, 3).map(([words, { date_from: from, date_to: to }]) => {
    const nights = from === to ? from : `${from} to ${to}`
    return `${clean(words)} (${nights})`
  })
  const isMapping = ['property_id', 'room_type_id', 'rate_plan_id'].some((field) => fields.has(field))
  return new PmsFailure(
    isMapping ? 'mapping_not_found' : 'partial_rejection',
    `Channex refused ${refused.length} of ${sent} values: ${reasons.join('; ')}`,
    { hint: hintFor(fields, isMapping), exchange: answer.exchange },
  )
}

function hintFor(fields: ReadonlySet<string>, isMapping: boolean): string {
  if (isMapping) return 'Check the external ids of the listing and the property_ref of the channel target.'
  if (['date', 'date_from', 'date_to'].some((field) => fields.has(field)))
    return 'These nights are over where the property stands: compare the time zones of the space and of the property.'
  if (fields.has('rate'))
    return 'Give these nights a price that Channex takes: the calendar is sent again by itself.'
  return 'Change the value that Channex names: the calendar is sent again by itself.'
}
