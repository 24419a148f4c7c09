import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, suite, test } from 'node:test'
import { openVault } from '#secrets/vault.ts'
import { parseSecretKeys } from '#config/secrets.ts'
import { callerFor, type TestCaller } from '#test/caller.ts'
import { expectStatus } from '#test/expect.ts'
import { runCommand } from '#test/run-command.ts'
import { startTestProcess } from '#test/test-process.ts'
import { addFeed, addSpace, addTarget, addUnit } from '#test/records.ts'
import { addEndpoint } from '#test/webhook-receiver.ts'
import { shareWorld } from '#test/share-world.ts'
import { findMissingKeys } from './missing-keys.ts'
import { until } from '#test/linked-units.ts'

/** Rotates SECRET_KEYS while the product runs: both keys, the new one first, the old one removed. */

const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const [old, fresh] = [keyOf('old'), keyOf('fresh')]
const steps = { before: old, learning: `${old},${fresh}`, turned: `${fresh},${old}`, after: fresh }

const { world, owner } = shareWorld({ env: { SECRET_KEYS: old } })
const envFor = (keys: string): Record<string, string> => {
  const { database, identity } = world.config
  return {
    ...{ DATABASE_URL: database.url, SECRET_KEYS: keys, PORT: '0', LOG_LEVEL: 'info' },
    ...{ OIDC_ISSUER: identity.issuer, OIDC_AUDIENCE: identity.audience, ALLOW_PRIVATE_ADDRESSES: 'true' },
  }
}

before(async () => {
  await addTarget(owner, { config: { credentials: { api_key: 'kept' } } })
  await addFeed(owner, { unit_id: (await addUnit(owner)).id })
  await addEndpoint(owner, 'https://partner.example/hook')
  for (const _ of [1, 2, 3]) await addSpace(owner)
})

suite('keys: happy', () => {
  test('processes with either order of the keys decrypt the values and cursors of the others', async () => {
    await using learning = await startTestProcess('api', envFor(steps.learning))
    await using turned = await startTestProcess('api', envFor(steps.turned))
    const [one, other] = [learning, turned].map(({ facts }) => callerFor(facts.url!, owner.token)) as [
      TestCaller,
      TestCaller,
    ]
    const made = await addFeed(other, { unit_id: (await addUnit(other)).id })
    for (const caller of [one, other]) {
      const { url } = expectStatus(await caller.get(`/api/v1/calendar-feeds/${made.id}`), 200).calendar_feed
      assert.equal(url, made.url, 'the address is sealed by the new key')
    }
    for (const [asks, goesOn] of [
      [one, other],
      [other, one],
      [owner, other],
    ] as const) {
      const { next_cursor } = expectStatus(await asks.get('/api/v1/spaces?limit=1'), 200)
      expectStatus(await goesOn.get(`/api/v1/spaces?limit=1&cursor=${next_cursor}`), 200)
    }
    const { next_cursor } = expectStatus(await other.get('/api/v1/spaces?limit=1'), 200)
    assert.equal(
      (await owner.get(`/api/v1/spaces?limit=1&cursor=${next_cursor}`)).body.code,
      'invalid-cursor',
      'who has not learned the new key yet cannot know its cursors',
    )
  })

  test('status reports what each key is needed for', async () => {
    const before = await runCommand(['keys', 'status', '--json'], envFor(steps.turned))
    assert.equal(before.code, 0, before.output)
    const { keys } = JSON.parse(before.output)
    assert.deepEqual(
      keys.map(({ key, role }: { key: string; role: string }) => [key, role]),
      [
        ['fresh', 'first'],
        ['old', 'kept'],
      ],
    )
    assert.deepEqual(keys[1].kinds, { calendar_feed: 1, channel_target: 1, webhook_endpoint: 1 })
    const during = await runCommand(['keys', 'status'], envFor(steps.turned))
    assert.match(during.output, /old has sealed 3: .*Run npx vacancy keys reseal before removing it/)
    assert.equal((await runCommand(['keys', 'reseal'], envFor(steps.turned))).code, 0)
    const after = await runCommand(['keys', 'status'], envFor(steps.turned))
    assert.match(after.output, /old has sealed nothing\. It can be removed from SECRET_KEYS/)
    assert.deepEqual(await findMissingKeys(world.resources.database, parseSecretKeys(steps.after)), [])
  })
})

suite('keys: error', () => {
  test('a key that was removed too early is reported by the start and by status', async () => {
    const early = keyOf('early')
    const vault = openVault(parseSecretKeys(early))
    assert.ok(vault)
    await using api = await startTestProcess('api', envFor(early))
    // Nobody waits for it, so it may come a moment after the start.
    await until(
      async () => api.output(),
      (log) => log.includes('"key":"fresh"'),
    )
    assert.match(
      api.output(),
      /"key":"fresh","kinds":\["calendar_feed","channel_target","webhook_endpoint"\],"values":4/,
    )
    assert.match(api.output(), /"level":50/)
    const caller = callerFor(api.facts.url!, owner.token)
    expectStatus(await caller.get('/api/v1/spaces'), 200)
    const { code, output } = await runCommand(['keys', 'status'], envFor(early))
    assert.equal(code, 1)
    assert.match(output, /fresh has sealed 4.*It is not in SECRET_KEYS: add it again/)
  })
})
