import assert from 'node:assert/strict'
import { dateOf, nightOf } from '#nights.ts'
import type {
  Nights,
  NightTerms,
  Parcel,
  PlanNights,
  PmsConnection,
  Provider,
  Shown,
  UnitContent,
  UnitLink,
} from '#outside/pms/pms.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import { loft } from '../../sandbox/test/pms-caller.ts'

/** One provider with a stand-in of its own, where some units are known already. */
export interface Bench extends AsyncDisposable {
  readonly provider: Provider
  /** The stand-in's own address, where its control door is. */
  readonly url: string
  /** Eight, each linked with all the plans it can have. */
  readonly units: readonly UnitLink[]
  /** A unit that nobody over there has heard of. */
  readonly stranger: UnitLink
  /** Whether a unit that is told to a PMS that does not know it is made. */
  readonly makesStrangers: boolean
  /** What no failure may tell. */
  readonly secrets: readonly string[]
  connect(given?: { wrongKey?: boolean; baseUrl?: string; timeoutMs?: number }): PmsConnection
}

/** The faults and the calls of a stand-in, behind the door that all of them have. */
export function controlDoor(url: string) {
  const send = async (method: string, path: string, body?: object) => {
    const res = await fetch(`${url}/_control/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await res.text()
    assert.ok(res.ok, text)
    return text === '' ? null : (JSON.parse(text) as Record<string, unknown>)
  }
  return {
    fault: (rule: object) => send('PUT', 'faults', rule),
    noFaults: () => send('DELETE', 'faults'),
    /** How many calls arrive while the work is done. */
    async arriving(work: () => Promise<unknown>): Promise<number> {
      const { last: before } = (await send('GET', 'calls'))!
      await work()
      const { last } = (await send('GET', `calls?after=${String(before)}`))!
      return Number(last) - Number(before)
    },
  }
}

/** The date so many days from now, in UTC. */
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

export const nights = (from: number, to = from): Nights => ({ date_from: day(from), date_to: day(to) })

export const content: UnitContent = { ...loft, currency: 'eur', quantity: 5 }

export const terms: NightTerms = {
  price_cents: 18_900,
  min_stay_arrival: 2,
  min_stay_through: 1,
  max_stay: null,
  closed_to_arrival: false,
  closed_to_departure: false,
  stop_sell: false,
}

/** One of ours. */
export const photo = (unit: number, position: number) => ({
  url: `https://stays.example/media/8e0c3f3c-8f3b-4a4e-9f5e-0d3b1c1f2a10/${String(unit * 10 + position).padStart(32, 'p')}.jpg`,
  position,
  description: position ? null : 'The view',
})

/** Those of the terms that the provider can hold. */
export function held(provider: Provider, given: Partial<NightTerms>): Partial<NightTerms> {
  return Object.fromEntries(
    Object.entries(given).filter(([term]) => (provider.terms as readonly string[]).includes(term)),
  )
}

let parcels = 0
/** A parcel for a unit, in which nothing is said but what is given. */
export const parcel = (unit: UnitLink, says: Partial<Parcel> = {}): Parcel => ({
  id: `parcel-${(parcels += 1)}`,
  ...unit,
  content,
  differing: [],
  rooms: [],
  rates: [],
  idempotencyKey: `key-${parcels}`,
  traceparent: null,
  ...says,
})

/** Something to say of one of the units: its name, rooms and prices. Another value says something else. */
export function changeOf({ units }: Bench, index: number, value: number): Parcel {
  const unit = units[index]!
  return parcel(unit, {
    content: { ...content, name: `Name ${value}` },
    differing: ['name'],
    rooms: [{ ...nights(1, 20), available: value % 5 }],
    rates: ratesOf(unit, () => ({ ...nights(1, 20), price_cents: value * 100 })),
  })
}

/** Pushes, and everything must be taken. */
export async function pushAll(connection: PmsConnection, said: readonly Parcel[]): Promise<void> {
  const deliveries = await connection.push(said, {})
  assert.deepEqual([...deliveries.keys()].sort(), said.map(({ id }) => id).sort())
  for (const { id, rooms, rates, differing } of said) {
    const { tookContent, tookRooms, tookRates, failure } = deliveries.get(id)!
    assert.equal(failure, null, failure?.message)
    assert.deepEqual([tookRooms, tookRates], [rooms, rates])
    if (differing.length > 0) assert.equal(tookContent, true)
  }
}

/** Night by night: `rooms` or the plan, and the date. */
export type ByNight = Record<string, Partial<NightTerms> & { available?: number }>

export function byNight({ rooms, rates }: Pick<Shown, 'rooms' | 'rates'>): ByNight {
  const table: ByNight = {}
  const tell = (who: string, { date_from, date_to, ...said }: Nights) => {
    for (let night = nightOf(date_from); night <= nightOf(date_to); night += 1)
      table[`${who} ${dateOf(night)}`] = { ...table[`${who} ${dateOf(night)}`], ...said }
  }
  for (const run of rooms) tell('rooms', run)
  for (const { plan, ...run } of rates) tell(plan, run)
  return table
}

export async function readOne(connection: PmsConnection, unit: UnitLink, span = nights(1, 520)) {
  const shown = (await connection.read([unit], span, {})).get(unit.externalId)
  assert.ok(shown, `the PMS knows no ${unit.externalId}`)
  return shown
}

/** What the PMS shows of the nights of which something was said, as far as it was said. */
export function assertShows(shown: Shown, said: Pick<Shown, 'rooms' | 'rates'>): void {
  const expected = byNight(said)
  const actual = byNight(shown)
  const found = Object.entries(expected).map(([night, values]) => [
    night,
    Object.fromEntries(Object.keys(values).map((name) => [name, { ...actual[night] }[name as never]])),
  ])
  assert.deepEqual(Object.fromEntries(found), expected)
}

/** The rates of each plan of a unit. */
export function ratesOf(
  { plans }: UnitLink,
  say: (plan: string, index: number) => Omit<PlanNights, 'plan'>,
): PlanNights[] {
  return plans.map(({ plan }, index) => ({ plan, ...say(plan, index) }))
}

/** The failure is of this kind, and betrays nothing. */
export function assertFailure(
  { secrets }: Bench,
  failure: unknown,
  code: string,
): asserts failure is PmsFailure {
  assert.ok(failure instanceof PmsFailure, `${String(failure)} is no failure of a PMS`)
  assert.equal(failure.code, code, failure.message)
  assert.ok(failure.message.endsWith('.') || failure.message.length > 10)
  assert.ok(failure.hint.length > 10, 'there is something that an operator can do')
  const { message, hint, exchange, cause } = failure
  const words = JSON.stringify([message, hint, exchange, String(cause)])
  for (const secret of secrets) assert.ok(!words.includes(secret), words)
}
