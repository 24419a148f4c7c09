import { atomically, type Scope } from '#db/scope.ts'
import { raiseAlerts, type Raised } from '#features/alerts/queries.ts'
import { refreshHeldAlert } from '#features/calendar-feeds/held-alert.ts'
import { findHeld, saveHeld } from '#features/calendar-feeds/held-queries.ts'
import { openOwner } from '#features/provisioning/provision.ts'
import { insertAccount } from '#features/provisioning/queries.ts'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import type { Linked } from './stock.ts'
import type { TestOrganization, World } from './world.ts'

/** Records to test with, made through the door. */

let made = 0

export const addSpace = async (caller: TestCaller, fields: object = {}) =>
  expectStatus(await caller.post('/api/v1/spaces', { name: `Space ${++made}`, ...fields }), 201).space

/** Free of charge unless the fields name a price: who tests something else need not reckon with one. */
export const addUnit = async (
  caller: TestCaller,
  fields: { space_id?: string; [member: string]: unknown } = {},
) => {
  const space_id = fields.space_id ?? (await addSpace(caller)).id
  const price = 'base_price_cents' in fields ? {} : freeOfCharge
  return expectStatus(
    await caller.post('/api/v1/units', { name: `Unit ${++made}`, ...price, ...fields, space_id }),
    201,
  ).unit
}

/** What a body needs that no price is meant for. */
export const freeOfCharge = { base_price_cents: 0, free_of_charge: true }

export const addPlan = async (
  caller: TestCaller,
  fields: { unit_id?: string; [member: string]: unknown } = {},
) => {
  const unit_id = fields.unit_id ?? (await addUnit(caller)).id
  return expectStatus(
    await caller.post('/api/v1/rate-plans', { name: `Plan ${++made}`, ...fields, unit_id }),
    201,
  ).rate_plan
}

/** A fee of 50.00 for a stay, unless the fields say something else. */
export const addCharge = async (caller: TestCaller, fields: object) =>
  expectStatus(
    await caller.post('/api/v1/charges', {
      name: `Charge ${++made}`,
      kind: 'fee',
      basis: 'stay',
      ...('percent' in fields ? { basis: 'percent' } : { amount_cents: 5_000 }),
      ...fields,
    }),
    201,
  ).charge

export const addQuote = async (caller: TestCaller, fields: { unit_id: string; [member: string]: unknown }) =>
  expectStatus(
    await caller.post('/api/v1/quotes', {
      check_in: '2030-07-01',
      check_out: '2030-07-04',
      guests: 1,
      ...fields,
    }),
    201,
  ).quote

export const addStop = async (caller: TestCaller, fields: object = {}) =>
  expectStatus(await caller.post('/api/v1/sales-stops', fields), 201).sales_stop

export const addTarget = async (caller: TestCaller, fields: object = {}) =>
  expectStatus(
    await caller.post('/api/v1/channel-targets', {
      channel_type: 'pms',
      name: `Target ${++made}`,
      ...fields,
    }),
    201,
  ).channel_target

export const addListing = async (
  caller: TestCaller,
  fields: { unit_id?: string; channel_target_id?: string; [member: string]: unknown } = {},
) =>
  expectStatus(
    await caller.post('/api/v1/channel-listings', {
      external_id: `EXT-${++made}`,
      ...fields,
      unit_id: fields.unit_id ?? (await addUnit(caller)).id,
      channel_target_id: fields.channel_target_id ?? (await addTarget(caller)).id,
    }),
    201,
  ).channel_listing

export const addBooking = async (caller: TestCaller, fields: { unitId: string; [member: string]: unknown }) =>
  expectStatus(
    await caller.post('/api/v1/bookings', {
      guestName: `Guest ${++made}`,
      checkIn: '2030-07-01',
      checkOut: '2030-07-04',
      ...fields,
    }),
    201,
  ).booking

/** Has a feed lack nights that it blocked, as a fetch would find it. */
export const holdRemoval = (world: World, organization: TestOrganization, feedId: string) =>
  atomically(systemScope(world, organization), async (transaction) => {
    const until = '2032-01-01'
    const nights = { nights: 1, date_from: '2031-07-01', date_to: '2031-07-01' }
    const held = { ...nights, since: null, fetches: 1, decision: null }
    const reading = { kept: [['2031-07-01', 1]] as [string, number][], found: [], until }
    await saveHeld(transaction, feedId, { nights: [], held, reading })
    const { unit_id } = (await findHeld(transaction, feedId))!
    await refreshHeldAlert(transaction, unit_id, true)
  })

export const addFeed = async (caller: TestCaller, fields: { unit_id: string; [member: string]: unknown }) =>
  expectStatus(
    await caller.post('/api/v1/calendar-feeds', { direction: 'export', name: `Feed ${++made}`, ...fields }),
    201,
  ).calendar_feed

/** What jobs do, they do in the name of the system. */
export const systemScope = (
  { resources: { database, outbox } }: World,
  { id: orgId, accountId }: TestOrganization,
): Scope => {
  const actor = { type: 'system', id: 'test', name: 'Test' } as const
  return { orgId, accountId, actor, traceparent: null, database, outbox }
}

/** Something that is wrong with a listing; alerts are raised by jobs, not through the door. */
export const addAlert = (
  world: World,
  organization: TestOrganization,
  { listingId, targetId, unitId }: Pick<Linked, 'listingId' | 'targetId' | 'unitId'>,
  fields: Partial<Raised> = {},
) => {
  const alert: Raised = {
    account_id: organization.accountId,
    kind: 'sync.failed',
    channel_listing_id: listingId,
    channel_target_id: targetId,
    unit_id: unitId,
    message: 'The PMS refused it.',
    hint: 'Look at the mapping.',
    ...fields,
  }
  return atomically(systemScope(world, organization), (transaction) => raiseAlerts(transaction, [alert]))
}

/** A mail that somebody is sent. */
export const addNotification = async (caller: TestCaller, fields: object = {}) =>
  expectStatus(
    await caller.post('/api/v1/test/send-email', {
      to: 'office@casa.example',
      subject: `Mail ${++made}`,
      body: 'Hello',
      ...fields,
    }),
    201,
  ).job_id as string

/** Something that a PMS told of a target. */
export const addMessage = async ({ caller }: World, targetId: string, fields: object = {}) =>
  expectStatus(
    await caller(null).post(`/webhooks/pms/${targetId}`, { id: `evt_${++made}`, type: 'ping', ...fields }),
    200,
  )

/** A guest of a booking of their own who is to be forgotten. */
export async function addErasure(caller: TestCaller, unitId: string) {
  const { id } = await addBooking(caller, { unitId, checkIn: '2032-03-01', checkOut: '2032-03-03' })
  return expectStatus(await caller.post('/api/v1/guest-erasures', { booking_id: id }), 201).guest_erasure
}

/** A further account of an organization; accounts are made outside of the API. */
export async function addAccount(
  { databaseUrl }: World,
  orgId: string,
  name: string,
  type?: string,
): Promise<string> {
  const owner = openOwner(databaseUrl)
  try {
    return (await insertAccount(owner, orgId, name, undefined, type)).id
  } finally {
    await owner.close()
  }
}

/** Ids that name nothing, and texts that are no ids. */
export const unknownId = '00000000-0000-4000-8000-000000000000'
export const noIds = [
  '1',
  'null',
  '0000',
  `${unknownId}0`,
  `{${unknownId}}`,
  'x'.repeat(200),
  '%00',
  '*',
  "' or 1=1 --",
]
