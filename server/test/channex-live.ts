import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { startChannex } from '../../sandbox/src/channex/server.ts'
import { channexCaller } from '../../sandbox/test/channex-caller.ts'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { shortDebounce, unlimitedCalls } from './linked-units.ts'
import { localDay, noonZone } from './local-days.ts'
import { addListing, addPlan, addSpace, addTarget, addUnit } from './records.ts'
import { openWorld, type World } from './world.ts'

/** A canary: it must not appear anywhere. */
export const apiKey = 'key-that-nobody-may-read-7Qx2'

/** Our API and workers with a sandbox of Channex, with or without its documented limits. */
export interface ChannexWorld {
  limited: boolean
  world: World
  owner: TestCaller
  url: string
  control: ReturnType<typeof channexCaller>['control']
  /** Channex itself, as if somebody sat there. */
  api(method: string, path: string, body?: unknown): ReturnType<ReturnType<typeof channexCaller>['api']>
}

/** Opens one for the test file that calls it, and closes it. */
export function channexWorld({
  limited = true,
  ...options
}: { env?: Record<string, string>; limited?: boolean } = {}): ChannexWorld {
  const opened = new AsyncDisposableStack()
  const setup = {} as ChannexWorld
  before(async () => {
    const channex = await startChannex()
    opened.defer(() => channex.close())
    const world = opened.use(await openWorld({ workers: true, ...options }))
    const { api: callApi, control } = channexCaller(() => channex.url)
    const api: ChannexWorld['api'] = (method, path, body) => callApi(method, path, body, apiKey)
    assert.equal((await control('POST', 'seed', { keys: [{ key: apiKey }] })).status, 201)
    if (!limited) assert.equal((await control('PUT', 'limits', { per_minute: null })).status, 200)
    const owner = await world.home.as('owner')
    Object.assign(setup, { limited, world, owner, url: channex.url, control, api })
  })
  after(() => opened.disposeAsync())
  return setup
}

export interface Room {
  unitId: string
  listingId: string
  /** The room type at Channex. */
  roomTypeId: string
  /** The default plan first. */
  plans: { id: string; externalId: string }[]
}

export interface Property {
  /** The id of the property at Channex. */
  propertyId: string
  spaceId: string
  targetId: string
  rooms: Room[]
  /** The local date so many days from today. */
  day(days: number): string
}

type Options = {
  rooms?: number
  plans?: number
  quantity?: number
  timezone?: string
  config?: object
  live?: boolean
}

let made = 0

/**
 * A property at Channex and the same here, each room linked with all its plans. `live` has had its first sync; else the
 * target is still switched off.
 */
export async function openProperty(setup: ChannexWorld, options: Options = {}): Promise<Property> {
  const { rooms = 1, plans = 1, quantity = 3, timezone = noonZone(), config = {}, live = true } = options
  const { owner, control, url, world } = setup
  const title = `House ${++made}`
  const each = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
  const seeded = await control('POST', 'seed', {
    properties: [
      {
        title,
        currency: 'EUR',
        timezone,
        room_types: each(rooms, (room) => ({
          title: `${title} room ${room}`,
          count_of_rooms: quantity,
          rate_plans: each(plans, (plan) => ({ title: `${title} room ${room} plan ${plan}` })),
        })),
      },
    ],
  })
  const [{ id: propertyId, room_types }] = seeded.body.properties
  const space = await addSpace(owner, { name: title, timezone })
  const target = await addTarget(owner, {
    name: title,
    status: 'inactive',
    config: {
      ...connection(url, propertyId),
      // What counts messages must find all changes of a moment in one of them.
      ...(!setup.limited && { ...shortDebounce, ...unlimitedCalls }),
      ...config,
    },
  })
  const linked: Room[] = []
  for (const [room, { id: roomTypeId, rate_plans }] of room_types.entries()) {
    const unit = await addUnit(owner, {
      space_id: space.id,
      name: `${title} room ${room}`,
      base_price_cents: 10_000 + 1_000 * room,
      max_guests: 2,
      quantity,
    })
    for (let plan = 1; plan < plans; plan++) await addPlan(owner, { unit_id: unit.id, name: `Plan ${plan}` })
    const ours = (await plansOf(owner, unit.id)).map(({ id }, at) => ({
      id,
      externalId: rate_plans[at].id as string,
    }))
    const listing = await addListing(owner, {
      unit_id: unit.id,
      channel_target_id: target.id,
      external_id: roomTypeId,
      rate_plans: ours.map(({ id, externalId }) => ({ rate_plan_id: id, external_id: externalId })),
    })
    linked.push({ unitId: unit.id, listingId: listing.id, roomTypeId, plans: ours })
  }
  const day = (days: number) => localDay(timezone, days)
  const property = { propertyId, spaceId: space.id, targetId: target.id, rooms: linked, day }
  if (live) {
    await goLive(setup, property)
    await world.settled()
  }
  return property
}

export const connection = (url: string, propertyId: string) => ({
  provider: 'channex',
  base_url: `${url}/api/v1`,
  property_ref: propertyId,
  credentials: { api_key: apiKey },
})

/** Activates the target, which pushes every linked unit. */
export async function goLive({ owner }: ChannexWorld, { targetId }: Property): Promise<void> {
  const path = `/api/v1/channel-targets/${targetId}`
  const { channel_type, name, config } = expectStatus(await owner.get(path), 200).channel_target
  expectStatus(await owner.put(path, { channel_type, name, config, status: 'active' }), 200)
}

/** Oldest first, which is the default one first. */
export const plansOf = async (
  owner: TestCaller,
  unitId: string,
): Promise<{ id: string; name: string; status: string }[]> =>
  expectStatus(await owner.get(`/api/v1/rate-plans?unit_id=${unitId}&sort=created_at&limit=100`), 200)
    .rate_plans

/** Changes nights in one request. */
export const decide = async ({ owner }: ChannexWorld, ...values: object[]) =>
  expectStatus(await owner.post('/api/v1/calendar', { values }), 201).calendar_change

export interface ArrivedCall {
  at: string
  method: string
  path: string
  /** Null when it was never answered. */
  status: number | null
  body: { values: Record<string, unknown>[] } & Record<string, Record<string, unknown>>
}

export interface Messages {
  availability: ArrivedCall[]
  restrictions: ArrivedCall[]
  /** What else was written: properties, room types, rate plans. */
  content: ArrivedCall[]
  reads: ArrivedCall[]
}

/** The calls that arrive at the property during the work and until nothing is pending. */
export async function arriving(
  { world, control }: ChannexWorld,
  work: () => Promise<unknown>,
  settled = true,
): Promise<Messages> {
  const { last } = (await control('GET', 'calls')).body
  await work()
  if (settled) await world.settled()
  return sorted((await control('GET', `calls?after=${last}`)).body.calls)
}

export function sorted(calls: ArrivedCall[]): Messages {
  const isMessage = (kind: string) => (call: ArrivedCall) =>
    call.method === 'POST' && call.path === `/api/v1/${kind}`
  const [availability, restrictions] = ['availability', 'restrictions'].map((kind) =>
    calls.filter(isMessage(kind)),
  ) as [ArrivedCall[], ArrivedCall[]]
  const rest = calls.filter((call) => !availability.includes(call) && !restrictions.includes(call))
  return {
    availability,
    restrictions,
    content: rest.filter(({ method }) => method !== 'GET'),
    reads: rest.filter(({ method }) => method === 'GET'),
  }
}

/** The values of the message of that kind; asserts that it is the only one. */
export function valuesOfOne(messages: readonly ArrivedCall[]) {
  assert.equal(messages.length, 1, `${messages.length} messages`)
  assert.equal(messages[0]!.status, 200)
  return messages[0]!.body.values
}

/** What Channex shows of some nights: rooms by room type, terms by rate plan. */
export async function shownBy({ api }: ChannexWorld, { propertyId }: Property, from: string, to = from) {
  const dates = `filter[property_id]=${propertyId}&filter[date][gte]=${from}&filter[date][lte]=${to}`
  const terms =
    'rate,min_stay_arrival,min_stay_through,max_stay,closed_to_arrival,closed_to_departure,stop_sell'
  const [rooms, plans] = await Promise.all([
    api('GET', `/availability?${dates}`),
    api('GET', `/restrictions?${dates}&filter[restrictions]=${terms}`),
  ])
  return {
    rooms: rooms.body.data as Record<string, Record<string, number>>,
    plans: plans.body.data as Record<string, Record<string, Record<string, unknown>>>,
  }
}
