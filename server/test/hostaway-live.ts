import { after, before } from 'node:test'
import { sql } from '#db/sql.ts'
import { accountId, apiKey, openHostaway, type Hostaway } from '../../sandbox/test/hostaway-caller.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import type { TestCaller } from './caller.ts'
import { plansOf } from './channex-live.ts'
import { localDay, noonZone } from './local-days.ts'
import { expectStatus } from './expect.ts'
import { shortDebounce, unlimitedCalls } from './linked-units.ts'
import { addListing, addSpace, addTarget, addUnit } from './records.ts'
import { openWorld, type World } from './world.ts'

export interface HostawayWorld {
  limited: boolean
  world: World
  owner: TestCaller
}

/** Our API and workers, for the test file that calls it. Each test opens a Hostaway of its own. */
export function hostawayWorld({
  limited = true,
  ...options
}: { env?: Record<string, string>; limited?: boolean } = {}): HostawayWorld {
  const setup = { limited } as HostawayWorld
  before(async () => {
    const world = await openWorld({ workers: true, ...options })
    Object.assign(setup, { world, owner: await world.home.as('owner') })
  })
  after(() => setup.world[Symbol.asyncDispose]())
  return setup
}

export interface Room {
  unitId: string
  planId: string
  listingId: string
  /** The listing at Hostaway. */
  id: number
}

export interface Account extends AsyncDisposable {
  hostaway: Hostaway
  targetId: string
  rooms: Room[]
  day(days: number): string
  /** What arrives while the work is done and until everything has settled; without it, what arrived since. */
  arriving(work: () => Promise<unknown>, settled?: boolean): Promise<Arrived>
  /** Nights as Hostaway shows them; looking costs nothing of its limits. */
  shown(room: number, from: number, to?: number): Promise<Record<string, unknown>[]>
}

interface ArrivedCall {
  at: string
  method: string
  path: string
  status: number | null
  external_id: string | null
  body: unknown
}

export type Interval = { startDate: string; endDate: string } & Record<string, unknown>

interface Arrived {
  all: ArrivedCall[]
  tokens: ArrivedCall[]
  calendars: (ArrivedCall & { body: Interval[] })[]
  listings: (ArrivedCall & { body: Record<string, unknown> })[]
}

type Options = {
  rooms?: number
  units?: number
  quantity?: number
  live?: boolean
  config?: object
  limits?: { window_ms?: number }
  limited?: boolean
}

let made = 0

/** An account with so many listings, linked here, and its documented limits or none; `live` has had its first sync. */
export async function openAccount(setup: HostawayWorld, options: Options = {}): Promise<Account> {
  const {
    rooms = 1,
    units,
    quantity = units ?? 1,
    live = true,
    config = {},
    limits = {},
    limited = setup.limited,
  } = options
  const { owner, world } = setup
  await using opened = new AsyncDisposableStack()
  const hostaway = await openHostaway()
  opened.defer(() => hostaway.close())
  const documented = { ip: 15, account: 20 }
  const none = { ip: 10_000, account: 10_000 }
  await hostaway.control('PUT', 'limits', { ...(limited ? documented : none), ...limits })
  const timezone = noonZone()
  const title = `Account ${++made}`
  const space = await addSpace(owner, { name: title, timezone, country: 'IT' })
  const target = await addTarget(owner, {
    name: title,
    status: 'inactive',
    config: { ...connection(hostaway.url), ...shortDebounce, ...(!limited && unlimitedCalls), ...config },
  })
  // A target whose Hostaway is closed would be called again and again, and the next test would wait for that.
  opened.defer(() => setStatus(setup, target.id, 'inactive'))
  const linked: Room[] = []
  for (let room = 0; room < rooms; room++) {
    const id = await hostaway.addListing({ name: `${title} at Hostaway ${room}`, ...(units && { units }) })
    const unit = await addUnit(owner, {
      space_id: space.id,
      name: `${title} room ${room}`,
      base_price_cents: 10_000 + 1_000 * room,
      max_guests: 4,
      quantity,
    })
    const listing = await addListing(owner, {
      unit_id: unit.id,
      channel_target_id: target.id,
      external_id: String(id),
    })
    const [plan] = await plansOf(owner, unit.id)
    linked.push({ unitId: unit.id, planId: plan!.id, listingId: listing.id, id })
  }
  const day = (days: number) => localDay(timezone, days)
  const account: Account = {
    hostaway,
    targetId: target.id,
    rooms: linked,
    day,
    async arriving(work, settled = true) {
      const { last } = (await hostaway.control('GET', 'calls')).body
      await work()
      if (settled) await world.settled()
      return sorted((await hostaway.control('GET', `calls?after=${last}`)).body.calls)
    },
    async shown(room, from, to = from) {
      await hostaway.setClockAhead(windowMs)
      const nights = await hostaway.nights(linked[room]!.id, day(from), day(to))
      await hostaway.setClockAhead(windowMs)
      return nights
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
  if (live) {
    await goLive(setup, account)
    await world.settled()
    await hostaway.setClockAhead(windowMs)
    await clearCallHistory(world, target.id)
  }
  const kept = opened.move()
  return account
}

/** A little more than the window in which Hostaway counts calls. */
const windowMs = 11_000

/** Follows Hostaway's clock, so that no test waits for a window to pass. */
async function clearCallHistory({ databaseUrl }: World, targetId: string): Promise<void> {
  const owner = openOwner(databaseUrl)
  try {
    await owner.pipelined({ orgId: null }, [
      sql`
        update call_budgets
        set budgets = '{}'
        where key = (select budget_key from channel_targets where id = ${targetId})`,
    ])
  } finally {
    await owner.close()
  }
}

export const connection = (url: string) => ({
  provider: 'hostaway',
  base_url: `${url}/v1`,
  credentials: { account_id: String(accountId), api_key: apiKey },
})

/** Activates the target, which pushes every linked unit. */
export const goLive = (setup: HostawayWorld, { targetId }: { targetId: string }) =>
  setStatus(setup, targetId, 'active')

async function setStatus({ owner }: HostawayWorld, targetId: string, status: string): Promise<void> {
  const path = `/api/v1/channel-targets/${targetId}`
  const { channel_type, name, config } = expectStatus(await owner.get(path), 200).channel_target
  expectStatus(await owner.put(path, { channel_type, name, config, status }), 200)
}

export const decide = async ({ owner }: HostawayWorld, ...values: object[]) =>
  expectStatus(await owner.post('/api/v1/calendar', { values }), 201).calendar_change

export const statusOf = async ({ owner }: HostawayWorld, { listingId }: Room) =>
  (await owner.get(`/api/v1/sync/status/${listingId}`)).body

/** Without the questions for bookings, which are asked every minute whatever else happens. */
function sorted(arrived: ArrivedCall[]): Arrived {
  const all = arrived.filter(({ path }) => !path.startsWith('/v1/reservations'))
  const called = (method: string, path: RegExp) =>
    all.filter((call) => call.method === method && path.test(call.path))
  return {
    all,
    tokens: called('POST', /^\/v1\/accessTokens$/),
    calendars: called('PUT', /\/calendarIntervals$/) as Arrived['calendars'],
    listings: [
      ...called('PUT', /^\/v1\/listings\/\d+$/),
      ...called('POST', /^\/v1\/listings$/),
    ] as Arrived['listings'],
  }
}
