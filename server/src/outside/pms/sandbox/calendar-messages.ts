import { hash } from 'node:crypto'
import type { Answer } from '../exchange.ts'
import type { Nights, Parcel, PlanNights, RoomNights } from '../pms.ts'
import { PmsFailure } from '../pms-failure.ts'
import { nonsense } from './answers.ts'
import { checkIds } from './names.ts'
import type { SandboxAnswer } from './sandbox-api.ts'

/** One value as it is sent, and the run of the parcel that it stands for. */
interface Wish {
  readonly parcel: Parcel
  readonly list: 'rooms' | 'rates'
  readonly run: Nights
  readonly value: object
  readonly closes: boolean
}

/** One call of the calendar. */
export interface Message {
  readonly wishes: readonly Wish[]
  readonly parcels: ReadonlySet<Parcel>
  readonly body: { readonly rooms: readonly object[]; readonly rates: readonly object[] }
  /** The same words have the same key. */
  readonly idempotencyKey: string
}

/** Below the 10 MiB of a call even when the ids are long. */
const mostValues = 10_000

/** All that the parcels say of nights, in as few calls as can be: what closes comes before what opens. */
export function messagesOf(parcels: readonly Parcel[]): Message[] {
  const wishes = parcels.flatMap((parcel) => [
    ...parcel.rooms.map((run) => roomWish(parcel, run)),
    ...parcel.rates.map((run) => rateWish(parcel, run)),
  ])
  const ordered = [...wishes.filter(({ closes }) => closes), ...wishes.filter(({ closes }) => !closes)]
  const messages: Message[] = []
  for (let start = 0; start < ordered.length; start += mostValues)
    messages.push(messageOf(ordered.slice(start, start + mostValues)))
  return messages
}

function roomWish(parcel: Parcel, run: RoomNights): Wish {
  const value = { external_id: parcel.externalId, ...run }
  return { parcel, list: 'rooms', run, value, closes: run.available === 0 }
}

function rateWish(parcel: Parcel, run: PlanNights): Wish {
  const { plan, ...terms } = run
  const link = parcel.plans.find((link) => link.plan === plan)
  if (!link) throw new Error(`The plan ${plan} of parcel ${parcel.id} has no link.`)
  const value = { external_id: parcel.externalId, rate_plan: link.externalId, ...terms }
  const closes = [terms.stop_sell, terms.closed_to_arrival, terms.closed_to_departure].includes(true)
  return { parcel, list: 'rates', run, value, closes }
}

function messageOf(wishes: Wish[]): Message {
  const listed = (list: Wish['list']) => wishes.filter((wish) => wish.list === list).map(({ value }) => value)
  const body = { rooms: listed('rooms'), rates: listed('rates') }
  const digest = hash('sha256', JSON.stringify(body), 'base64url').slice(0, 22)
  return {
    wishes,
    parcels: new Set(wishes.map(({ parcel }) => parcel)),
    body,
    idempotencyKey: `${wishes[0]!.parcel.idempotencyKey}-${digest}`,
  }
}

/** What the PMS says against a value. */
interface Refusal {
  readonly code: unknown
  readonly message: unknown
}

/** The values that were refused in a 200, and why. @throws PmsFailure when the answer is not one to this message */
export function refusalsIn(answer: Answer, { wishes }: Message): ReadonlyMap<Wish, Refusal> {
  const { accepted, refused } = (answer.body ?? {}) as { accepted?: unknown; refused?: unknown }
  if (!Array.isArray(refused) || accepted !== wishes.length - refused.length)
    throw nonsense(answer, 'that does not say what became of the calendar')
  const lists = {
    rooms: wishes.filter(({ list }) => list === 'rooms'),
    rates: wishes.filter(({ list }) => list === 'rates'),
  }
  return new Map(
    (refused as ({ list: 'rooms' | 'rates'; index: number } & Refusal)[]).map((refusal) => {
      const wish = lists[refusal.list]?.[refusal.index]
      if (!wish) throw nonsense(answer, 'that refuses what was not sent')
      return [wish, refusal]
    }),
  )
}

export const saysUnknownUnit = ({ code }: Refusal) => code === 'unknown_unit'

/** The failure of one parcel some of whose values were refused. */
export function refusalInPart(
  refused: readonly (readonly [Wish, Refusal])[],
  { exchange, clean }: SandboxAnswer,
): PmsFailure {
  const reasons = refused.map(([{ run }, { message }]) => {
    const nights = run.date_from === run.date_to ? run.date_from : `${run.date_from} to ${run.date_to}`
    return `${clean(message) ?? 'no reason given'} (${nights})`
  })
  const said = [...new Set(reasons)].slice(0, 3).join('; ')
  if (refused.some(([, refusal]) => saysUnknownUnit(refusal)))
    return new PmsFailure('mapping_not_found', `The PMS does not know this unit: ${said}`, {
      hint: checkIds,
      exchange,
    })
  const count = refused.length === 1 ? 'a value' : `${refused.length} values`
  return new PmsFailure('partial_rejection', `The PMS refused ${count}: ${said}`, {
    hint: 'Change the values that the PMS names, then trigger the sync.',
    exchange,
  })
}
