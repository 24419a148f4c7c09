import { connectWorkerQueue } from '#resources.ts'
import { startWorkers } from '#workers.ts'
import assert from 'node:assert/strict'
import { exportTokenOf } from '#features/distribution/calendar-feeds/calendar-feed.ts'
import { feedIsWhole } from './events.ts'
import { expectStatus } from './expect.ts'
import { bodyFor, fillPath, inSnakeCase, operations, type Operation } from './operations.ts'
import {
  addAlert,
  addCalendarChange,
  addCharge,
  addErasure,
  addFeed,
  addExport,
  addFileImport,
  addImport,
  addListing,
  addMessage,
  addNotification,
  addPlan,
  addQuote,
  addSeason,
  addStop,
} from './records.ts'
import { addRefund } from './payments.ts'
import { addConflict } from './pms-bookings.ts'
import { addMedia } from './uploads.ts'
import { addDelivery } from './webhook-receiver.ts'
import { openWorld, type TestOrganization, type World } from './world.ts'

/** A world with a record of every kind, for sweeps over all operations. */
export async function openPopulatedWorld() {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  const owner = await world.home.as('owner')
  // Something must be paid before a part of it can go back.
  const rest = await startWorkers(world.resources, await connectWorkerQueue(world.config), ['payments'])
  const ids = await idsOf(world, world.home)
  const foreignIds = await idsOf(world, world.away)
  await rest(2_000)
  const pathOf = ({ path }: Pick<Operation, 'path'>) => {
    if (!path.includes('{')) return path
    const [, collection] = path.replace('/api/v1', '').split('/')
    const id = ids[path.includes('{targetId}') ? 'channel_target_id' : (idNames[collection!] ?? '')]
    assert.ok(id, `No id for ${path}: teach onslaught.ts how to make one.`)
    return fillPath(path, id)
  }
  const kept = opened.move()
  return {
    world,
    owner,
    ids,
    foreignIds,
    /** The address of the operation, on the record that is there. */
    pathOf,
    /** A body that the operation would take. */
    fitting: ({ body }: Operation) => bodyFor(body!, (name) => ids[inSnakeCase(name)]!),
    send: (operation: Operation, body: string | Uint8Array<ArrayBuffer>, headers: object = {}) =>
      owner.send(operation.method, pathOf(operation), {
        body,
        headers: { 'content-type': 'application/json', ...headers },
      }),
    /** What every list answers; each must answer 200. */
    everyList: async () => {
      await feedIsWhole(world)
      const found: Record<string, string> = {}
      for (const { path } of lists) {
        const reply = await owner.get(path)
        assert.equal(reply.status, 200, `${path}: ${reply.text}`)
        // How long ago something was is no effect of anybody.
        found[path] = reply.text.replace(/"(generated_at|oldest_pending_seconds)":[^,}]+/g, '')
      }
      return found
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

export type PopulatedWorld = Awaited<ReturnType<typeof openPopulatedWorld>>

const lists = operations.filter(
  ({ method, path, isStream, queryParameters }) =>
    method === 'GET' &&
    path.startsWith('/api/v1/') &&
    !path.includes('{') &&
    !isStream &&
    !queryParameters.some(({ required }) => required),
)

/** The names of the ids of each collection. */
export const idNames: Record<string, string> = {
  spaces: 'space_id',
  units: 'unit_id',
  'rate-plans': 'rate_plan_id',
  'sales-stops': 'sales_stop_id',
  charges: 'charge_id',
  quotes: 'quote_id',
  'guest-erasures': 'guest_erasure_id',
  bookings: 'booking_id',
  'channel-targets': 'channel_target_id',
  'channel-listings': 'channel_listing_id',
  'calendar-feeds': 'calendar_feed_id',
  calendars: 'token',
  'calendar-changes': 'calendar_change_id',
  seasons: 'season_id',
  imports: 'import_id',
  'file-imports': 'file_import_id',
  exports: 'export_id',
  alerts: 'alert_id',
  'booking-conflicts': 'booking_conflict_id',
  events: 'event_id',
  'webhook-endpoints': 'webhook_endpoint_id',
  'webhook-deliveries': 'webhook_delivery_id',
  'webhook-messages': 'webhook_message_id',
  notifications: 'notification_id',
  'payment-intents': 'payment_intent_id',
  refunds: 'refund_id',
  media: 'media_id',
  properties: 'property_id',
  organizations: 'organization_id',
  accounts: 'account_id',
  sync: 'channel_listing_id',
}

async function idsOf(world: World, organization: TestOrganization): Promise<Record<string, string>> {
  const caller = await organization.as('owner')
  const { id, unit_id, channel_target_id, unit } = await addListing(caller)
  const plan = await addPlan(caller, { unit_id })
  const feed = await addFeed(caller, { unit_id })
  const [charge, quote] = [
    await addCharge(caller, { unit_id }),
    await addQuote(caller, { unit_id, hold: true }),
  ]
  const change = await addCalendarChange(caller, { unit_id })
  const season = await addSeason(caller)
  const erasure = await addErasure(caller, unit_id)
  // Last, because nothing is sold from then on.
  const stop = await addStop(caller, { unit_id })
  await addAlert(world, organization, { unitId: unit_id, targetId: channel_target_id, listingId: id })
  await addConflict(world, organization, channel_target_id)
  const { booking_conflicts } = expectStatus(await caller.get('/api/v1/booking-conflicts'), 200)
  await addMessage(world, channel_target_id)
  const { webhook_messages } = expectStatus(await caller.get('/api/v1/webhook-messages'), 200)
  const refund = await addRefund(world, caller)
  const { bookings } = expectStatus(await caller.get('/api/v1/bookings'), 200)
  const { alerts } = expectStatus(await caller.get('/api/v1/alerts'), 200)
  return {
    space_id: unit.space_id,
    property_id: unit.space_id,
    unit_id,
    source_unit_id: unit_id,
    rate_plan_id: plan.id,
    sales_stop_id: stop.id,
    charge_id: charge.id,
    quote_id: quote.id,
    guest_erasure_id: erasure.id,
    booking_id: bookings[0].id,
    channel_target_id,
    channel_listing_id: id,
    calendar_feed_id: feed.id,
    calendar_change_id: change.id,
    season_id: season.id,
    import_id: (await addImport(caller)).id,
    file_import_id: (await addFileImport(caller)).id,
    export_id: (await addExport(caller)).id,
    token: exportTokenOf(feed.url)!,
    alert_id: alerts[0].id,
    ...(await addDelivery(world, organization)),
    booking_conflict_id: booking_conflicts[0].id,
    webhook_message_id: webhook_messages[0].id,
    notification_id: await addNotification(caller),
    payment_intent_id: refund.payment_intent_id,
    refund_id: refund.id,
    media_id: (await addMedia(caller, unit.space_id)).id,
    organization_id: organization.id,
    account_id: organization.accountId,
  }
}
