import assert from 'node:assert/strict'
import { dateOf, nightOf } from '#schema/nights.ts'
import type {
  NightRange,
  NightTerms,
  UnitUpdate,
  RateRange,
  PmsConnection,
  RemoteUnit,
  UnitLink,
} from '#integrations/pms/pms.ts'
import type { UnitContent } from '#integrations/pms/pms-content.ts'
import type { Provider } from '#integrations/pms/pms-provider.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import { loft } from '../../sandbox/test/pms-caller.ts'

/** A provider with its sandbox, where eight units exist. */
export interface PmsFixture extends AsyncDisposable {
  readonly provider: Provider
  /** The URL of the sandbox with its control routes. */
  readonly url: string
  /** Eight units, each with all plans that the provider supports. */
  readonly units: readonly UnitLink[]
  /** A unit that does not exist at the PMS. */
  readonly unknownUnit: UnitLink
  /** Whether a push of an unknown unit creates it. */
  readonly createsUnknownUnits: boolean
  /** Secrets that no failure may contain. */
  readonly secrets: readonly string[]
  /**
   * Makes a booking of one room at the PMS, or changes the one with this id, sends its webhooks, and returns its id. Null
   * where all bookings arrive in messages.
   */
  readonly saveBooking: ((booking: FixtureBooking, id?: string) => Promise<string>) | null
  /** Ends all access tokens; null where the credentials are sent with each call. */
  readonly endTokens: (() => Promise<unknown>) | null
  connect(given?: { wrongKey?: boolean; baseUrl?: string; timeoutMs?: number }): PmsConnection
}

/** A booking at the PMS for two guests, in euros. */
export interface FixtureBooking {
  readonly unit: UnitLink
  readonly arrival: string
  readonly departure: string
  readonly guestName: string
  readonly totalCents: number
  readonly isCancelled?: boolean
}

/** The control routes for faults and calls, which all sandboxes have. */
export function pmsControl(url: string) {
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
    /** Counts the calls that arrive during the work. */
    async arriving(work: () => Promise<unknown>): Promise<number> {
      const { last: before } = (await send('GET', 'calls'))!
      await work()
      const { last } = (await send('GET', `calls?after=${String(before)}`))!
      return Number(last) - Number(before)
    },
  }
}

/** The UTC date this many days from now. */
export const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

export const nights = (from: number, to = from): NightRange => ({ date_from: day(from), date_to: day(to) })

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

/** A photo of our API. */
export const photo = (unit: number, position: number) => ({
  url: `https://stays.example/media/8e0c3f3c-8f3b-4a4e-9f5e-0d3b1c1f2a10/${String(unit * 10 + position).padStart(32, 'p')}.jpg`,
  position,
  description: position ? null : 'The view',
})

/** The terms that the provider supports. */
export function supported(provider: Provider, given: Partial<NightTerms>): Partial<NightTerms> {
  return Object.fromEntries(
    Object.entries(given).filter(([term]) => (provider.terms as readonly string[]).includes(term)),
  )
}

let updateCount = 0
/** An update of a unit with the given members. */
export const buildUpdate = (unit: UnitLink, fields: Partial<UnitUpdate> = {}): UnitUpdate => ({
  id: `update-${(updateCount += 1)}`,
  ...unit,
  content,
  changedFields: [],
  rooms: [],
  rates: [],
  idempotencyKey: `key-${updateCount}`,
  traceparent: null,
  ...fields,
})

/** An update of the name, rooms and prices of a unit, different for each value. */
export function buildChange({ units }: PmsFixture, index: number, value: number): UnitUpdate {
  const unit = units[index]!
  return buildUpdate(unit, {
    content: { ...content, name: `Name ${value}` },
    changedFields: ['name'],
    rooms: [{ ...nights(1, 20), available: value % 5 }],
    rates: ratesOf(unit, () => ({ ...nights(1, 20), price_cents: value * 100 })),
  })
}

/** Pushes, and asserts that everything was accepted. */
export async function pushAll(connection: PmsConnection, updates: readonly UnitUpdate[]): Promise<void> {
  const deliveries = await connection.push(updates, {})
  assert.deepEqual([...deliveries.keys()].sort(), updates.map(({ id }) => id).sort())
  for (const { id, rooms, rates, changedFields } of updates) {
    const { contentAccepted, acceptedRooms, acceptedRates, failure } = deliveries.get(id)!
    assert.equal(failure, null, failure?.message)
    assert.deepEqual([acceptedRooms, acceptedRates], [rooms, rates])
    if (changedFields.length > 0) assert.equal(contentAccepted, true)
  }
}

/** The values by `rooms` or plan, and date. */
export type ByNight = Record<string, Partial<NightTerms> & { available?: number }>

export function byNight({ rooms, rates }: Pick<RemoteUnit, 'rooms' | 'rates'>): ByNight {
  const table: ByNight = {}
  const add = (key: string, { date_from, date_to, ...values }: NightRange) => {
    for (let night = nightOf(date_from); night <= nightOf(date_to); night += 1)
      table[`${key} ${dateOf(night)}`] = { ...table[`${key} ${dateOf(night)}`], ...values }
  }
  for (const run of rooms) add('rooms', run)
  for (const { plan, ...run } of rates) add(plan, run)
  return table
}

export async function readOne(connection: PmsConnection, unit: UnitLink, span = nights(1, 520)) {
  const shown = (await connection.readUnits([unit], span, {})).get(unit.externalId)
  assert.ok(shown, `the PMS has no ${unit.externalId}`)
  return shown
}

/** Asserts that the PMS has the values that were sent. */
export function assertShows(shown: RemoteUnit, sent: Pick<RemoteUnit, 'rooms' | 'rates'>): void {
  const expected = byNight(sent)
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
  say: (plan: string, index: number) => Omit<RateRange, 'plan'>,
): RateRange[] {
  return plans.map(({ plan }, index) => ({ plan, ...say(plan, index) }))
}

/** Asserts the code of the failure, and that it contains no secret. */
export function assertFailure(
  { secrets }: PmsFixture,
  failure: unknown,
  code: string,
): asserts failure is PmsFailure {
  assert.ok(failure instanceof PmsFailure, `${String(failure)} is not a PmsFailure`)
  assert.equal(failure.code, code, failure.message)
  assert.ok(failure.message.endsWith('.') || failure.message.length > 10)
  assert.ok(failure.hint.length > 10, 'the hint is not empty')
  const { message, hint, exchange, cause } = failure
  const words = JSON.stringify([message, hint, exchange, String(cause)])
  for (const secret of secrets) assert.ok(!words.includes(secret), words)
}
