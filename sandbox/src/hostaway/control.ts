import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer, receive, Refusal } from '../json-http.ts'
import type { Calls } from '../pms/calls.ts'
import { control } from '../pms/control.ts'
import type { Faults } from '../pms/faults.ts'
import type { Deliveries } from './deliveries.ts'
import { Fail } from './envelope.ts'
import { flag, integer, integerFrom, oneOf, readFields, text, type Check, type Checks } from './fields.ts'
import { newListing } from './listings.ts'
import type { RateLimits } from './rate-limits.ts'
import { changedReservation, newReservation } from './reservations.ts'
import type { Vendor } from './vendor.ts'

/** What a test may take hold of. */
export type Levers = {
  vendor: Vendor
  faults: Faults
  calls: Calls
  rateLimits: RateLimits
  deliveries: Deliveries
  turnClock(aheadMs: number): void
}

type Lever = (levers: Levers, body: unknown, id: number) => unknown

const upToTenYears: Check = {
  kind: 'at most ten years',
  fits: (value) => integer.fits(value) && Number(value) >= 0 && Number(value) <= 3_652 * 86_400_000,
}

const levers: Record<string, Lever> = {
  'PUT accounts': ({ vendor }, body) => {
    const { account_id, api_key } = read<{ account_id: number; api_key: string }>(body, {
      account_id: integer,
      api_key: text,
    })
    vendor.records.save(['account', account_id, { id: account_id, apiKey: api_key }])
    return { account: { account_id } }
  },
  'DELETE tokens': ({ vendor: { records } }) => {
    records.save(...records.list('token').map(({ token }) => ['token', token, null] as const))
  },
  'POST listings': ({ vendor }, body) => {
    const { account_id, ...extra } = read<{ account_id: number; units?: number; specialStatus?: 'archived' }>(
      body,
      { account_id: integer },
      { id: integerFrom(1), units: integerFrom(1), specialStatus: oneOf('archived') },
    )
    return { listing: newListing(vendor, account_id, body, extra) }
  },
  'PATCH listings': ({ vendor: { records } }, body, id) => {
    const listing = known(records.find('listing', id))
    const changed = {
      ...listing,
      ...read<object>(body, {}, { units: integerFrom(1), specialStatus: oneOf('archived') }),
    }
    records.save(['listing', id, changed])
    return { listing: changed }
  },
  'POST reservations': ({ vendor }, body) => {
    const { account_id } = read<{ account_id: number }>(body, { account_id: integer })
    return { reservation: newReservation(vendor, account_id, body, { source: null, force: true }) }
  },
  'PATCH reservations': ({ vendor }, body, id) => {
    const before = known(vendor.records.find('reservation', id))
    // People may move a reservation to another listing, which the API does not allow.
    const moved = read<{ listingMapId?: number }>(body, {}, { listingMapId: integerFrom(1) })
    return { reservation: changedReservation(vendor, { ...before, ...moved }, body, true) }
  },
  'POST events': ({ vendor }, body) => {
    const given = read<{ account_id: number; object: string; event: string; data: unknown }>(body, {
      account_id: integer,
      object: text,
      event: text,
      data: { kind: 'given', fits: () => true },
    })
    const { account_id: accountId, object, event, data } = given
    vendor.notify({ object, event, accountId, data })
  },
  'PUT clock': async ({ vendor, deliveries, turnClock }, body) => {
    turnClock(read<{ ahead_ms: number }>(body, { ahead_ms: upToTenYears }).ahead_ms)
    await deliveries.sendDue()
    return { now: new Date(vendor.now()).toISOString() }
  },
  'GET limits': ({ rateLimits }) => ({ limits: rateLimits.limits() }),
  'PUT limits': ({ rateLimits }, body) => {
    rateLimits.set(read(body, {}, { ip: integerFrom(0), account: integerFrom(0), window_ms: integerFrom(1) }))
    return { limits: rateLimits.limits() }
  },
  'GET deliveries': ({ deliveries }) => ({ deliveries: deliveries.list() }),
  'DELETE deliveries': ({ deliveries }) => deliveries.clear(),
  'PUT deliveries': ({ deliveries }, body) => {
    const { hold, copies } = read<{ hold?: 0 | 1; copies?: number }>(
      body,
      {},
      { hold: flag, copies: integerFrom(1) },
    )
    deliveries.behave({
      ...(hold === undefined ? {} : { hold: hold === 1 }),
      ...(copies === undefined ? {} : { copies }),
    })
    return { manner: deliveries.manner() }
  },
  'POST deliveries': async ({ deliveries }, body) => {
    await deliveries.release(
      read<{ order: 'given' | 'reversed' }>(body, { order: oneOf('given', 'reversed') }).order,
    )
    return { deliveries: deliveries.list() }
  },
}

/** The door through which a test furnishes the vendor and tells it how to behave. */
export async function controlHostaway(req: IncomingMessage, res: ServerResponse, held: Levers) {
  const [, , name = '', id] = new URL(req.url ?? '/', 'http://hostaway').pathname.split('/')
  if (name === 'faults' || name === 'calls') return control(req, res, held.faults, held.calls)
  const lever = levers[`${req.method} ${name}`]
  if (!lever) throw new Refusal(404, 'unknown_path', 'there is nothing here')
  const { value, refusal } = await receive(req)
  if (refusal) throw refusal
  try {
    const body = await lever(held, value, Number(id))
    answer(res, body === undefined ? 204 : 200, body)
  } catch (error) {
    throw error instanceof Fail ? new Refusal(422, 'invalid', error.message) : error
  }
}

function read<T>(body: unknown, required: Checks, optional: Checks = {}): T {
  const fail = (name: string) => new Fail(422, `${name} is not allowed so here`)
  const values = readFields(body, { ...required, ...optional }, fail)
  const missing = Object.keys(required).find((name) => values[name] === undefined || values[name] === null)
  if (missing) throw new Fail(422, `${missing} is missing`)
  return values as T
}

function known<T>(record: T | undefined): T {
  if (record === undefined) throw new Refusal(404, 'unknown', 'there is no such record')
  return record
}
