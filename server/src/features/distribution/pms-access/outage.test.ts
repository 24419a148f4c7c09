import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { requeueOverdueTargets } from '#features/distribution/sync/engine/schedule.ts'
import { addListing, addSpace, addTarget, addUnit } from '#test/records.ts'
import { atPms, clearPmsFaults, historyOf, statusOf, until, type LinkedUnit } from '#test/linked-units.ts'
import { inDays } from '#test/local-days.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
let database: ReturnType<typeof openOwner>

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})

const run = async <Row>(statement: Statement<Row>) =>
  (await database.pipelined({ orgId: null }, [statement]))[0]

/** Units of one space, all linked to one target and delivered. */
async function property(units: number, config: object = {}): Promise<LinkedUnit[]> {
  const { id: spaceId } = await addSpace(owner)
  const { id: targetId } = await addTarget(owner, { config: { timeout_ms: 500, ...config } })
  const made: LinkedUnit[] = []
  for (let at = 0; at < units; at++) {
    const { id: unitId } = await addUnit(owner, { space_id: spaceId, base_price_cents: 10_000 })
    const externalId = `U-${at}`
    const listing = await addListing(owner, {
      unit_id: unitId,
      channel_target_id: targetId,
      external_id: externalId,
    })
    made.push({ spaceId, unitId, targetId, listingId: listing.id, externalId })
  }
  await untilIdle(targetId)
  return made
}

/** Waits until no job of the target is due or running. */
const untilIdle = (targetId: string, name = '%') =>
  until(
    () =>
      run(sql`select from queue.jobs where data -> 'payload' ->> 'targetId' = ${targetId}
        and data ->> 'job' like ${name} and due_at <= now() + interval '12 seconds'`),
    ({ length }) => length === 0,
  )

const fault = (body: object) =>
  fetch(`${world.pms.url}/_control/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const priceAll = async (linked: LinkedUnit[], price: number) => {
  const values = linked.map(({ unitId }) => ({
    unit_id: unitId,
    date_from: inDays(154),
    date_to: inDays(184),
    price_cents: price,
  }))
  const reply = await owner.post('/api/v1/calendar', { values })
  assert.equal(reply.status, 201, reply.text)
}

const alertsOf = async (targetId: string, status: string) =>
  (await owner.get(`/api/v1/alerts?channel_target_id=${targetId}&status=${status}`)).body.alerts as {
    kind: string
    message: string
    hint: string
  }[]

const circuitOf = async (targetId: string) =>
  (
    await run(sql<{ opened_at: string | null; failures: number }>`select opened_at, failures from target_syncs
      where channel_target_id = ${targetId}`)
  )[0]!

// Each test has a target of its own, and all of them wait.
suite('unavailable PMS', { concurrency: true }, () => {
  test('is probed and verified again when its job was lost and no push waits', async () => {
    const [linked] = await property(1)
    const { targetId } = linked!
    await run(sql`update target_syncs set failures = 5, opened_at = now(), probe_at = now() - interval '1 minute'
      where channel_target_id = ${targetId}`)
    // The workers' own scheduler may be faster.
    await requeueOverdueTargets(world.resources)
    await until(
      () => circuitOf(targetId),
      ({ opened_at, failures }) => opened_at === null && failures === 0,
    )
  })

  test('gets only probes, is reported, and gets everything when it is back, without affecting others', async () => {
    const linked = await property(12)
    const [other] = await property(1)
    const { targetId } = linked[0]!
    await fault({ mode: 'down', property: targetId })
    // Content goes out unit by unit, so that there are calls enough to open the circuit.
    for (const { unitId } of linked)
      assert.equal((await owner.patch(`/api/v1/units/${unitId}`, { name: 'New name' })).status, 200)
    await until(
      () => circuitOf(targetId),
      ({ opened_at }) => opened_at !== null,
    )
    const { channel_target } = (await owner.get(`/api/v1/channel-targets/${targetId}`)).body
    assert.equal(channel_target.status, 'error')
    const [alert] = await alertsOf(targetId, 'open')
    assert.equal(alert?.kind, 'target.error')
    assert.match(alert?.message ?? '', /cannot be reached/)

    await priceAll([other!], 12_300)
    await until(
      () => statusOf(owner, other!),
      ({ in_sync }) => in_sync,
    )
    const attempts = async () =>
      Promise.all(
        linked.map(async (one) => (await historyOf(owner, one)).filter(({ error }) => error).length),
      )
    const counted = await attempts()
    const asked = counted.reduce((sum, count) => sum + count, 0)
    assert.ok(counted.filter((count) => count > 1).length <= 3, `${counted.join()} attempts`)
    assert.ok(asked >= 5 && asked <= 24, `${asked} attempts`)

    await clearPmsFaults(world, targetId)
    await run(sql`update target_syncs set probe_at = now() where channel_target_id = ${targetId}`)
    await until(
      () => Promise.all(linked.map((one) => statusOf(owner, one))),
      (seen) => seen.every(({ in_sync, error_message }) => in_sync && error_message === null),
      60,
    )
    for (const one of linked) assert.equal((await atPms(world, one))?.['name'], 'New name')
    assert.ok(
      (await attempts()).every((count, at) => count === counted[at]! && count <= 5),
      String(counted),
    )
    assert.deepEqual(await circuitOf(targetId), { opened_at: null, failures: 0 })
    assert.deepEqual(await alertsOf(targetId, 'open'), [])
    assert.ok((await alertsOf(targetId, 'resolved')).some(({ kind }) => kind === 'target.error'))
  })

  for (const [by, correct] of [
    [
      'a PUT that says active',
      async (targetId: string) => {
        const target = (await owner.get(`/api/v1/channel-targets/${targetId}`)).body.channel_target
        const config = { ...target.config, timeout_ms: 5_000 }
        const reply = await owner.put(`/api/v1/channel-targets/${targetId}`, {
          ...target,
          config,
          status: 'active',
        })
        assert.equal(reply.status, 200, reply.text)
      },
    ],
    [
      'a pause',
      async (targetId: string) => {
        const pause = `/api/v1/channel-targets/${targetId}/pause`
        assert.equal((await owner.post(pause)).status, 201)
        assert.equal((await owner.delete(pause)).status, 204)
      },
    ],
  ] as const)
    test(`resolves the alert of a target that was corrected with ${by} at the next successful check`, async () => {
      const [linked] = await property(1)
      const { targetId } = linked!
      await fault({ mode: 'down', property: targetId })
      const wanting = async () =>
        (await alertsOf(targetId, 'open')).filter(({ kind }) => kind === 'target.error').length
      // A change of the target causes a check, which reports that the PMS is unavailable.
      await correct(targetId)
      await until(wanting, (count) => count === 1)
      await correct(targetId)
      await untilIdle(targetId, 'check-target')
      assert.equal(await wanting(), 1, 'it is still away')
      await clearPmsFaults(world, targetId)
      await correct(targetId)
      await until(wanting, (count) => count === 0)
      assert.equal(
        (await owner.get(`/api/v1/channel-targets/${targetId}`)).body.channel_target.error_message,
        null,
      )
    })

  test('a manual request does not wait for the next probe', async () => {
    const [linked] = await property(1)
    const { targetId } = linked!
    await run(sql`update target_syncs set failures = 5, opened_at = now(), probe_at = now() + interval '1 hour'
      where channel_target_id = ${targetId}`)
    await owner.patch(`/api/v1/units/${linked!.unitId}`, { base_price_cents: 77_700 })
    assert.equal((await statusOf(owner, linked!)).in_sync, false)
    const reply = await owner.post('/api/v1/sync/trigger', { channel_listing_id: linked!.listingId })
    assert.equal(reply.status, 201, reply.text)
    await until(
      () => statusOf(owner, linked!),
      ({ in_sync }) => in_sync,
    )
    assert.equal((await atPms(world, linked!))?.['base_price_cents'], 77_700)
    assert.equal((await circuitOf(targetId)).opened_at, null)
  })

  for (const [name, mode, message] of [
    ['that cannot be reached', 'down', /cannot be reached/],
    ['that shows a page of maintenance', 'garbage', /sent a response/],
  ] as const)
    test(`retries failed listings of a PMS ${name} automatically`, async () => {
      const [linked] = await property(1)
      const { targetId, listingId } = linked!
      await fault({ mode, property: targetId })
      await owner.patch(`/api/v1/units/${linked!.unitId}`, { base_price_cents: 55_500 })
      for (let attempt = 1; attempt <= 5; attempt++) {
        await until(
          () => statusOf(owner, linked!),
          ({ status, attempts }) => attempts === attempt && status !== 'in_progress',
        )
        await run(sql`update listing_syncs set due_at = now(), next_attempt_at = null where channel_listing_id = ${listingId}
        and status = 'pending'`)
        await run(
          sql`update listing_syncs set due_at = now() - interval '1 minute' where channel_listing_id = ${listingId}`,
        )
        await requeueOverdueTargets(world.resources)
      }
      const given = await until(
        () => statusOf(owner, linked!),
        ({ status }) => status === 'failed',
      )
      assert.match(given.error_message ?? '', message)
      assert.ok((await alertsOf(targetId, 'open')).some(({ kind }) => kind === 'sync.failed'))
      await clearPmsFaults(world, targetId)
      await until(
        () => statusOf(owner, linked!),
        ({ in_sync }) => in_sync,
      )
      assert.ok((await historyOf(owner, linked!)).some(({ trigger }) => trigger === 'reconnect'))
      assert.deepEqual(await alertsOf(targetId, 'open'), [])
    })
})
