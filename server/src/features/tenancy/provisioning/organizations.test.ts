import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { expectStatus } from '#test/expect.ts'
import { runCommand } from '#test/run-command.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { openWorld } from '#test/world.ts'
import { addMember, removeMember } from './members.ts'
import {
  changeOrganization,
  createOrganization,
  listOrganizations,
  showOrganization,
} from './organizations.ts'

const { world } = shareWorld()

const newAddress = () => `${randomUUID()}@members.example`

async function newOrganization(): Promise<string> {
  return (await createOrganization(world.config, { name: 'Harbour' })).organization.id
}

async function join(orgId: string, role: string) {
  const [email, sub] = [newAddress(), randomUUID()]
  await addMember(world.config, { orgId, email, role, subject: sub })
  const caller = world.caller(await world.issuer.sign({ sub }))
  return { orgId, email, sub, caller }
}

const codeOf = (code: string) => (error: { code?: unknown }) => error.code === code

suite('organizations', () => {
  test('every setting can be set, is shown, and takes effect', async () => {
    const orgId = await newOrganization()
    const { caller } = await join(orgId, 'owner')
    await changeOrganization(world.config, orgId, {
      name: 'Pier Nine',
      tier: 'paid',
      currency: 'GBP',
      timezone: 'Europe/London',
      locale: 'de-AT',
      holdMinutes: '45',
      freeUntilDays: '7',
      refundPercent: '50',
      guestRetentionDays: '90',
    })
    const { organization } = expectStatus(await caller.get(`/api/v1/organizations/${orgId}`), 200)
    assert.equal(organization.name, 'Pier Nine')
    assert.equal(organization.tier, 'paid')
    assert.deepEqual(organization.settings, {
      default_currency: 'gbp',
      default_timezone: 'Europe/London',
      locale: 'de-AT',
      booking: { hold_minutes: 45, cancellation_policy: { free_until_days: 7, refund_percent: 50 } },
      retention: { guest_days: 90 },
    })
    const shown = await showOrganization(world.config, orgId)
    assert.deepEqual(shown, { ...organization, identity_id: null })
    const { space } = expectStatus(await caller.post('/api/v1/spaces', { name: 'Loft' }), 201)
    assert.deepEqual([space.currency, space.timezone], ['gbp', 'Europe/London'])
  })

  test('a setting can be reset to its default without changing others', async () => {
    const orgId = await newOrganization()
    await changeOrganization(world.config, orgId, { holdMinutes: '45', refundPercent: '50' })
    const { settings } = await changeOrganization(world.config, orgId, { holdMinutes: 'default' })
    assert.deepEqual(settings, {
      default_currency: 'usd',
      default_timezone: 'UTC',
      booking: { cancellation_policy: { refund_percent: 50 } },
    })
    const unchanged = await showOrganization(world.config, orgId)
    assert.deepEqual(await changeOrganization(world.config, orgId, { refundPercent: '50' }), unchanged)
  })

  test('keeps the notification preferences', async () => {
    const { caller, orgId } = await join(await newOrganization(), 'owner')
    expectStatus(await caller.put('/api/v1/notification-preferences', { emails: ['office@x.example'] }), 200)
    const { settings } = await changeOrganization(world.config, orgId, { locale: 'fr' })
    assert.deepEqual((settings as { notifications: { emails: string[] } }).notifications.emails, [
      'office@x.example',
    ])
  })

  const refused: [string, Record<string, string>][] = [
    ['a name of spaces', { name: '  ' }],
    ['an unknown tier', { tier: 'gold' }],
    ['a currency that is none', { currency: 'zzz' }],
    ['a time zone that is none', { timezone: 'Mars/Olympus' }],
    ['a locale that no message exists in', { locale: 'ja' }],
    ['a locale that is none', { locale: 'not a locale' }],
    ['a hold of no time', { holdMinutes: '0' }],
    ['a hold that is no number', { holdMinutes: '1e2' }],
    ['more than everything back', { refundPercent: '101' }],
    ['guests who are forgotten at once', { guestRetentionDays: '1' }],
    ['the default of what has none', { name: 'Fine', tier: 'default' }],
  ]
  for (const [what, changes] of refused)
    test(`rejects ${what}`, async () => {
      const before = await showOrganization(world.config, world.home.id)
      await assert.rejects(changeOrganization(world.config, world.home.id, changes), codeOf('semantic-error'))
      assert.deepEqual(await showOrganization(world.config, world.home.id), before)
    })

  test('names the option with a wrong value', async () => {
    const change = changeOrganization(world.config, world.home.id, { guestRetentionDays: 'long' })
    await assert.rejects(change, /--guest-retention-days/)
  })

  test('rejects an unknown organization, and a request without changes', async () => {
    await assert.rejects(showOrganization(world.config, randomUUID()), codeOf('not-found'))
    await assert.rejects(
      changeOrganization(world.config, randomUUID(), { tier: 'paid' }),
      codeOf('not-found'),
    )
    await assert.rejects(changeOrganization(world.config, world.home.id, {}), codeOf('semantic-error'))
  })

  test('a new tier takes effect immediately for callers that are cached', async () => {
    await using limited = await openWorld({ env: { RATE_LIMITS: 'true' } })
    const caller = await limited.home.as('owner')
    const limitOf = async () => Number((await caller.get('/api/v1/spaces')).headers.get('x-ratelimit-limit'))
    const before = await limitOf()
    await changeOrganization(limited.config, limited.home.id, { tier: 'free' })
    await until(limitOf, (limit) => limit < before, 5)
  })

  test('lists all with the number of their active members', async () => {
    const orgId = await newOrganization()
    await join(orgId, 'owner')
    await removeMember(world.config, await join(orgId, 'staff'))
    const found = (await listOrganizations(world.config)).find(({ id }) => id === orgId)
    assert.deepEqual([found?.name, found?.tier, found?.members], ['Harbour', 'free', 1])
  })
})

suite('commands vacancy org and vacancy member', () => {
  const env = () => ({
    DATABASE_URL: world.databaseUrl,
    OIDC_ISSUER: world.config.identity.issuer,
    OIDC_AUDIENCE: world.config.identity.audience,
    SECRET_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
  })
  const run = async (...args: string[]) => await runCommand(args, env())

  test('run, and print JSON', async () => {
    const created = JSON.parse((await run('org', 'create', '--name', 'Quay', '--json')).output)
    const { id } = created.organization as { id: string }
    const email = newAddress()
    const add = ['member', 'add', '--org', id, '--email', email, '--role', 'owner', '--json']
    assert.equal(JSON.parse((await run(...add)).output).member.role, 'owner')
    const set = await run('org', 'set', id, '--hold-minutes', '20', '--json')
    assert.equal(JSON.parse(set.output).organization.settings.booking.hold_minutes, 20)
    const shown = JSON.parse((await run('org', 'show', id, '--json')).output)
    assert.deepEqual(shown, JSON.parse(set.output))
    const { organizations } = JSON.parse((await run('org', 'list', '--json')).output)
    assert.ok(organizations.some((one: { id: string }) => one.id === id))
    const { members } = JSON.parse((await run('member', 'list', '--org', id, '--json')).output)
    assert.equal(members[0].email, email)
    const last = await run('member', 'remove', '--org', id, '--email', email, '--json')
    assert.equal(last.code, 6)
    assert.ok(JSON.parse(last.output).error)
    const other = newAddress()
    await run('member', 'add', '--org', id, '--email', other, '--role', 'owner')
    const demoted = await run('member', 'role', '--org', id, '--email', email, '--role', 'staff', '--json')
    assert.equal(JSON.parse(demoted.output).member.role, 'staff')
    const removed = await run('member', 'remove', '--org', id, '--email', email, '--json')
    assert.equal(JSON.parse(removed.output).member.status, 'removed')
    for (const text of [await run('member', 'list', '--org', id), await run('org', 'show', id)])
      assert.equal(text.code, 0, text.output)
  })

  const codes: [number, string[]][] = [
    [5, ['org', 'show', randomUUID()]],
    [5, ['org', 'show', 'home']],
    [2, ['org', 'freeze', 'home']],
    [2, ['org', 'thaw', 'home']],
    [2, ['org', 'move', 'home', '--finish']],
    [5, ['member', 'list', '--org', 'home']],
    [5, ['member', 'remove', '--org', randomUUID(), '--email', 'a@b.example']],
    [2, ['org', 'set', randomUUID(), '--hold-hours', '2']],
    [2, ['org', 'set', randomUUID(), '--tier', 'gold']],
    [2, ['org', 'set']],
    [2, ['member', 'role', '--org', randomUUID(), '--email', 'a@b.example', '--role', 'king']],
  ]
  for (const [code, args] of codes)
    test(`ends with ${code}: ${args.filter((arg) => arg.length < 36).join(' ')}`, async () => {
      const ended = await run(...args)
      assert.equal(ended.code, code, ended.output)
      assert.ok(ended.output.length > 0)
    })
})
