import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import { openVault, sealingKeyId } from '#secrets/vault.ts'
import { parseSecretKeys } from '#config/secrets.ts'
import { addFeed, addTarget, addUnit, unknownId } from '#test/records.ts'
import { runCommand } from '#test/run-command.ts'
import { shareWorld } from '#test/share-world.ts'
import { credentialsContext } from '#features/distribution/channel-targets/target-credentials.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { replaceSealed, sealedColumns, inspectSealed, resealAll } from './reseal.ts'

const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const [old, fresh, other] = [keyOf('old'), keyOf('fresh'), keyOf('other')]

const { world, owner } = shareWorld({ env: { SECRET_KEYS: old } })

const rowsOf = async <Row>(statement: Statement<Row>, orgId: string | null = world.home.id) =>
  (await world.resources.database.pipelined({ orgId }, [statement]))[0]

const targetOf = async (id: string) =>
  (
    await rowsOf(
      sql<{ credentials: Buffer; version: number }>`select * from channel_targets where id = ${id}`,
    )
  )[0]!

const given = (secretKeys: string) => ({
  database: world.config.database,
  secrets: { keys: parseSecretKeys(secretKeys) },
})

const withSecret = (api_key: string) => ({ config: { credentials: { api_key } } })

async function vacancy(secretKeys: string, ...args: string[]) {
  const { database, identity } = world.config
  const { code, out, err } = await runCommand(args, {
    DATABASE_URL: database.url,
    OIDC_ISSUER: identity.issuer,
    OIDC_AUDIENCE: identity.audience,
    SECRET_KEYS: secretKeys,
  })
  assert.equal(err, '')
  return { code, out }
}

suite('stored secrets: happy', () => {
  test('encrypts the secrets of all organizations with the first key, once', async () => {
    const target = await addTarget(owner, withSecret('first'))
    const elsewhere = await addTarget(await world.away.as('owner'), withSecret('second'))
    const feed = await addFeed(owner, { unit_id: (await addUnit(owner)).id })
    await addTarget(owner)
    const before = await targetOf(target.id)

    const rotated = `${fresh},${old}`
    assert.match(
      (await vacancy(rotated, 'doctor')).out,
      /✗ Stored secrets .*3 with old, not with the first key fresh/,
    )
    const done = await vacancy(rotated, 'secrets', 'reseal')
    assert.deepEqual(done, { code: 0, out: 'Resealed 3 of 3 stored secrets with the key fresh.\n' })
    const again = await vacancy(rotated, 'secrets', 'reseal', '--json')
    assert.equal(again.code, 0)
    assert.deepEqual(JSON.parse(again.out), { values: 3, resealed: 0, unopened: [], ok: true })
    assert.match((await vacancy(rotated, 'doctor')).out, /✓ Stored secrets +3, all sealed with the key fresh/)

    const vault = openVault(parseSecretKeys(fresh))
    const { credentials, ...rest } = await targetOf(target.id)
    assert.deepEqual(vault.open(credentials, credentialsContext(world.home.id, target.id)), {
      api_key: 'first',
    })
    assert.deepEqual({ ...rest, credentials: before.credentials }, before, 'nothing else has changed')
    const [theirs] = await rowsOf(
      sql<{ credentials: Buffer }>`select credentials from channel_targets where id = ${elsewhere.id}`,
      world.away.id,
    )
    assert.equal(sealingKeyId(theirs!.credentials), 'fresh')
    const [kept] = await rowsOf(
      sql<{ address: Buffer }>`select address from calendar_feeds where id = ${feed.id}`,
    )
    assert.equal(sealingKeyId(kept!.address), 'fresh')
    assert.equal(
      (await resealAll(given(`${old},${fresh}`))).resealed,
      3,
      'and back, for the tests that follow',
    )
  })

  test('reseals more than one batch, also by two processes concurrently', async () => {
    const vault = openVault(parseSecretKeys(old))
    const ids = Array.from({ length: 1_010 }, () => crypto.randomUUID())
    const [home, account] = [world.home.id, world.home.accountId]
    const inserts = ids.map(
      (
        id,
      ) => sql`insert into channel_targets (id, org_id, account_id, channel_type, name, config, credentials)
        values (${id}, ${home}, ${account}, 'pms', 'Many', '{}', ${vault.seal({ api_key: id }, credentialsContext(home, id))})`,
    )
    await world.resources.database.pipelined({ orgId: home }, inserts)
    const both = await Promise.all([1, 2].map(() => resealAll(given(`${fresh},${old}`))))
    const { values, byOtherKey, unopened } = await inspectSealed(given(fresh))
    assert.ok(values > ids.length, `only ${values}`)
    assert.equal(both[0]!.resealed + both[1]!.resealed, values)
    assert.deepEqual([byOtherKey.size, unopened], [0, []])
    await rowsOf(sql`delete from channel_targets where name = 'Many'`)
    await resealAll(given(`${old},${fresh}`))
  })
})

suite('stored secrets: error', () => {
  test('reports and skips values that no key decrypts, and reseals the others', async () => {
    const [lost, altered, fine] = await Promise.all([1, 2, 3].map(() => addTarget(owner, withSecret('x'))))
    const put = (id: string, credentials: Buffer) =>
      rowsOf(sql`update channel_targets set credentials = ${credentials} where id = ${id}`)
    const others = openVault(parseSecretKeys(other)).seal(
      { api_key: 'x' },
      credentialsContext(world.home.id, lost.id),
    )
    await put(lost.id, others)
    const { credentials } = await targetOf(altered.id)
    credentials[credentials.length - 1]! ^= 1
    await put(altered.id, credentials)

    const rotated = `${fresh},${old}`
    const { code, out } = await vacancy(rotated, 'secrets', 'reseal', '--json')
    assert.equal(code, 1)
    const { ok, unopened } = JSON.parse(out)
    const entry = (id: string, key: string) => ({ kind: 'channel_target', id, org_id: world.home.id, key })
    const sorted = (entries: { id: string }[]) => entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    assert.deepEqual(sorted(unopened), sorted([entry(lost.id, 'other'), entry(altered.id, 'old')]))
    assert.equal(ok, false)
    assert.equal(sealingKeyId((await targetOf(fine.id)).credentials), 'fresh')
    assert.deepEqual((await targetOf(lost.id)).credentials, others)
    const result = await vacancy(rotated, 'secrets', 'reseal')
    assert.equal(result.code, 1)
    assert.match(
      result.out,
      new RegExp(`The secret of channel target ${lost.id} .* sealed with the unknown key other`),
    )
    assert.match((await vacancy(rotated, 'doctor')).out, /✗ Stored secrets .*2 that no key can open/)
    for (const { id } of [lost, altered]) await owner.delete(`/api/v1/channel-targets/${id}`)
  })

  test('keeps a value that was replaced meanwhile', async () => {
    const { id } = await addTarget(owner, withSecret('stays'))
    const [targets] = sealedColumns
    const value = { id, org_id: world.home.id, sealed: Buffer.from('what was read before') }
    assert.equal(await replaceSealed(world.resources.database, targets, value, Buffer.from('late')), false)
    const { credentials } = await targetOf(id)
    const opened = world.resources.vault.open(credentials, credentialsContext(world.home.id, id))
    assert.deepEqual(opened, { api_key: 'stays' })
    assert.notEqual(id, unknownId)
  })
})

suite('stored secrets: security', () => {
  test('every bytea column is a listed encrypted value or a hash', async () => {
    const columns = await rowsOf(
      sql<{ name: string }>`select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'public' and data_type = 'bytea' order by 1`,
    )
    const hashes = ['calendar_feeds.token_hash', 'idempotency_keys.fingerprint']
    const sealed = sealedColumns.map(({ table, column }) => `${table}.${column}`)
    const seen = columns.map(({ name }) => name).filter((name) => !hashes.includes(name))
    assert.deepEqual(seen.filter((name) => name !== 'revoked_tokens.token_hash').sort(), [...sealed].sort())
  })

  test('works for an owner that is no superuser', async () => {
    const admin = openOwner(world.databaseUrl)
    const name = `rotator_${randomBytes(4).toString('hex')}`
    try {
      await admin.pipelined({ orgId: null }, [
        sql`create role ${sql.ref(name)} login password 'x' nosuperuser`,
        sql`grant vacancy_app, vacancy_lookout to ${sql.ref(name)}`,
      ])
      const url = new URL(world.databaseUrl)
      Object.assign(url, { username: name, password: 'x' })
      const before = await inspectSealed(given(`${fresh},${old}`))
      const asRotator = {
        ...given(`${fresh},${old}`),
        database: { ...world.config.database, ownerUrl: url.href },
      }
      const { values } = await resealAll(asRotator)
      assert.ok(values > 0)
      assert.deepEqual([values, (await inspectSealed(given(fresh))).unopened], [before.values, []])
    } finally {
      await admin.pipelined({ orgId: null }, [sql`drop role if exists ${sql.ref(name)}`])
      await admin.close()
    }
  })
})
