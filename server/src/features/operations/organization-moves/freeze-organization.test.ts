import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import { RemoveOrphanedFiles } from '#features/inventory/media/jobs.ts'
import { reconcileTargets } from '#features/distribution/sync/engine/schedule.ts'
import { anonymizePastGuests } from '#features/reservations/guests/jobs.ts'
import { enqueueForEach, systemScope } from '#queue/periodic-task.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addLinkedUnit, callsFor, setPrice, until } from '#test/linked-units.ts'
import { parseMetrics, valueOf } from '#test/prometheus-text.ts'
import { inDays } from '#test/local-days.ts'
import { addBooking, addFeed, addSpace, addUnit, unknownId } from '#test/records.ts'
import { runCommand } from '#test/run-command.ts'
import { runSql } from '#test/run-sql.ts'
import { shareWorld } from '#test/share-world.ts'
import { freezeOrganization, thawOrganization } from './freeze-organization.ts'

const { world, owner, stranger } = shareWorld({ workers: true })

const frozen = async (work: () => Promise<unknown>) => {
  await freezeOrganization(world.config, world.home.id)
  try {
    await work()
  } finally {
    await thawOrganization(world.config, world.home.id)
  }
}

suite('a frozen organization', () => {
  test('is read, and not written', async () => {
    const { id } = await addUnit(owner)
    const calendar = new URL((await addFeed(owner, { unit_id: id })).url)
    await frozen(async () => {
      expectStatus(await owner.get(`/api/v1/units/${id}`), 200)
      expectStatus(await owner.get('/api/v1/units'), 200)
      expectStatus(await world.caller(null).get(calendar.pathname), 200)
      const requests = [
        owner.patch(`/api/v1/units/${id}`, { base_price_cents: 1_000 }),
        owner.post('/api/v1/spaces', { name: 'New' }, { 'idempotency-key': 'frozen' }),
        owner.delete(`/api/v1/units/${id}`),
      ]
      for (const reply of await Promise.all(requests)) {
        expectProblem(reply, 503, 'organization-frozen')
        assert.ok(Number(reply.headers.get('retry-after')) > 0)
      }
      await addSpace(stranger)
    })
    expectStatus(await owner.patch(`/api/v1/units/${id}`, { base_price_cents: 1_000 }), 200)
    expectStatus(await owner.post('/api/v1/spaces', { name: 'New' }, { 'idempotency-key': 'frozen' }), 201)
  })

  test('is pushed to no PMS until it is thawed', async () => {
    const [unit, other] = [await addLinkedUnit(owner), await addLinkedUnit(stranger)]
    await world.settled()
    const before = await callsFor(world, unit)
    await world.withoutWorkers(async () => {
      await setPrice(owner, unit, 12_300)
      await freezeOrganization(world.config, world.home.id)
    })
    const otherBefore = await callsFor(world, other)
    await setPrice(stranger, other, 12_300)
    await until(
      () => callsFor(world, other),
      (calls) => calls.length > otherBefore.length,
    )
    assert.deepEqual(await callsFor(world, unit), before)
    await thawOrganization(world.config, world.home.id)
    await until(
      () => callsFor(world, unit),
      (calls) => calls.length > before.length,
    )
  })

  test('is left out of what the workers do at intervals', async () => {
    const organizations = [world.home.id, world.away.id].map((org_id) => ({ org_id }))
    await frozen(async () => {
      await enqueueForEach(world.resources, RemoveOrphanedFiles, organizations, () => ({}))
      const jobs = await runSql(
        world,
        sql`select 1 from queue.jobs where org_id = ${world.home.id} and data ->> 'job' = ${RemoveOrphanedFiles.name}`,
      )
      assert.deepEqual(jobs, [])
    })
  })

  test('is not waited for by those who watch the queue', async () => {
    await frozen(async () => {
      await runSql(
        world,
        sql`
        insert into queue.jobs (queue, org_id, data, due_at)
        values ('payments', ${world.home.id}, '{}', now() - interval '1 hour')`,
      )
      const { checks } = expectStatus(await owner.get('/health'), 200)
      assert.equal(checks.queue, 'healthy')
      const metrics = parseMetrics((await owner.get('/metrics')).text)
      assert.equal(valueOf(metrics, 'vacancy_queue_oldest_seconds', { queue: 'payments' }), 0)
      const waiting = { queue: 'payments', state: 'delayed' }
      assert.equal(valueOf(metrics, 'vacancy_queue_jobs', waiting), 1)
      await runSql(world, sql`delete from queue.jobs where queue = 'payments' and data = '{}'`)
    })
  })

  test('that another cell serves is not behind here', async () => {
    const countBehind = async () =>
      valueOf(parseMetrics((await stranger.get('/metrics')).text), 'vacancy_sync_pending_listings')
    await world.withoutWorkers(async () => {
      await addLinkedUnit(owner)
      // The metrics are at most five seconds old.
      await until(countBehind, (count) => count === 1)
      await runSql(
        world,
        sql`
        insert into organization_moves (org_id, status, cell)
        values (${world.home.id}, 'moved', 'second')`,
      )
      await until(countBehind, (count) => count === 0).finally(() =>
        runSql(world, sql`delete from organization_moves`),
      )
    })
  })

  test('does not keep the daily read-back from the organizations after it', async () => {
    const [unit, other] = [await addLinkedUnit(owner), await addLinkedUnit(stranger)]
    await world.settled()
    for (const [{ targetId }, hours] of [
      [unit, 2],
      [other, 1],
    ] as const)
      await runSql(
        world,
        sql`
        update target_syncs
        set reconcile_at = now() - make_interval(hours => ${hours}::int)
        where channel_target_id = ${targetId}`,
      )
    const isDue = async ({ targetId }: typeof unit) =>
      (
        await runSql(
          world,
          sql`select 1 from target_syncs where channel_target_id = ${targetId} and reconcile_at <= now()`,
        )
      ).length > 0
    await frozen(async () => {
      await reconcileTargets(world.resources)
      assert.deepEqual([await isDue(unit), await isDue(other)], [true, false])
    })
  })

  test('does not keep guests of the organizations after it from being erased', async () => {
    const ids = []
    for (const [caller, daysAgo] of [
      [owner, 41],
      [stranger, 40],
    ] as const) {
      const unitId = (await addUnit(caller)).id
      const { id } = await addBooking(caller, { unitId, checkIn: inDays(10), checkOut: inDays(12) })
      await runSql(
        world,
        sql`
        update bookings
        set nights = daterange(current_date - ${daysAgo + 2}::int, current_date - ${daysAgo}::int)
        where id = ${id}`,
      )
      ids.push(id)
    }
    await frozen(async () => assert.equal(await anonymizePastGuests(world.resources, 39), 1))
    assert.equal(await anonymizePastGuests(world.resources, 39), 1)
  })
})

suite('the freeze', () => {
  after(() => runSql(world, sql`delete from queue.jobs where queue = 'test'`))

  test('waits for a transaction that has begun before', async () => {
    const scope = systemScope(world.resources, world.home.id)
    const { promise: mayWrite, resolve: write } = Promise.withResolvers<void>()
    const { promise: hasBegun, resolve: began } = Promise.withResolvers<void>()
    const writing = atomically(scope, async (transaction) => {
      await transaction.connection.raw('select 1')
      began()
      await mayWrite
      await transaction.connection.run(
        sql`update organizations set settings = settings || '{"late": true}' where id = ${scope.orgId}`,
      )
    })
    await hasBegun
    let isFrozen = false
    const freezing = freezeOrganization(world.config, world.home.id).then(() => (isFrozen = true))
    await until(
      () => runSql(world, sql`select 1 from organization_moves where status = 'draining'`),
      (found) => found.length > 0,
    )
    assert.equal(isFrozen, false)
    write()
    await writing
    await freezing
    await thawOrganization(world.config, world.home.id)
  })

  test('is given up when a job does not end', async () => {
    await runSql(
      world,
      sql`
      insert into queue.jobs (queue, org_id, data, attempts, heartbeat_at)
      values ('test', ${world.home.id}, '{}', 1, now() + interval '1 hour')`,
    )
    await assert.rejects(freezeOrganization(world.config, world.home.id, { drainMs: 300 }), /1 jobs/)
    await addSpace(owner)
    await assert.rejects(thawOrganization(world.config, world.home.id), Conflict)
  })

  test('has its commands', async () => {
    await runSql(world, sql`delete from queue.jobs where queue = 'test'`)
    const { issuer, audience } = world.config.identity
    const env = {
      ...{ DATABASE_URL: world.databaseUrl, OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience },
      SECRET_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
    }
    const run = (command: string, id = world.home.id) => runCommand(['org', command, id], env)
    assert.equal((await run('freeze')).code, 0)
    assert.equal((await run('freeze')).code, 0, 'a repetition changes nothing')
    expectProblem(await owner.post('/api/v1/spaces', { name: 'New' }), 503, 'organization-frozen')
    assert.equal((await run('thaw')).code, 0)
    await addSpace(owner)
    assert.equal((await run('freeze', unknownId)).code, 5)
    await assert.rejects(freezeOrganization(world.config, unknownId), NotFound)
  })
})
