import { fourAtATime } from '../four-at-a-time.ts'
import type { Call } from '../pms-call.ts'
import type { Delivery, Parcel } from '../pms.ts'
import { PmsFailure } from '../pms-failure.ts'
import { confirm, isUnknownUnit, refuse } from './answers.ts'
import { messagesOf, refusalInPart, refusalsIn, saysUnknownUnit, type Message } from './calendar-messages.ts'
import { openDeliveries, type Deliveries } from './deliveries.ts'
import { placeOf } from './names.ts'
import type { Send } from './sandbox-api.ts'

/** Where a push stands. */
interface Way {
  readonly send: Send
  readonly call: Call
  readonly deliveries: Deliveries
}

/** The calendar of the units that the PMS knows, then those it does not, then what differs in their content. */
export async function push(
  send: Send,
  parcels: readonly Parcel[],
  call: Call,
): Promise<ReadonlyMap<string, Delivery>> {
  const deliveries = openDeliveries(parcels)
  const way = { send, call, deliveries }
  const known = parcels.filter(({ differing }) => differing !== 'whole')
  try {
    const lost = await tellNights(way, known, 'made')
    const unknown = [...parcels.filter(({ differing }) => differing === 'whole'), ...lost]
    await fourAtATime(unknown, (parcel) => attempt(way, parcel, () => putUnit(way, parcel)))
    const made = unknown.filter((parcel) => !deliveries.failureOf(parcel))
    await tellNights(way, made, 'refused')
    const changed = known.filter(
      (parcel) =>
        parcel.differing.length > 0 && !lost.has(parcel) && !deliveries.failureOf(parcel)?.retryable,
    )
    await fourAtATime(changed, (parcel) => attempt(way, parcel, () => amendUnit(way, parcel)))
  } catch (error) {
    if (!(error instanceof PmsFailure)) throw error
    deliveries.giveUp(error)
  }
  return deliveries.results()
}

/** One step for one parcel; throws on only when no call has a chance any more. */
async function attempt({ call, deliveries }: Way, parcel: Parcel, step: () => Promise<void>): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (!(error instanceof PmsFailure) || isHopeless(error, call)) throw error
    deliveries.fail(parcel, error)
  }
}

const isHopeless = ({ isHeldBack, code }: PmsFailure, { signal }: Call) =>
  isHeldBack || code === 'auth_rejected' || signal?.aborted === true

/** Tells the calendar of these units; returns those the PMS does not know, if they are yet to be made. */
async function tellNights(way: Way, parcels: readonly Parcel[], unknown: 'made' | 'refused') {
  const lost = new Set<Parcel>()
  const messages = messagesOf(parcels)
  for (const [index, message] of messages.entries()) {
    try {
      for (const parcel of await tell(way, message, unknown)) lost.add(parcel)
    } catch (error) {
      if (!(error instanceof PmsFailure) || isHopeless(error, way.call)) throw error
      const concerned = error.retryable ? messages.slice(index) : [message]
      for (const { parcels } of concerned) for (const parcel of parcels) way.deliveries.fail(parcel, error)
      if (error.retryable) break
    }
  }
  return lost
}

async function tell({ send, call, deliveries }: Way, message: Message, unknown: 'made' | 'refused') {
  const { body, idempotencyKey } = message
  const traceparent = message.wishes[0]?.parcel.traceparent ?? call.traceparent ?? null
  const answer = await send('calendar', 'POST', '/calendar', body, { ...call, traceparent, idempotencyKey })
  refuse(answer)
  const refusals = refusalsIn(answer, message)
  for (const wish of message.wishes) if (!refusals.has(wish)) deliveries.tookNights(wish.parcel, wish.run)
  const lost: Parcel[] = []
  const refused = Map.groupBy(refusals, ([{ parcel }]) => parcel)
  for (const parcel of message.parcels) {
    deliveries.exchanged(parcel, answer.exchange)
    const against = refused.get(parcel)
    if (!against) continue
    if (unknown === 'made' && against.every(([, refusal]) => saysUnknownUnit(refusal))) lost.push(parcel)
    else deliveries.fail(parcel, refusalInPart(against, answer))
  }
  return lost
}

/** The whole unit. A unit that was thought to be known may have used its key for a part. */
async function putUnit(way: Way, parcel: Parcel): Promise<void> {
  const { idempotencyKey, differing } = parcel
  const answer = await way.send('units', 'PUT', placeOf(parcel.externalId), parcel.content, {
    ...callFor(way, parcel),
    idempotencyKey: differing === 'whole' ? idempotencyKey : `${idempotencyKey}-whole`,
  })
  settle(way, parcel, answer)
}

async function amendUnit(way: Way, parcel: Parcel): Promise<void> {
  const { content, differing, externalId } = parcel
  const members = differing === 'whole' ? [] : differing
  const part = Object.fromEntries(members.map((name) => [name, content[name]]))
  const answer = await way.send('units', 'PATCH', placeOf(externalId), part, callFor(way, parcel))
  if (!isUnknownUnit(answer)) return settle(way, parcel, answer)
  way.deliveries.exchanged(parcel, answer.exchange)
  await putUnit(way, parcel)
}

const callFor = ({ call }: Way, { idempotencyKey, traceparent }: Parcel): Call => ({
  ...call,
  idempotencyKey,
  traceparent: traceparent ?? call.traceparent ?? null,
})

function settle({ deliveries }: Way, parcel: Parcel, answer: Awaited<ReturnType<Send>>) {
  refuse(answer)
  confirm(answer, parcel.externalId)
  deliveries.exchanged(parcel, answer.exchange)
  deliveries.tookContent(parcel)
}
