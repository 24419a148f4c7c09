import { atomically, type Scope } from '#db/scope.ts'
import { raiseAlerts, type NewAlert } from '#features/messaging/alerts/queries.ts'
import { refreshHeldAlert } from '#features/distribution/calendar-feeds/held-alert.ts'
import { saveHeld, lockFeed } from '#features/distribution/calendar-feeds/queries.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { insertAccount } from '#features/tenancy/provisioning/queries.ts'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import type { LinkedUnit } from './linked-units.ts'
import type { TestOrganization, World } from './world.ts'

/** Adds records through the API. */

let count = 0

export const addSpace = async (caller: TestCaller, fields: object = {}) =>
  expectStatus(await caller.post('/api/v1/spaces', { name: `Space ${++count}`, ...fields }), 201).space

/** Free of charge by default, so that other tests need no prices. */
export const addUnit = async (
  caller: TestCaller,
  fields: { space_id?: string; [member: string]: unknown } = {},
) => {
  const space_id = fields.space_id ?? (await addSpace(caller)).id
  const price = 'base_price_cents' in fields ? {} : freeOfCharge
  return expectStatus(
    await caller.post('/api/v1/units', { name: `Unit ${++count}`, ...price, ...fields, space_id }),
    201,
  ).unit
}

/** The members of a unit without a price. */
export const freeOfCharge = { base_price_cents: 0, free_of_charge: true }

export const addPlan = async (
  caller: TestCaller,
  fields: { unit_id?: string; [member: string]: unknown } = {},
) => {
  const unit_id = fields.unit_id ?? (await addUnit(caller)).id
  return expectStatus(
    await caller.post('/api/v1/rate-plans', { name: `Plan ${++count}`, ...fields, unit_id }),
    201,
  ).rate_plan
}

/** A fee of 50.00 for a stay by default. */
export const addCharge = async (caller: TestCaller, fields: object) =>
  expectStatus(
    await caller.post('/api/v1/charges', {
      name: `Charge ${++count}`,
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

/** A price of 70.00 for three nights, unless the fields say something else. */
export const addCalendarChange = async (
  caller: TestCaller,
  fields: { unit_id: string; [member: string]: unknown },
) => {
  const value = { date_from: '2030-07-01', date_to: '2030-07-03', price_cents: 7_000, ...fields }
  return expectStatus(await caller.post('/api/v1/calendar', { values: [value] }), 201).calendar_change
}

/** A fifth more in July. */
export const addSeason = async (caller: TestCaller, fields: object = {}) => {
  const values = [{ date_from: '2030-07-01', date_to: '2030-07-31', price_percent: 20 }]
  const season = { name: `Season ${++count}`, values, ...fields }
  return expectStatus(await caller.post('/api/v1/seasons', season), 201).season
}

export const addStop = async (caller: TestCaller, fields: object = {}) =>
  expectStatus(await caller.post('/api/v1/sales-stops', fields), 201).sales_stop

export const addTarget = async (caller: TestCaller, fields: object = {}) =>
  expectStatus(
    await caller.post('/api/v1/channel-targets', {
      channel_type: 'pms',
      name: `Target ${++count}`,
      ...fields,
    }),
    201,
  ).channel_target

/** An import from an account that nobody answers for. */
export const addImport = async (caller: TestCaller) => {
  const credentials = { account_id: '1', api_key: 'key' }
  const config = { provider: 'hostaway', base_url: 'http://127.0.0.1:1', credentials }
  const { id: channel_target_id } = await addTarget(caller, { config, status: 'inactive' })
  return expectStatus(await caller.post('/api/v1/imports', { channel_target_id }), 201).import
}

export const addFileImport = async (caller: TestCaller, text = 'name,price\nCabin,120\nHut,much') =>
  expectStatus(
    await caller.send('POST', '/api/v1/file-imports?kind=units', {
      body: text,
      headers: { 'content-type': 'text/csv' },
    }),
    201,
  ).file_import

/** It stays pending where no worker runs. */
export const addExport = async (caller: TestCaller) =>
  expectStatus(await caller.post('/api/v1/exports'), 201).export

/** An import that has ended. */
export async function addEndedImport(caller: TestCaller) {
  const { id } = await addImport(caller)
  return expectStatus(await caller.post(`/api/v1/imports/${id}/cancel`), 200).import
}

export const addListing = async (
  caller: TestCaller,
  fields: { unit_id?: string; channel_target_id?: string; [member: string]: unknown } = {},
) =>
  expectStatus(
    await caller.post('/api/v1/channel-listings', {
      external_id: `EXT-${++count}`,
      ...fields,
      unit_id: fields.unit_id ?? (await addUnit(caller)).id,
      channel_target_id: fields.channel_target_id ?? (await addTarget(caller)).id,
    }),
    201,
  ).channel_listing

export const addBooking = async (caller: TestCaller, fields: { unitId: string; [member: string]: unknown }) =>
  expectStatus(
    await caller.post('/api/v1/bookings', {
      guestName: `Guest ${++count}`,
      checkIn: '2030-07-01',
      checkOut: '2030-07-04',
      ...fields,
    }),
    201,
  ).booking

/** Holds the removal of blocked nights of a feed, as a fetch would. */
export const holdRemoval = (world: World, organization: TestOrganization, feedId: string) =>
  atomically(systemScope(world, organization), async (transaction) => {
    const until = '2032-01-01'
    const nights = { nights: 1, date_from: '2031-07-01', date_to: '2031-07-01' }
    const held = { ...nights, since: null, fetches: 1, decision: null }
    const reading = { kept: [['2031-07-01', 1]] as [string, number][], found: [], until }
    await saveHeld(transaction, feedId, { nights: [], held, reading })
    const { unit_id } = await lockFeed(transaction, feedId)
    await refreshHeldAlert(transaction, unit_id, true)
  })

export const addFeed = async (caller: TestCaller, fields: { unit_id: string; [member: string]: unknown }) =>
  expectStatus(
    await caller.post('/api/v1/calendar-feeds', { direction: 'export', name: `Feed ${++count}`, ...fields }),
    201,
  ).calendar_feed

/** The scope of jobs. */
export const systemScope = (
  { resources: { database } }: World,
  { id: orgId, accountId }: TestOrganization,
): Scope => {
  const actor = { type: 'system', id: 'test', name: 'Test' } as const
  return { orgId, accountId, actor, traceparent: null, database }
}

/** Raises an alert of a listing, as jobs do. */
export const addAlert = (
  world: World,
  organization: TestOrganization,
  { listingId, targetId, unitId }: Pick<LinkedUnit, 'listingId' | 'targetId' | 'unitId'>,
  fields: Partial<NewAlert> = {},
) => {
  const alert: NewAlert = {
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

/** Queues a test mail. */
export const addNotification = async (caller: TestCaller, fields: object = {}) =>
  expectStatus(
    await caller.post('/api/v1/test/send-email', {
      to: 'office@casa.example',
      subject: `Mail ${++count}`,
      body: 'Hello',
      ...fields,
    }),
    201,
  ).job_id as string

/** Sends a webhook message of a PMS. */
export const addMessage = async ({ caller }: World, targetId: string, fields: object = {}) =>
  expectStatus(
    await caller(null).post(`/webhooks/pms/${targetId}`, { id: `evt_${++count}`, type: 'ping', ...fields }),
    200,
  )

/** Adds a booking and erases its guest. */
export async function addErasure(caller: TestCaller, unitId: string) {
  const { id } = await addBooking(caller, { unitId, checkIn: '2032-03-01', checkOut: '2032-03-03' })
  return expectStatus(await caller.post('/api/v1/guest-erasures', { booking_id: id }), 201).guest_erasure
}

/** Adds an account of an organization; the API has no operation for it. */
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

/** An id without a record, and texts that are not ids. */
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
