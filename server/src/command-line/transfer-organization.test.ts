import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { readConfig } from '#config/config.ts'
import { credentialsContext } from '#features/distribution/channel-targets/target-credentials.ts'
import { openVault } from '#secrets/vault.ts'
import { until } from '#test/linked-units.ts'
import { addTarget, addUnit } from '#test/records.ts'
import { outputOf, runCommand, startCommand } from '#test/run-command.ts'
import { shareWorld } from '#test/share-world.ts'
import { addMedia } from '#test/uploads.ts'
import type { World } from '#test/world.ts'

const secretKeys = `test:${randomBytes(32).toString('base64')}`
const env = { SECRET_KEYS: secretKeys }
const { world: source, owner } = shareWorld({ env })
const { world: target } = shareWorld({ env })
/** A heap in which the modules of the command have room, and the rows of a large table have not. */
const smallHeap = { NODE_OPTIONS: '--max-old-space-size=96' }
const entries = 15_000
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vacancy-transfer-'))
})
after(() => rm(folder, { recursive: true }))

const environmentOf = ({ config, databaseUrl }: World) => ({
  DATABASE_URL: databaseUrl,
  VACANCY_HOME: config.home,
  SECRET_KEYS: secretKeys,
  OIDC_ISSUER: config.identity.issuer,
  OIDC_AUDIENCE: config.identity.audience,
})

async function withClient<T>({ databaseUrl }: World, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const countOf = async (client: pg.Client, from: string): Promise<number> =>
  (await client.query<{ count: number }>(`select count(*)::int as count from ${from}`)).rows[0]!.count

/** The connections of a command that has not ended. */
const transfers = `pg_stat_activity where datname = current_database() and application_name = 'vacancy transfer'`

suite('vacancy export and vacancy import export', () => {
  test('hold no table in memory', async () => {
    const { id, space_id } = await addUnit(owner)
    await addMedia(owner, space_id)
    const credentials = { api_key: 'key-that-is-sealed' }
    const config = { provider: 'channex', property_ref: 'p', base_url: 'http://127.0.0.1:1', credentials }
    await addTarget(owner, { config, status: 'inactive' })
    await withClient(source, (client) =>
      client.query(
        `insert into sync_audit (org_id, unit_id, action, actor, changes)
        select $1, $2, 'unit.updated', '{}', jsonb_build_array(jsonb_build_object('field', repeat('x', 3000)))
        from generate_series(1, ${entries})`,
        [source.home.id, id],
      ),
    )
    const to = join(folder, 'first')
    const args = ['export', '--org', source.home.id, '--to', to, '--json']
    const { code, out, err } = await outputOf(startCommand(args, { ...environmentOf(source), ...smallHeap }))
    assert.equal(code, 0, err)
    const { tables } = JSON.parse(out) as { tables: { name: string; rows: number }[] }
    assert.equal(tables.find(({ name }) => name === 'sync_audit')!.rows, entries)
  })

  test('an import that is killed leaves no record, and is repeated', async () => {
    const args = ['import', 'export', join(folder, 'first'), '--json']
    await withClient(target, async (client) => {
      // The last table: everything else has been written when the import waits.
      await client.query('begin')
      await client.query('lock table audit_entries in exclusive mode')
      const child = startCommand(args, { ...environmentOf(target), ...smallHeap })
      await until(
        async () => {
          assert.equal(child.exitCode, null, 'it has ended before it could be killed')
          return await withClient(target, (other) =>
            countOf(other, `${transfers} and wait_event_type = 'Lock'`),
          )
        },
        (count) => count === 1,
        120,
      )
      child.kill('SIGKILL')
      await once(child, 'exit')
      await client.query('rollback')
      await until(
        () => countOf(client, transfers),
        (count) => count === 0,
        60,
      )
      const org = `where id = '${source.home.id}'`
      assert.equal(await countOf(client, `organizations ${org}`), 0)
      assert.equal(await countOf(client, 'units'), 0)

      const repeated = await outputOf(startCommand(args, { ...environmentOf(target), ...smallHeap }))
      assert.equal(repeated.code, 0, repeated.err)
      assert.equal((JSON.parse(repeated.out) as { imported: boolean }).imported, true)
      const again = await runCommand(args, environmentOf(target))
      assert.equal((JSON.parse(again.out) as { imported: boolean }).imported, false)
      assert.equal(await countOf(client, 'sync_audit'), entries)
      assert.equal(await countOf(client, `units where org_id = '${source.home.id}'`), 1)
    })
  })

  test('refuses a record that another organization has', async () => {
    const { id } = await addUnit(await source.away.as('owner'))
    const to = join(folder, 'taken')
    const exported = await runCommand(['export', '--org', source.away.id, '--to', to], environmentOf(source))
    assert.equal(exported.code, 0, exported.err)
    const [, checksum = ''] = /Checksum: ([0-9a-f]{64})/.exec(exported.out) ?? []
    const import_ = ['import', 'export', to, '--checksum', checksum]
    await withClient(target, async (client) => {
      await client.query(
        `insert into units
          (id, org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
        select $1, org_id, account_id, space_id, 'Other', type, 1, 1, 1, 100, 'eur' from units limit 1`,
        [id],
      )
      const refused = await runCommand(import_, environmentOf(target))
      assert.equal(refused.code, 6, refused.output)
      assert.match(refused.err, /is here already, in units \(units_pkey\)/)
      await client.query('delete from units where id = $1', [id])
    })
    assert.equal((await runCommand(import_, environmentOf(target))).code, 0)
  })

  test('secrets are left out, or stay sealed', async () => {
    const read = async (name: string) =>
      JSON.parse(await readFile(join(folder, name, 'tables/channel_targets.jsonl'), 'utf8')) as {
        id: string
        credentials: string | null
      }
    assert.equal((await read('first')).credentials, null)
    const to = join(folder, 'sealed')
    const args = ['export', '--org', source.home.id, '--to', to, '--with-sealed-secrets']
    assert.equal((await runCommand(args, environmentOf(source))).code, 0)
    const { id, credentials } = await read('sealed')
    assert.match(credentials!, /^\\x[0-9a-f]+$/)
    assert.ok(!Buffer.from(credentials!.slice(2), 'hex').includes('key-that-is-sealed'))
    await withClient(target, async (client) => {
      await client.query('truncate organizations, sync_audit, audit_entries cascade')
      const imported = await runCommand(['import', 'export', to], environmentOf(target))
      assert.equal(imported.code, 0, imported.err)
    })
    const vault = openVault(readConfig(environmentOf(target)).secrets.keys)
    const stored = await withClient(target, (client) =>
      client.query<{ credentials: Buffer }>('select credentials from channel_targets where id = $1', [id]),
    )
    assert.deepEqual(vault.open(stored.rows[0]!.credentials, credentialsContext(source.home.id, id)), {
      api_key: 'key-that-is-sealed',
    })
  })
})
