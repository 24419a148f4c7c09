// How fast is a list of 20 units as stored text, as columns, and as JSON built by PostgreSQL?
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase, type Database, type Statement } from '../server/src/db/connect.ts'
import { openOwner } from '../server/src/features/tenancy/provisioning/provision.ts'
import { insertAccount, insertOrganization } from '../server/src/features/tenancy/provisioning/queries.ts'
import { withMembers } from '../server/src/db/records.ts'
import { startPostgres } from '../server/src/start/postgres.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { compareVariants } from './side-by-side.ts'

const home = mkdtempSync(join(tmpdir(), 'vacancy-bench-'))
const credentials = { user: 'vacancy', password: 'bench', database: 'vacancy' }
const postgres = await startPostgres({ home, credentials, isDurable: false })
try {
  await migrate(postgres.url)
  const orgId = await addRecords(postgres.url)
  const named = open(postgres.url, true)
  const unnamed = open(postgres.url, false)
  const variants = variantsFor(orgId)
  await assertEqualResults(named, variants)
  await compareVariants(
    {
      'stored text (the product)': () => variants.stored(named),
      'columns, nested and serialised by Node': () => variants.columns(named),
      'JSON built by PostgreSQL': () => variants.built(named),
      'stored text, unnamed statements': () => variants.stored(unnamed),
      'columns, unnamed statements': () => variants.columns(unnamed),
      'JSON built, unnamed statements': () => variants.built(unnamed),
    },
    { rounds: 10, turnMs: 350, concurrency: 16 },
  )
  await Promise.all([named.close(), unnamed.close()])
} finally {
  await postgres.stop()
  rmSync(postgres.dataDir, { recursive: true, force: true })
  rmSync(home, { recursive: true, force: true })
}

type Variant = (database: Database) => Promise<string>

/** Each variant is one pipelined transaction under row-level security. */
function variantsFor(orgId: string): Record<'stored' | 'columns' | 'built', Variant> {
  const from = sql`from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id
    where u.org_id = ${orgId} order by u.created_at, u.id limit 20`
  const space = [
    'id',
    'org_id',
    'account_id',
    'name',
    'address',
    'city',
    'state',
    'zip',
    'country',
    'amenities',
  ]
    .concat(['description', 'status', 'timezone', 'currency', 'created_at', 'updated_at'])
    .map((name) => sql`s.${sql.ref(name)} as ${sql.ref(`space_${name}`)}`)
  const unit = sql`u.id, u.org_id, u.account_id, u.space_id, u.name, u.type, u.bedrooms, u.bathrooms, u.max_guests,
    u.quantity, u.base_price_cents, u.min_price_cents, u.base_price_cents = 0 as free_of_charge, u.currency, u.status,
    u.created_at, u.updated_at`
  const read = async <Row>(database: Database, statement: Statement<Row>) =>
    (await database.pipelined({ orgId }, [statement]))[0]
  return {
    async stored(database) {
      const rows = await read(
        database,
        sql<{ json: string; space: string }>`select u.json, s.json as space ${from}`,
      )
      return `{"units":[${rows.map(({ json, space }) => withMembers(json, { space })).join(',')}]}`
    },
    async columns(database) {
      const rows = await read(
        database,
        sql<Record<string, unknown>>`select ${unit}, ${sql.join(space)} ${from}`,
      )
      return JSON.stringify({ units: rows.map(nestedUnit) })
    },
    async built(database) {
      const [row] = await read(
        database,
        sql<{
          json: string
        }>`select json_build_object('units', json_agg(json_build_object('id', u.id, 'org_id', u.org_id,
          'account_id', u.account_id, 'space_id', u.space_id, 'name', u.name, 'type', u.type, 'bedrooms', u.bedrooms,
          'bathrooms', trim_scale(u.bathrooms), 'max_guests', u.max_guests, 'quantity', u.quantity,
          'base_price_cents', u.base_price_cents, 'min_price_cents', u.min_price_cents,
          'free_of_charge', u.free_of_charge, 'currency', u.currency, 'status', u.status,
          'created_at', iso(u.created_at), 'updated_at', iso(u.updated_at), 'space', json_build_object('id', u.s_id,
          'org_id', u.org_id, 'account_id', u.s_account_id, 'name', u.s_name, 'address', u.address, 'city', u.city,
          'state', u.state, 'zip', u.zip, 'country', u.country, 'amenities', u.amenities, 'description', u.description,
          'status', u.s_status, 'timezone', u.timezone, 'currency', u.s_currency, 'created_at', iso(u.s_created_at),
          'updated_at', iso(u.s_updated_at)))))::text as json
          from (select ${unit}, s.id as s_id, s.account_id as s_account_id, s.name as s_name, s.address, s.city,
            s.state, s.zip, s.country, s.amenities, s.description, s.status as s_status, s.timezone,
            s.currency as s_currency, s.created_at as s_created_at, s.updated_at as s_updated_at ${from}) u`,
      )
      return row!.json
    },
  }
}

function nestedUnit(row: Record<string, unknown>) {
  const unit: Record<string, unknown> = {}
  const space: Record<string, unknown> = {}
  for (const name in row)
    if (name !== 'space_id' && name.startsWith('space_')) space[name.slice(6)] = row[name]
    else unit[name] = name === 'bathrooms' ? Number(row[name]) : row[name]
  // `space_id` is the column of the unit.
  return { ...unit, space: { ...space, id: row['space_id'] } }
}

async function assertEqualResults(database: Database, variants: Record<string, Variant>) {
  const [first, ...others] = await Promise.all(
    Object.values(variants).map(
      async (variant) => JSON.parse(await variant(database)) as { units: unknown[] },
    ),
  )
  assert.equal(first!.units.length, 20)
  for (const other of others) assert.deepEqual(other, first)
}

function open(url: string, prepare: boolean): Database {
  return openDatabase({
    ...{ url, poolSize: 8, role: 'vacancy_app', prepare, applicationName: 'vacancy bench' },
    statementTimeoutMs: 10_000,
    onError: () => {},
  })
}

/** Adds an organization with 12 spaces and 240 units of a realistic size. */
async function addRecords(url: string): Promise<string> {
  const owner = openOwner(url)
  const { id: orgId } = await insertOrganization(owner, { name: 'Bench', tier: 'free', settings: {} })
  const { id: accountId } = await insertAccount(owner, orgId, 'Bench')
  await owner.close()
  const database = open(url, false)
  await database.pipelined({ orgId }, [
    sql`insert into spaces (org_id, account_id, name, address, city, zip, country, amenities, description, timezone, currency)
      select ${orgId}, ${accountId}, 'Alfama Terraces ' || n, 'Rua dos Remédios ' || n, 'Lisboa', '1100-445', 'PT',
        '["wifi","kitchen","washer","air_conditioning"]', repeat('A quiet flat above the river. ', 6), 'Europe/Lisbon', 'eur'
      from generate_series(1, 12) n`,
    sql`insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
      select ${orgId}, ${accountId}, s.id, s.name || ' / ' || n, 'apartment', 2, 1.5, 4, 12400 + n, 'eur'
      from spaces s, generate_series(1, 20) n`,
  ])
  await database.close()
  return orgId
}
