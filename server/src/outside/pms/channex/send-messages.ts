import { randomUUID } from 'node:crypto'
import type { Answer } from '../exchange.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { Call } from '../pms-call.ts'
import type { Parcel, RefusedGroups } from '../pms.ts'
import type { ChannexApi } from './channex-api.ts'
import type { Deliveries } from './deliveries.ts'
import { inMessages, type MessageKind, type Wish } from './messages.ts'
import { nonsense, refusesContent } from './refusal.ts'
import { refusalInPart, refusedOf } from './receipt.ts'
import { taskNames } from './tasks.ts'

/**
 * How many messages one push may spend on finding out whose values a refused message was refused for. The vendor
 * takes ten a minute, and all but a few of them belong to those who are in order.
 */
const maxSearches = 6

/**
 * Sends messages of one kind. When one is refused as a whole, the parcels that the refusal names are taken out and
 * the rest is sent again; when it names none, each half is sent for itself, until the culprits are alone or the
 * searches are used up. What was refused goes behind what was not, and how far the search came is noted, so that the
 * next push goes on with it. Gives the failure that makes any further call pointless, or null.
 */
export async function sendMessages(
  api: ChannexApi,
  kind: MessageKind,
  wishes: readonly Wish[],
  call: Call,
  deliveries: Deliveries,
): Promise<PmsFailure | null> {
  const waiting = inGroups(kind, wishes)
  let searches = 0
  for (let message = waiting.shift(); message; message = waiting.shift()) {
    try {
      const { blamed, innocent, parts, failure } = await send(api, kind, message, call, deliveries)
      if (failure) deliveries.failed(blamed, failure)
      deliveries.refusedTogether(kind, blamed, knownAsRefused)
      for (const part of parts) deliveries.refusedTogether(kind, parcelsOf(part), randomUUID())
      const next = [...innocent, ...parts]
      if (next.length > 0 && searches >= maxSearches)
        deliveries.failed(parcelsOf(next.flat()), cutShort(failure!))
      else {
        searches += next.length
        waiting.unshift(...innocent)
        waiting.push(...parts)
      }
    } catch (error) {
      if (!(error instanceof PmsFailure)) throw error
      deliveries.failed(parcelsOf([message, ...waiting].flat()), error)
      return isOfThisKindOnly(error) ? null : error
    }
  }
  return null
}

/** The group of units that are known to be refused: sent together once they have changed, behind all others. */
const knownAsRefused = 'known'

/** Messages about what was never refused come first, then the parts that are still searched. */
function inGroups(kind: MessageKind, wishes: readonly Wish[]): Wish[][] {
  const groupOf = ({ refusedGroups }: { refusedGroups?: RefusedGroups | null }) => refusedGroups?.[kind] ?? ''
  const rank = (group: string) => (group === '' ? 0 : group === knownAsRefused ? 2 : 1)
  return [...Map.groupBy(wishes, ({ parcel }) => groupOf(parcel))]
    .sort(([a], [b]) => rank(a) - rank(b))
    .flatMap(([, ofGroup]) => inMessages(ofGroup))
}

interface Outcome {
  readonly blamed: Iterable<Parcel>
  /** What is to be sent again at once, as the refusal named others. */
  readonly innocent: Wish[][]
  /** What is to be sent again in parts, as nobody knows whose values were refused. */
  readonly parts: Wish[][]
  readonly failure: PmsFailure | null
}

/** @throws PmsFailure when this message, and those that wait behind it, have no chance now. */
async function send(
  api: ChannexApi,
  kind: MessageKind,
  message: readonly Wish[],
  call: Call,
  deliveries: Deliveries,
): Promise<Outcome> {
  const body = { values: message.map(({ value }) => value) }
  const parcels = parcelsOf(message)
  const question = { kind, method: 'POST', path: `/${kind}`, body }
  const answer = await api.ask(question, { ...call, traceparent: traceOf(parcels, call) })
  deliveries.exchanged(parcels, answer.exchange)
  const failure = api.refusal(answer, 'the values')
  if (failure && !refusesContent(answer)) throw failure
  if (failure) return { ...divided(message, parcels, answer), failure }
  noteReceipt(api, answer, message, deliveries)
  deliveries.refusedTogether(kind, parcels, null)
  return { blamed: [], innocent: [], parts: [], failure: null }
}

function noteReceipt(api: ChannexApi, answer: Answer, message: readonly Wish[], deliveries: Deliveries) {
  const refused = refusedOf(answer, message)
  if (!refused) throw nonsense(answer)
  deliveries.follow(parcelsOf(message), taskNames(answer))
  for (const wish of message) if (!refused.has(wish)) deliveries.took(wish)
  const sent = Map.groupBy(message, ({ parcel }) => parcel)
  for (const [parcel, theirs] of Map.groupBy(refused, ([{ parcel }]) => parcel))
    deliveries.failed([parcel], refusalInPart(answer, theirs, sent.get(parcel)!.length, api.clean))
}

function divided(message: readonly Wish[], parcels: ReadonlySet<Parcel>, { body }: Answer) {
  if (parcels.size === 1) return { blamed: parcels, innocent: [], parts: [] }
  const { details } = (body as { errors?: { details?: unknown } } | null)?.errors ?? {}
  const words = new Set(JSON.stringify(details ?? null).split(/[^\w-]+/))
  const named = parcelsOf(message.filter(({ externalId }) => words.has(externalId)))
  const half = Math.ceil(parcels.size / 2)
  const first = named.size > 0 ? named : new Set([...parcels].slice(0, half))
  const [ours, others] = [true, false].map((isOurs) =>
    message.filter((one) => first.has(one.parcel) === isOurs),
  )
  return named.size > 0
    ? { blamed: named, innocent: [others!].filter(({ length }) => length > 0), parts: [] }
    : { blamed: [], innocent: [], parts: [ours!, others!] }
}

export const parcelsOf = (wishes: readonly Wish[]): Set<Parcel> => new Set(wishes.map(({ parcel }) => parcel))

/** Several wishes in one call can follow only one trace: the first that there is. */
export const traceOf = (parcels: Iterable<Parcel>, call: Call): string | null =>
  call.traceparent ?? [...parcels].find(({ traceparent }) => traceparent)?.traceparent ?? null

/** Messages are counted by kind: when one kind has had its share, the other may have some left. */
const isOfThisKindOnly = ({ code }: PmsFailure) => code === 'rate_limited'

/** Those who may be innocent are tried again in the next round; that counts as no attempt of theirs. */
const cutShort = (failure: PmsFailure) =>
  new PmsFailure(
    'rate_limited',
    `${failure.message} – in a message about several units, this one among them`,
    {
      hint: 'Nothing to do here: the unit is sent again, apart from those that were found to be refused.',
      exchange: failure.exchange,
      isHeldBack: true,
    },
  )
