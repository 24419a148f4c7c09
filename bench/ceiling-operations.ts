import { sql } from '../server/src/db/sql.ts'
import { addSpace, addUnit } from '../server/test/records.ts'
import { bareTables } from './bare-service.ts'
import type { BenchWorld } from './bench-world.ts'
import { addListings } from './listings.ts'

/** What `ceiling.ts` measures, and the records that it needs. */

const day = (number: number) => new Date(Date.UTC(2030, 0, 1 + number)).toISOString().slice(0, 10)

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly body?: object
}

export const bareFastify = 'bare Fastify'
/** The bare Fastify without names of statements, as the driver is used by default: PostgreSQL plans each call. */
export const plannedEachTime = 'bare, planned each time'
/** The bare Fastify, which writes to the tables of the product. */
export const sameTables = 'bare, same tables'

export interface Operation {
  /** The ratio of throughput with everything on that is wanted. */
  readonly goal?: {
    readonly ratio: number
    readonly rival: typeof bareFastify | typeof plannedEachTime | typeof sameTables
  }
  readonly product: (at: number) => Call
  readonly bare?: (at: number) => Call
  /** A write to the tables of the product, with their history, generated columns and indexes. */
  readonly stored?: (at: number) => Call
}

interface Records {
  spaceId: string
  unitIds: string[]
  /** Linked to targets with the default debounce, so that changes of a price are pushed. */
  linked: { unitId: string; targetId: string; externalId: string }[]
  bookable: string[]
}

export async function addRecords(bench: BenchWorld): Promise<Records> {
  const { world, owner, operator } = bench
  const orgId = world.home.id
  await owner.pipelined({ orgId }, [
    sql`insert into spaces (org_id, account_id, name, address, city, zip, country, amenities, description, timezone, currency)
      select ${orgId}, ${world.home.accountId}, 'Alfama Terraces ' || n, 'Rua dos Remédios ' || n, 'Lisboa', '1100-445', 'PT',
        '["wifi","kitchen","washer","air_conditioning"]', repeat('A quiet flat above the river. ', 6), 'Europe/Lisbon', 'eur'
      from generate_series(1, 400) n`,
    sql`insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
      select org_id, account_id, id, name || ' / ' || n, 'apartment', 2, 1.5, 4, 12400 + n, 'eur'
      from spaces, generate_series(1, 50) n where org_id = ${orgId}`,
    sql`insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default)
      select org_id, account_id, id, 'Standard', currency, true from units where org_id = ${orgId}`,
  ])
  // Stays of the past: the triggers, which count the free rooms of the nights to come, have nothing to do.
  await owner.pipelined({ orgId }, [
    sql`select set_config('session_replication_role', 'replica', true)`,
    sql`insert into bookings (org_id, account_id, unit_id, guest_name, nights, check_in, check_out, total_cents, currency)
      select org_id, account_id, id, 'Guest', '[2021-06-01,2021-06-04)', '2021-06-01T15:00Z', '2021-06-04T11:00Z', 30000, 'eur'
      from units where org_id = ${orgId}`,
  ])
  const linked = await addListings(operator, { targets: 20, listingsEach: 2 })
  const space = await addSpace(operator)
  const bookable: string[] = []
  for (let number = 0; number < 64; number++) {
    const unit = await addUnit(operator, { space_id: space.id, quantity: 10_000, base_price_cents: 10_000 })
    bookable.push(unit.id)
  }
  await bench.settled()
  const units = await bench.query(sql<{ id: string }>`select id from units order by random() limit 1000`)
  await owner.pipelined({ orgId: null }, [{ text: bareTables }])
  return { spaceId: space.id, unitIds: units.map(({ id }) => id), linked, bookable }
}

export function operationsOn({ spaceId, unitIds, linked, bookable }: Records): Record<string, Operation> {
  const pick = <T>(values: readonly T[], at: number): T => values[at % values.length]!
  const post = (path: string, body: object): Call => ({ method: 'POST', path, body })
  const patch = (path: string, body: object): Call => ({ method: 'PATCH', path, body })
  const get = (path: string): Call => ({ method: 'GET', path })
  const newSpace = (at: number) => ({ name: `Space ${at}`, timezone: 'Europe/Lisbon', city: 'Lisboa' })
  const newUnit = (at: number) => ({ space_id: spaceId, name: `Unit ${at}`, base_price_cents: 9_900 })
  const price = (at: number) => ({ base_price_cents: 10_000 + (at % 5_000) })
  const booking = (at: number) => ({
    ...{ unitId: pick(bookable, at), guestName: `Guest ${at}`, totalCents: 20_000 },
    ...{ checkIn: day(at % 300), checkOut: day((at % 300) + 2) },
  })
  /** Another one for each unit, so that none is sold twice. */
  const night = (at: number) => day(Math.floor(at / linked.length) % 3_000)
  const notice = (at: number) => ({
    ...{ id: `evt_ceiling_${at}`, type: 'booking.created', timestamp: '2026-01-01T00:00:00Z' },
    data: {
      ...{ external_id: `C-${at}`, unit_external_id: pick(linked, at).externalId, guest_name: `Guest ${at}` },
      ...{
        check_in: night(at),
        check_out: night(at + linked.length),
        total_cents: 10_000,
        revised_at: '2026-01-01T00:00:00Z',
      },
    },
  })
  return {
    health: {
      goal: { ratio: 0.6, rival: bareFastify },
      product: () => get('/health'),
      bare: () => get('/health'),
    },
    'one unit': {
      goal: { ratio: 0.75, rival: plannedEachTime },
      product: (at) => get(`/api/v1/units/${pick(unitIds, at)}`),
      bare: (at) => get(`/units/${pick(unitIds, at)}`),
    },
    'list of 20 units': {
      goal: { ratio: 0.9, rival: plannedEachTime },
      product: () => get('/api/v1/units?limit=20'),
      bare: () => get('/units'),
    },
    'create a space': {
      goal: { ratio: 0.6, rival: sameTables },
      product: (at) => post('/api/v1/spaces', newSpace(at)),
      bare: (at) => post('/spaces', newSpace(at)),
      stored: (at) => post('/stored-spaces', newSpace(at)),
    },
    'create a unit': {
      goal: { ratio: 0.6, rival: sameTables },
      product: (at) => post('/api/v1/units', newUnit(at)),
      bare: (at) => post('/units', newUnit(at)),
      stored: (at) => post('/stored-units', newUnit(at)),
    },
    'price with its push': {
      goal: { ratio: 0.5, rival: sameTables },
      product: (at) => patch(`/api/v1/units/${pick(linked, at).unitId}`, price(at)),
      bare: (at) => patch(`/units/${pick(linked, at).unitId}`, price(at)),
      stored: (at) => patch(`/stored-units/${pick(linked, at).unitId}`, price(at)),
    },
    booking: {
      goal: { ratio: 0.6, rival: sameTables },
      product: (at) => post('/api/v1/bookings', booking(at)),
      bare: (at) => post('/bookings', booking(at)),
      stored: (at) => post('/guarded-bookings', booking(at)),
    },
    webhook: {
      goal: { ratio: 0.5, rival: sameTables },
      product: (at) => post(`/webhooks/pms/${pick(linked, at).targetId}`, notice(at)),
      bare: (at) => post('/messages', notice(at)),
      stored: (at) => post('/stored-messages', notice(at)),
    },
    'calendar 50 × 56': { product: () => get(`/api/v1/calendar?limit=50&from=${day(0)}&to=${day(55)}`) },
    search: { product: () => get('/api/v1/search?q=Terraces%2011') },
    availability: {
      product: () => get(`/api/v1/availability?limit=20&from=${day(1)}&to=${day(3)}`),
    },
  }
}
