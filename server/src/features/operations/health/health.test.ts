import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openApp } from '#app.ts'
import { checkDatabase } from '#command-line/doctor-database.ts'
import type { Database } from '#db/connect.ts'
import { explainFullDisk } from '#process/full-disk.ts'
import { openResources, connectWorkerQueue } from '#resources.ts'
import { startWorkers } from '#workers.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { callerFor } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addSpace } from '#test/records.ts'
import { runCommand } from '#test/run-command.ts'
import { addLinkedUnit, until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { buildHealthChecks } from './checks.ts'

const { world } = shareWorld()
let owner: Database
before(async () => {
  owner = openOwner(world.databaseUrl)
  world.defer(() => owner.close())
})

const asOwner = (statement: Parameters<Database['pipelined']>[1][number]) =>
  owner.pipelined({ orgId: null }, [statement])

async function healthOf(url: string) {
  const { status, checks } = expectStatus(await callerFor(url, null).get('/health'), 200)
  return { status: status as string, checks: checks as Record<string, string> }
}

async function findByDoctor(name: string): Promise<boolean> {
  const { config } = world
  const { output } = await runCommand(['doctor', '--json'], {
    ...{ DATABASE_URL: world.databaseUrl, OIDC_ISSUER: config.identity.issuer },
    ...{ OIDC_AUDIENCE: config.identity.audience },
    SECRET_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
  })
  const { checks } = JSON.parse(output) as { checks: { name: string; ok: boolean }[] }
  return checks.find((check) => check.name === name)!.ok
}

suite('health and doctor', () => {
  test('jobs that no worker takes make the queue unhealthy', async () => {
    assert.equal(await findByDoctor('Queue'), true)
    await addLinkedUnit(await world.home.as('owner'))
    await asOwner(sql`update queue.jobs set due_at = now() - interval '1 hour'`)
    // On a busy machine the database may take longer than the two seconds after which a part counts as away.
    await until(
      () => healthOf(world.url),
      ({ status, checks }) =>
        status === 'degraded' && checks['queue'] === 'unhealthy' && checks['database'] === 'healthy',
    )
    assert.equal(await findByDoctor('Queue'), false)
    const stop = await startWorkers(world.resources, await connectWorkerQueue(world.config))
    try {
      await until(
        () => healthOf(world.url),
        ({ checks }) => checks['queue'] === 'healthy',
      )
    } finally {
      await stop(5_000)
    }
  })

  test('the doctor reports time zones that were accepted before', async () => {
    const { away, config, home, resources } = world
    const check = checkDatabase(config).find(({ name }) => name === 'Time zones')!
    const caller = await home.as('owner')
    const spaces = [await addSpace(caller, { timezone: 'EST' }), await addSpace(caller)]
    assert.match(await check.run(), /agree on all/)
    await resources.database.pipelined({ orgId: home.id }, [
      sql`update spaces set timezone = 'CET' where id = ${spaces[1].id}`,
    ])
    await resources.database.pipelined({ orgId: away.id }, [
      sql`update organizations set settings = settings || '{"default_timezone": "EET"}' where id = ${away.id}`,
    ])
    const found = [
      `CET of 1 space of the organization ${home.id}`,
      `EET of new spaces of the organization ${away.id}`,
    ]
    await assert.rejects(check.run(), ({ message }: Error) => found.every((part) => message.includes(part)))
    expectStatus(await caller.patch(`/api/v1/spaces/${spaces[1].id}`, { timezone: 'Europe/Berlin' }), 200)
    await assert.rejects(check.run(), ({ message }: Error) => !message.includes('CET'))
  })

  test('a read-only database is degraded and still ready, and reads are answered', async () => {
    assert.equal(await findByDoctor('Writes'), true)
    const name = new URL(world.databaseUrl).pathname.slice(1)
    await asOwner(sql`alter database ${sql.ref(name)} set default_transaction_read_only = on`)
    // The setting holds for new connections: those of a process that starts now.
    const resources = await openResources(world.config, 'api')
    const app = await openApp(resources)
    try {
      const url = await app.listen({ port: 0, host: '127.0.0.1' })
      await until(
        () => healthOf(url),
        ({ status, checks }) =>
          status === 'degraded' && checks['database'] === 'degraded' && checks['disk'] === 'healthy',
      )
      expectStatus(await callerFor(url, null).get('/health/ready'), 200)
      const caller = callerFor(url, (await world.home.as('owner')).token)
      expectStatus(await caller.get('/api/v1/units'), 200)
      expectProblem(await caller.post('/api/v1/spaces', { name: 'Mill House' }), 503, 'organization-frozen')
      assert.equal(await findByDoctor('Writes'), false)
    } finally {
      await app.close()
      await resources.close()
      await asOwner(sql`alter database ${sql.ref(name)} reset default_transaction_read_only`)
    }
  })

  test('many who ask at once whether requests can be served do not take a connection each', async () => {
    const { database } = world.resources
    let asked = 0
    const pipelined: Database['pipelined'] = (...args) => (asked++, database.pipelined(...args))
    const app = await openApp({ ...world.resources, database: { ...database, pipelined } })
    await app.ready()
    const before = asked
    const replies = await Promise.all(Array.from({ length: 50 }, () => app.inject('/health/ready')))
    assert.ok(replies.every(({ statusCode }) => statusCode === 200))
    // Nearly always one; two when the first answer arrives before the last request.
    assert.ok(asked - before < 10)
    await app.close()
  })

  test('a full disk of the database is unhealthy; an unavailable database does not report its disk', async () => {
    const diskOf = (code: string) => {
      const pipelined = () => Promise.reject(Object.assign(new Error('could not write'), { code }))
      return buildHealthChecks(
        { ...world.resources, database: { ...world.resources.database, pipelined } },
        () => true,
      ).disk()
    }
    assert.equal(await diskOf('53100'), false)
    assert.equal(await diskOf('ECONNREFUSED'), true)
    assert.equal(await buildHealthChecks(world.resources, () => true).disk(), true)
  })
})

suite('a start on a full disk', () => {
  const full = {
    'as the system says it': Object.assign(new Error('write'), { code: 'ENOSPC' }),
    'as the database says it': Object.assign(new Error('could not extend file'), { code: '53100' }),
    'behind another error': new Error('Migration 1 failed', {
      cause: Object.assign(new Error('write'), { code: 'EDQUOT' }),
    }),
    'in the log of a part': new Error('It ended: FATAL: could not write lock file: No space left on device'),
  }
  for (const [how, error] of Object.entries(full))
    test(`${how}: the message begins with it`, () => {
      assert.match((explainFullDisk(error) as Error).message, /^The disk is full/)
    })

  test('any other failure is unchanged', () => {
    const other = new Error('connect ECONNREFUSED')
    assert.equal(explainFullDisk(other, '.'), other)
  })
})
