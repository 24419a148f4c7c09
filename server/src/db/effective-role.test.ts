import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { startIssuer } from '../../../sandbox/src/identity/issuer.ts'
import { startPostgres, type Postgres } from '#start/postgres.ts'
import { migrate } from '#db/migrate.ts'
import { runCommand } from '#test/run-command.ts'
import { startTestProcess } from '#test/test-process.ts'
import { removeFolder } from '../../test/remove-folder.ts'

/** Roles belong to the whole cluster, so this file starts its own. */

let home: string
let postgres: Postgres
let issuer: Awaited<ReturnType<typeof startIssuer>>
let env: Record<string, string>
let loginUrl: string

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

before(async () => {
  home = mkdtempSync(join(tmpdir(), 'vacancy-roles-'))
  postgres = await startPostgres({
    ...{ home, isDurable: false },
    credentials: { user: 'vacancy', password: 'roles', database: 'vacancy' },
  })
  await migrate(postgres.url)
  await query("create role api_login login password 'roles'")
  loginUrl = postgres.url.replace('//vacancy:', '//api_login:')
  issuer = await startIssuer()
  env = {
    ...{ PORT: '0', VACANCY_HOME: home, DATABASE_URL: postgres.url, LOG_LEVEL: 'silent' },
    ...{ OIDC_ISSUER: issuer.issuer, OIDC_AUDIENCE: issuer.audience },
    SECRET_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
  }
})
after(async () => {
  await issuer.close()
  await postgres.stop()
  removeFolder(postgres.dataDir)
  removeFolder(home)
})

const faults = {
  'a superuser': ['alter role vacancy_app superuser', 'alter role vacancy_app nosuperuser'],
  'a role that bypasses row-level security': [
    'alter role vacancy_app bypassrls',
    'alter role vacancy_app nobypassrls',
  ],
  'an owner of tables': ['alter table units owner to vacancy_app', 'alter table units owner to vacancy'],
} as const

async function runDoctor(): Promise<{ ok: boolean; detail: string }> {
  const { output } = await runCommand(['doctor', '--json'], env)
  const { checks } = JSON.parse(output) as { checks: { name: string; ok: boolean; detail: string }[] }
  return checks.find(({ name }) => name === 'Tenant isolation')!
}

suite('the role that statements run under', () => {
  for (const [what, [fault, repair]] of Object.entries(faults))
    test(`${what}: no process starts, and each says why; so does the doctor`, async () => {
      await query(fault)
      try {
        for (const entrance of ['api', 'worker'] as const)
          await assert.rejects(startTestProcess(entrance, env), new RegExp(`run as vacancy_app, ${what}`))
        const { ok, detail } = await runDoctor()
        assert.deepEqual([ok, detail.includes(what)], [false, true], detail)
      } finally {
        await query(repair)
      }
    })

  test('no process starts with a login that cannot act as the role, and the message says what to grant', async () => {
    await assert.rejects(
      startTestProcess('api', { ...env, DATABASE_URL: loginUrl }),
      /cannot act as vacancy_app.*grant/,
    )
  })

  test('a worker does not claim jobs as the owner of the database', async () => {
    await query('grant vacancy_app to api_login')
    const restricted = { ...env, DATABASE_URL: loginUrl }
    await using _api = await startTestProcess('api', restricted)
    await assert.rejects(startTestProcess('worker', restricted), /cannot act as vacancy_queue.*grant/)
    await query('grant vacancy_queue to api_login')
    await using _worker = await startTestProcess('worker', restricted)
    // A connection that begins or ends has no user.
    const found = await query(
      `select distinct usename::text from pg_stat_activity
       where application_name like 'vacancy%' and usename is not null`,
    )
    assert.deepEqual(found, [{ usename: 'api_login' }])
    await query('revoke vacancy_app, vacancy_queue from api_login')
  })

  test('migrate lets the login of DATABASE_URL act as both roles', async () => {
    const { code } = await runCommand(['migrate'], {
      ...env,
      DATABASE_URL: loginUrl,
      DATABASE_OWNER_URL: postgres.url,
    })
    assert.equal(code, 0)
    await using _worker = await startTestProcess('worker', { ...env, DATABASE_URL: loginUrl })
    await query('revoke vacancy_app, vacancy_queue from api_login')
  })

  test('of other tables, the queue role only reads which organizations are frozen', async () => {
    const [privileges] = await query(`select
      (select json_agg(relname) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and has_table_privilege('vacancy_queue', oid, 'select')) as readable,
      (select count(*)::int from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and has_table_privilege('vacancy_queue', oid, 'insert, update, delete')) as writable,
      (select rolsuper or rolbypassrls or rolcreaterole or rolcanlogin from pg_roles where rolname = 'vacancy_queue') as can`)
    assert.deepEqual(privileges, { readable: ['organization_moves'], writable: 0, can: false })
  })

  test('processes start with the restricted role, and the doctor reports no fault', async () => {
    await using _api = await startTestProcess('api', env)
    await using _worker = await startTestProcess('worker', env)
    assert.equal((await runDoctor()).ok, true)
  })
})
