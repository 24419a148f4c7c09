import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { mask } from '#secrets/vault.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addTarget } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { getTargetConnection } from './queries.ts'
import { credentialsContext } from './target-credentials.ts'

const { world, owner } = shareWorld()

const path = '/api/v1/channel-targets'
const secret = 'pk_live_0hMyPr3cious'
const withSecret = { config: { credentials: { api_key: secret } } }
const masked = { api_key: mask }

/** The decrypted secret. */
async function loadCredentials(id: string): Promise<unknown> {
  const { database, vault } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  const scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database }
  const { credentials } = (await getTargetConnection(scope, id))!
  return credentials && vault.open(credentials, credentialsContext(world.home.id, id))
}

suite('credentials: happy', () => {
  test('are stored, and returned masked', async () => {
    const target = await addTarget(owner, withSecret)
    assert.deepEqual(target.config.credentials, masked)
    assert.deepEqual(await loadCredentials(target.id), { api_key: secret })
  })

  test('stay when the mask is sent back', async () => {
    const target = await addTarget(owner, withSecret)
    const reply = await owner.put(`${path}/${target.id}`, target)
    assert.deepEqual(expectStatus(reply, 200).channel_target.config.credentials, masked)
    assert.deepEqual(await loadCredentials(target.id), { api_key: secret })
  })

  test('are removed by null, one or all', async () => {
    const both = { api_key: secret, webhook_secret: 'whsec_eA==' }
    const target = await addTarget(owner, { config: { credentials: both } })
    const put = async (credentials: unknown) =>
      expectStatus(
        await owner.put(`${path}/${target.id}`, { ...target, config: { ...target.config, credentials } }),
        200,
      ).channel_target.config
    assert.deepEqual((await put({ api_key: mask, webhook_secret: null })).credentials, masked)
    assert.deepEqual(await loadCredentials(target.id), { api_key: secret })
    assert.deepEqual(await put(null), { provider: 'generic' })
    assert.equal(await loadCredentials(target.id), null)
  })

  test('are replaced by new ones', async () => {
    const target = await addTarget(owner, withSecret)
    const config = { credentials: { api_key: 'ne  xt' } }
    expectStatus(await owner.put(`${path}/${target.id}`, { ...target, config }), 200)
    assert.deepEqual(await loadCredentials(target.id), { api_key: 'ne  xt' }, 'to the letter, blanks and all')
  })
})

suite('credentials: error', () => {
  test('rejects a PUT that leaves a stored secret out', async () => {
    const both = { api_key: secret, webhook_secret: 'whsec_eA==' }
    const target = await addTarget(owner, { config: { credentials: both } })
    const { credentials: _, ...rest } = target.config
    const other = { credentials: { api_key: 'next' } }
    for (const [config, pointer] of [
      [undefined, '/config/credentials'],
      [rest, '/config/credentials'],
      [other, '/config/credentials/webhook_secret'],
    ] as const)
      expectProblem(
        await owner.put(`${path}/${target.id}`, { ...target, config }),
        422,
        'semantic-error',
        pointer,
      )
    assert.deepEqual(await loadCredentials(target.id), both)
  })

  test('requires the secret again for another address', async () => {
    const target = await addTarget(owner, withSecret)
    const config = { ...target.config, base_url: 'http://127.0.0.1:1/elsewhere' }
    const refused = await owner.put(`${path}/${target.id}`, { ...target, config })
    expectProblem(refused, 422, 'semantic-error')
    assert.equal(refused.body.errors[0].pointer, '/config/credentials')
    const known = { ...config, credentials: { api_key: secret } }
    expectStatus(await owner.put(`${path}/${target.id}`, { ...target, config: known }), 200)
  })

  test('rejects a key that is not valid in a header', async () => {
    for (const api_key of ['', ' key', 'key ', 'ke\ny', 'clé', 'ke\u0001y']) {
      const body = { channel_type: 'pms', name: 'Odd', config: { credentials: { api_key } } }
      expectProblem(await owner.post(path, body), 400, 'validation-error')
    }
  })

  test('ignores a mask without a stored secret', async () => {
    const target = await addTarget(owner, { config: { credentials: masked } })
    assert.deepEqual(target.config, { provider: 'generic' })
    const again = await owner.put(`${path}/${target.id}`, { ...target, config: { credentials: masked } })
    assert.deepEqual(expectStatus(again, 200).channel_target.config, { provider: 'generic' })
    assert.equal(await loadCredentials(target.id), null)
  })
})

suite('credentials: security', () => {
  test('no response contains the secret', async () => {
    const key = { 'idempotency-key': 'secret-1' }
    const body = { channel_type: 'pms', name: 'Secretive', ...withSecret }
    const made = await owner.post(path, body, key)
    const { channel_target } = expectStatus(made, 201)
    const listing = await addListing(owner, { channel_target_id: channel_target.id })
    const wrong = { ...body, config: { credentials: { api_key: secret, other: secret } }, name: 5 }
    for (const reply of [
      made,
      await owner.post(path, body, key),
      await owner.get(path),
      await owner.get(`${path}/${channel_target.id}`),
      await owner.put(`${path}/${channel_target.id}`, body),
      await owner.put(`${path}/${channel_target.id}`, wrong),
      await owner.get(`/api/v1/channel-listings/${listing.id}`),
      await owner.get('/api/v1/channel-listings'),
      await owner.get('/api/v1/sync/audit'),
    ])
      assert.ok(!reply.text.includes(secret), reply.text)
  })

  test('no table contains the secret in plain text', async () => {
    const target = await addTarget(owner, withSecret)
    const body = { channel_type: 'pms', name: 'Kept answer', ...withSecret }
    expectStatus(await owner.post(path, body, { 'idempotency-key': 'secret-2' }), 201)
    const hex = Buffer.from(secret).toString('hex')
    const sealed = Buffer.from(JSON.stringify({ api_key: secret }))
      .toString('base64')
      .slice(0, 12)
    const tables = ['channel_targets', 'channel_listings', 'listing_syncs', 'sync_audit', 'idempotency_keys']
    for (const table of [...tables, 'queue.jobs']) {
      const [rows] = await world.resources.database.pipelined({ orgId: world.home.id }, [
        sql<{ text: string }>`select t::text as text from ${sql.ref(table)} t`,
      ])
      for (const { text } of rows as { text: string }[])
        for (const trace of [secret, hex, sealed]) assert.ok(!text.includes(trace), `${table}: ${text}`)
      if (tables.indexOf(table) % 4 === 0) assert.ok(rows.length > 0, `${table} was looked at`)
    }
    const { database, vault } = world.resources
    const [[row]] = (await database.pipelined({ orgId: world.home.id }, [
      sql`select credentials from channel_targets where id = ${target.id}`,
    ])) as [[{ credentials: Buffer }]]
    assert.throws(() => vault.open(row.credentials, credentialsContext(world.home.id, crypto.randomUUID())))
    assert.throws(() => vault.open(row.credentials, credentialsContext(world.away.id, target.id)))
  })
})
