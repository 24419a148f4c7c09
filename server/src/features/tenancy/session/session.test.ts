import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { rolePermissions } from '#http/permissions.ts'
import { sql } from '#db/sql.ts'
import { addMember } from '#features/tenancy/provisioning/members.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import type { TestCaller } from '#test/caller.ts'
import { shareWorld } from '#test/share-world.ts'
import { openWorld } from '#test/world.ts'

const { world } = shareWorld()

const session = (caller: TestCaller) => caller.get('/api/v1/auth/session')
const withClaims = async (claims: object) => world.caller(await world.issuer.sign({ ...claims }))

/** A member whose token does not name the organization. */
async function member(role: string, more: { subject?: string } = {}) {
  const subject = more.subject ?? randomUUID()
  const email = `${randomUUID()}@members.example`
  await addMember(world.config, { orgId: world.home.id, email, role, subject })
  return { sub: subject, email }
}

suite('session', () => {
  test('returns the caller, the organization and the permissions', async () => {
    const sub = randomUUID()
    const { status, body } = await session(await world.home.as('owner', { sub, email: 'ana@home.example' }))
    assert.equal(status, 200)
    assert.deepEqual(body, {
      user: { id: sub, email: 'ana@home.example', name: 'Home owner' },
      organization: { id: world.home.id, name: 'Home' },
      account: { id: world.home.accountId, name: 'Home' },
      role: 'owner',
      permissions: rolePermissions.owner,
      memberships: [{ organization: { id: world.home.id, name: 'Home' }, role: 'owner' }],
    })
  })

  test('/auth/me is the same object', async () => {
    const caller = await world.home.as('viewer')
    assert.deepEqual((await caller.get('/api/v1/auth/me')).body, (await session(caller)).body)
  })

  test('maps a subject that is no UUID to the same UUID each time', async () => {
    const [one, two, other] = await Promise.all(
      ['auth0|123', 'auth0|123', 'auth0|124'].map(async (sub) =>
        session(await world.home.as('staff', { sub })),
      ),
    )
    assert.match(one!.body.user.id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(one!.body.user.id, two!.body.user.id)
    assert.notEqual(one!.body.user.id, other!.body.user.id)
  })

  test('a token without an organization uses that of its member', async () => {
    const { status, body, text } = await session(await withClaims(await member('manager')))
    assert.equal(status, 200, text)
    assert.deepEqual([body.organization.id, body.role], [world.home.id, 'manager'])
  })

  test('a member known by e-mail address only, in any case', async () => {
    const email = `${randomUUID()}@members.example`
    await addMember(world.config, { orgId: world.home.id, email, role: 'staff' })
    const claims = { sub: randomUUID(), email: email.toUpperCase(), email_verified: true }
    const { body } = await session(await withClaims(claims))
    assert.equal(body.role, 'staff')
  })

  test('the first sign-in binds a member to the identity; the address alone no longer matches', async () => {
    const email = `${randomUUID()}@members.example`
    await addMember(world.config, { orgId: world.home.id, email, role: 'staff' })
    const first = { sub: randomUUID(), email, email_verified: true }
    assert.equal((await session(await withClaims(first))).status, 200)
    assert.equal((await session(await withClaims({ ...first, sub: randomUUID() }))).status, 403)
    const moved = { ...first, email: `${randomUUID()}@elsewhere.example` }
    assert.equal((await session(await withClaims(moved))).body.role, 'staff')
  })

  test('the role of the record wins over the role of the claim', async () => {
    const person = await member('viewer')
    const { body } = await session(await world.home.as('owner', person))
    assert.deepEqual([body.role, body.permissions], ['viewer', rolePermissions.viewer])
  })

  test('permissions of the token win over those of the role, and unknown ones count for nothing', async () => {
    const permissions = ['spaces:read', 'spaces:read', 'everything:write', '__proto__']
    const caller = await world.home.as('owner', { permissions })
    assert.deepEqual((await session(caller)).body.permissions, ['spaces:read'])
    assert.equal((await caller.get('/api/v1/spaces')).status, 200)
    assert.equal((await caller.post('/api/v1/spaces', { name: 'A' })).status, 403)
    assert.equal((await caller.get('/api/v1/units')).status, 403)
  })

  test('a service has only the permissions that its token lists', async () => {
    const bare = await world.home.as('service')
    assert.deepEqual((await session(bare)).body.permissions, [])
    assert.equal((await bare.get('/api/v1/spaces')).status, 403)
    const reader = await world.home.as('service', { permissions: ['units:read'] })
    assert.equal((await reader.get('/api/v1/units')).status, 200)
    assert.equal((await reader.get('/api/v1/spaces')).status, 403)
  })

  test('a member of two organizations sees both, and acts for that of the token', async () => {
    const person = await member('viewer')
    await addMember(world.config, {
      orgId: world.away.id,
      email: person.email,
      role: 'owner',
      subject: person.sub,
    })
    const caller = await withClaims({ ...person, org_id: world.away.id })
    assert.deepEqual((await session(caller)).body.organization.id, world.away.id)
    const { body } = await caller.get('/api/v1/organizations')
    assert.deepEqual(
      body.organizations.map(({ id }: { id: string }) => id).sort(),
      [world.home.id, world.away.id].sort(),
    )
  })
})

suite('session: errors', () => {
  const forbidden: [string, () => object | Promise<object>, RegExp][] = [
    ['an unknown organization', () => ({ org_id: randomUUID() }), /organization/],
    ['an organization that is no id', () => ({ org_id: "' or true --" }), /organization/],
    ['an account of another organization', () => ({ account_id: world.away.accountId }), /account/],
    ['an account that is no id', () => ({ account_id: 'main' }), /account/],
    ['an unknown role', () => ({ role: 'superuser' }), /role/],
    ['a role that only JavaScript knows', () => ({ role: 'constructor' }), /role/],
    ['no role', () => ({ role: undefined }), /role/],
    ['no organization and no membership', () => ({ org_id: undefined }), /organization/],
  ]
  for (const [what, claims, words] of forbidden)
    test(`${what}: 403`, async () => {
      const { status, body } = await session(await world.home.as('owner', { ...(await claims()) }))
      assert.deepEqual([status, body.code], [403, 'forbidden'])
      assert.match(body.detail, words)
    })

  test('an e-mail address that the provider did not verify finds no membership', async () => {
    const email = `${randomUUID()}@members.example`
    await addMember(world.config, { orgId: world.home.id, email, role: 'owner' })
    const claims = { sub: randomUUID(), email, email_verified: false }
    assert.equal((await session(await withClaims(claims))).status, 403)
    assert.equal((await session(await withClaims({ ...claims, email_verified: true }))).status, 200)
  })

  test('another identity with the e-mail address of a member is not that member', async () => {
    const { email } = await member('owner')
    assert.equal((await session(await withClaims({ sub: randomUUID(), email }))).status, 403)
  })

  test('an unavailable provider causes 503, not 401', async () => {
    await using lonely = await openWorld()
    await lonely.issuer.close()
    const { status, body, headers } = await session(await lonely.home.as('owner'))
    assert.deepEqual([status, body.code], [503, 'unavailable'])
    assert.ok(Number(headers.get('retry-after')) > 0)
    assert.equal((await lonely.caller(null).get('/health')).status, 200)
  })
})

suite('session: removed members', () => {
  test('a removed member is rejected, whatever the token claims', async () => {
    const person = await member('owner')
    await removeMember(person.email)
    for (const claims of [{}, { org_id: world.home.id, role: 'owner', permissions: ['spaces:read'] }]) {
      const { status, body } = await session(await withClaims({ ...person, ...claims }))
      assert.deepEqual([status, body.code], [403, 'forbidden'])
    }
  })
})

async function removeMember(email: string): Promise<void> {
  const owner = openOwner(world.databaseUrl)
  await owner.pipelined({ orgId: null }, [sql`update members set status = 'removed' where email = ${email}`])
  await owner.close()
}
