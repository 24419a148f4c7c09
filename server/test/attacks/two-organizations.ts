import assert from 'node:assert/strict'
import { addMember } from '#features/tenancy/provisioning/members.ts'
import type { TestCaller } from '../caller.ts'
import { queryUrl, collectionOf, operations } from '../operations.ts'
import { addRefund } from '../payments.ts'
import { addConflict } from '../pms-bookings.ts'
import {
  addAccount,
  addAlert,
  addCalendarChange,
  addCharge,
  addEndedImport,
  addFileImport,
  addErasure,
  addFeed,
  addMessage,
  addNotification,
  addQuote,
  addSeason,
  addStop,
} from '../records.ts'
import { addLinkedUnit, until } from '../linked-units.ts'
import { addMedia } from '../uploads.ts'
import { addDelivery } from '../webhook-receiver.ts'
import { openWorld } from '../world.ts'

/** Two organizations with a record of every kind; the other one has two linked units. */
export async function openTwoOrganizations() {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld({ workers: true }))
  const here = await world.home.as('owner')
  const there = await world.away.as('owner')
  const linked = await Promise.all([addLinkedUnit(here), addLinkedUnit(there), addLinkedUnit(there)])
  for (const [organization, caller, listing] of [
    [world.home, here, linked[0]],
    [world.away, there, linked[1]],
    [world.away, there, linked[2]],
  ] as const) {
    await addFeed(caller, { unit_id: listing.unitId })
    await addCalendarChange(caller, { unit_id: listing.unitId })
    await addSeason(caller)
    await addEndedImport(caller)
    await addFileImport(caller)
    await until(
      // Refused while another one runs.
      () => caller.post('/api/v1/exports'),
      ({ status }) => status === 201,
    )
    await addCharge(caller, { unit_id: listing.unitId })
    await addQuote(caller, { unit_id: listing.unitId, hold: true })
    await addErasure(caller, listing.unitId)
    await addStop(caller, { unit_id: listing.unitId })
    await addAlert(world, organization, listing)
    await addConflict(world, organization, listing.targetId)
    await addDelivery(world, organization)
    await addMessage(world, listing.targetId)
    await addNotification(caller)
    await addRefund(world, caller)
    await addMedia(caller, listing.spaceId, { unit_id: listing.unitId })
    await addAccount(world, organization.id, 'Another account')
    for (const email of ['eva@casa.example', 'rui@casa.example'])
      await addMember(world.config, { orgId: organization.id, email, role: 'staff' })
  }
  await world.settled()
  // An event shows when no older transaction is open, in the whole cluster.
  for (const caller of [here, there])
    await until(
      async () => (await caller.get('/api/v1/events?types=payment.refunded')).body.events.length as number,
      (shown) => shown > 0,
    )
  const [ours, theirs] = [await idsOf(here), await idsOf(there)]
  const theirRecords = await recordsOf(there)
  const kept = opened.move()
  return {
    world,
    here,
    there,
    /** An id for each collection. */
    ours,
    theirs,
    /** Fails when the other does not answer what it did at first, but for what its workers do by themselves. */
    nothingChanged: async () =>
      assert.deepEqual((await recordsOf(there)).map(stable), theirRecords.map(stable)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

export type TwoOrganizations = Awaited<ReturnType<typeof openTwoOrganizations>>

/** Every list of the contract. */
export const collections = operations.filter(
  ({ method, path, queryParameters }) =>
    method === 'GET' && !path.includes('{') && queryParameters.some(({ name }) => name === 'cursor'),
)

/** The known id for a parameter of this name. */
export function idIn(known: Map<string, string>, name: string, path: string): string {
  const id = known.get(collectionOf(name, path))
  assert.ok(id, `no record for ${name} of ${path}: teach two-organizations.ts how to make one`)
  return id
}

async function idsOf(caller: TestCaller): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const { path } of collections) {
    const [record] = Object.values((await caller.get(queryUrl(path))).body)[0] as {
      id?: string
      job_id?: string
    }[]
    assert.ok(record, `${path} is empty: the test could not tell them apart`)
    if (record.id) found.set(path, record.id)
  }
  // Where nothing fails there is no cause: then an id that is none. sync-failures.test.ts has real ones.
  const { sync_failures } = (await caller.get('/api/v1/sync/failures')).body as {
    sync_failures: { id: string }[]
  }
  found.set('/api/v1/sync/failures', sync_failures[0]?.id ?? found.get('/api/v1/channel-listings')!)
  const { audit } = (await caller.get('/api/v1/sync/audit')).body as { audit: { job_id: string | null }[] }
  found.set('/api/v1/jobs', audit.find(({ job_id }) => job_id !== null)!.job_id!)
  return found
}

async function recordsOf(caller: TestCaller): Promise<string[]> {
  const lists = await Promise.all(collections.map(({ path }) => caller.get(queryUrl(path, 'limit=100'))))
  return lists.map(({ body }) => JSON.stringify(body))
}

// A sync of its own moves `updated_at` of a listing too.
const stable = (records: string) =>
  (records.startsWith('{"channel_listings"') ? records.replace(/"updated_at":"[^"]*"/g, '') : records)
    .replace(/"(audit|sync_statuses|events)":\[.*?\],"next_cursor":[^,]*/gs, '')
    // The calls of a window come back with time.
    .replace(/"remaining":\d+/g, '')
    .replace(/"last_synced_at":"[^"]*"/g, '')
