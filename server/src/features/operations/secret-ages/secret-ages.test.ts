import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import { checkSecretAges } from '#command-line/doctor-secrets.ts'
import type { Config } from '#config/config.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { maxSecretAgeDays, secretsIn } from '#config/secrets.ts'
import { expectStatus } from '#test/expect.ts'
import { addTarget } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { openSecretAges } from './secret-ages.ts'

const { world, owner } = shareWorld()

const asOwner = async (statement: Statement<unknown>) => {
  const database = openOwner(world.config.database.ownerUrl)
  try {
    await database.pipelined({ orgId: null }, [statement])
  } finally {
    await database.close()
  }
}
/** Moves the first use of every secret this many days back. */
const daysPass = (days: number) =>
  asOwner(sql`update secret_ages set first_used_at = first_used_at - make_interval(days => ${days}::int)`)

const key = (id: string) => ({ id, bytes: randomBytes(32) })
const secretsWith = (
  keys: Config['secrets']['keys'],
  settings: Record<string, string>,
): Config['secrets'] => ({
  keys,
  given: Object.entries(settings).flatMap(([name, text]) =>
    secretsIn(name, { kind: 'payments', part: 'list' }, text),
  ),
})
const agesOf = async (secrets: Config['secrets']) =>
  Object.fromEntries(
    (await openSecretAges(world.resources.database, secrets)())
      .filter(({ name }) => name === name.toUpperCase())
      .map(({ name, ageDays }) => [name, Math.round(ageDays)]),
  )

test('the age of a secret counts from its first use, and of a list from the oldest value', async () => {
  const keys = [key('a')]
  const settings = { FIRST: 'one', SECOND: 'two' }
  assert.deepEqual(await agesOf(secretsWith(keys, settings)), { FIRST: 0, SECOND: 0 })
  await daysPass(91)
  assert.deepEqual(await agesOf(secretsWith(keys, settings)), { FIRST: 91, SECOND: 91 })
  assert.deepEqual(await agesOf(secretsWith(keys, { FIRST: 'one,new', SECOND: 'new' })), {
    FIRST: 91,
    SECOND: 0,
  })
  await daysPass(10)
  assert.deepEqual(await agesOf(secretsWith(keys, { FIRST: 'new', SECOND: 'new' })), {
    FIRST: 10,
    SECOND: 10,
  })
})

test('a new first key of SECRET_KEYS does not reset ages', async () => {
  const [old, fresh] = [key('old'), key('fresh')]
  const settings = { ROTATED: 'value' }
  await agesOf(secretsWith([old], settings))
  await daysPass(40)
  assert.deepEqual(await agesOf(secretsWith([fresh, old], settings)), { ROTATED: 40 })
  assert.deepEqual(await agesOf(secretsWith([fresh], settings)), { ROTATED: 40 })
})

test('stores only a keyed fingerprint of a secret', async () => {
  const value = `sk_${randomBytes(12).toString('hex')}`
  await agesOf(secretsWith([key('a')], { HIDDEN: value }))
  const database = openOwner(world.config.database.ownerUrl)
  const [rows] = await database.pipelined({ orgId: null }, [
    sql`select secret_ages::text as text from secret_ages`,
  ])
  await database.close()
  assert.ok(rows.length > 0)
  assert.ok(!JSON.stringify(rows).includes(value))
})

test('uses the password of a URL, and the first of the encryption keys', () => {
  const values = (part: 'password' | 'first', text: string) =>
    secretsIn('NAME', { kind: 'database', part }, text).map(({ value }) => value)
  assert.deepEqual(values('password', 'postgres://user:pass@host/db'), ['pass'])
  assert.deepEqual(values('password', 'redis://host'), [])
  assert.deepEqual(values('first', '2026b:new,2026a:old'), ['2026b:new'])
})

test('the age of target credentials counts from when they were entered', async () => {
  const config = { provider: 'generic', credentials: { api_key: 'first-key' } }
  const target = await addTarget(owner, { config })
  await asOwner(
    sql`update channel_targets set credentials_set_at = now() - interval '100 days' where id = ${target.id}`,
  )
  const age = async () =>
    (await openSecretAges(world.resources.database, secretsWith([key('a')], {}))()).find(
      ({ name }) => name === 'channel target credentials',
    )
  assert.deepEqual([Math.round((await age())!.ageDays), (await age())!.maxDays], [100, maxSecretAgeDays.pms])
  const put = (fields: object) =>
    owner.put(`/api/v1/channel-targets/${target.id}`, { ...target, name: 'Same key', ...fields })
  expectStatus(await put({}), 200)
  assert.equal(Math.round((await age())!.ageDays), 100, 'the mask is no new key')
  expectStatus(await put({ config: { ...config, credentials: { api_key: 'second-key' } } }), 200)
  assert.equal(Math.round((await age())!.ageDays), 0)
})

test('metrics report each age with its limit, and the doctor reports secrets that are too old', async () => {
  const { config } = world
  await asOwner(sql`update secret_ages set first_used_at = now()`)
  const text = (await world.caller(null).get('/metrics')).text
  assert.match(text, /vacancy_secret_age_seconds\{name="SECRET_KEYS",kind="sealing_keys"\} \d/)
  assert.match(text, /vacancy_secret_max_age_seconds\{name="SECRET_KEYS",kind="sealing_keys"\} 31536000/)
  assert.match(await checkSecretAges(config).run(), /none too old/)
  await daysPass(366)
  await assert.rejects(checkSecretAges(config).run(), /SECRET_KEYS is 366 days old \(limit 365\)/)
})
