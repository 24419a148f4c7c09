import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { runSql } from '#test/run-sql.ts'
import { shareWorld } from '#test/share-world.ts'
import { addMember, removeMember } from '#features/tenancy/provisioning/members.ts'
import { changeOrganization } from '#features/tenancy/provisioning/organizations.ts'
import { rolePermissions } from '#http/permissions.ts'

const { world } = shareWorld()

const signIn = async (claims: object) =>
  world.caller(await world.issuer.sign({ sub: randomUUID(), ...claims }))
const session = async (claims: object, headers = {}) =>
  (await signIn(claims)).get('/api/v1/auth/session', headers)
const naming = (id: string) => ({ 'x-organization': id })

/** A person who is a viewer at home and an owner away. */
async function memberOfBoth() {
  const [sub, email] = [randomUUID(), `${randomUUID()}@members.example`]
  await addMember(world.config, { orgId: world.home.id, email, role: 'viewer', subject: sub })
  await addMember(world.config, { orgId: world.away.id, email, role: 'owner', subject: sub })
  return { sub, email }
}

const both = () => [
  { organization: { id: world.home.id, name: 'Home' }, role: 'viewer' },
  { organization: { id: world.away.id, name: 'Away' }, role: 'owner' },
]

suite('a member of several organizations', () => {
  test('chooses one in each request', async () => {
    const caller = await signIn(await memberOfBoth())
    for (const [{ id }, role] of [[world.home, 'viewer'] as const, [world.away, 'owner'] as const]) {
      const { body } = await caller.get('/api/v1/auth/session', naming(id.toUpperCase()))
      assert.deepEqual([body.organization.id, body.role, body.memberships], [id, role, both()])
    }
    const space = { name: 'Away only', timezone: 'UTC', currency: 'eur' }
    expectProblem(await caller.post('/api/v1/spaces', space, naming(world.home.id)), 403, 'forbidden')
    const created = await caller.post('/api/v1/spaces', space, naming(world.away.id))
    assert.equal(created.status, 201, created.text)
    const path = `/api/v1/spaces/${created.body.space.id}`
    assert.equal((await caller.get(path, naming(world.away.id))).status, 200)
    assert.equal((await caller.get(path, naming(world.home.id))).status, 404)
  })

  test('is asked to choose by a request that names none, or another', async () => {
    const person = await memberOfBoth()
    for (const headers of [{}, naming(randomUUID()), naming('home'), naming('')]) {
      const { memberships } = expectProblem(await session(person, headers), 400, 'organization-required')
      assert.deepEqual(memberships, both())
    }
  })

  test('does not have to choose after leaving the others', async () => {
    const person = await memberOfBoth()
    const caller = await signIn(person)
    await caller.get('/api/v1/auth/session', naming(world.home.id))
    await removeMember(world.config, { orgId: world.home.id, email: person.email })
    const atHome = () => caller.get('/api/v1/auth/session', naming(world.home.id))
    // The notification of the change drops what the API has cached.
    expectProblem(await until(atHome, ({ status }) => status !== 200, 5), 400, 'organization-required')
    assert.equal((await caller.get('/api/v1/auth/session')).body.organization.id, world.away.id)
  })

  test('uses the others while one has moved to another cell', async () => {
    const caller = await signIn(await memberOfBoth())
    const { id } = world.home
    await runSql(
      world,
      sql`insert into organization_moves (org_id, status, cell) values (${id}, 'moved', 'b')`,
    )
    try {
      const { memberships } = (await caller.get('/api/v1/auth/session', naming(world.away.id))).body
      assert.deepEqual(memberships, both().slice(1))
      const { organizations } = (await caller.get('/api/v1/organizations', naming(world.away.id))).body
      assert.deepEqual(ids(organizations), [world.away.id])
      expectProblem(await caller.get('/api/v1/units', naming(id)), 421, 'organization-moved')
    } finally {
      await runSql(world, sql`delete from organization_moves where org_id = ${id}`)
    }
  })

  test('acts only for the one that the token names', async () => {
    const person = { ...(await memberOfBoth()), org_id: world.away.id }
    assert.deepEqual((await session(person)).body.memberships, both().slice(1))
    expectProblem(await session(person, naming(world.home.id)), 400, 'organization-required')
  })
})

test('the only membership may be named, and another organization answers like an unknown one', async () => {
  const claims = { org_id: world.home.id, role: 'owner' }
  assert.equal((await session(claims, naming(world.home.id))).status, 200)
  const replies = await Promise.all([world.away.id, randomUUID()].map((id) => session(claims, naming(id))))
  const [other, unknown] = replies.map((reply) => expectProblem(reply, 400, 'organization-required'))
  assert.equal(other!.detail, unknown!.detail)
  assert.deepEqual(other!.memberships, unknown!.memberships)
})

suite('a token that names several organizations', () => {
  test('acts for the one that the request names, with the role that it has there', async () => {
    const claims = { org_id: [world.home.id, world.away.id, randomUUID()], role: ['Staff', 'offline_access'] }
    expectProblem(await session(claims), 400, 'organization-required')
    const { body } = await session(claims, naming(world.away.id))
    assert.deepEqual([body.organization.name, body.role, body.memberships.length], ['Away', 'staff', 2])
  })

  test('has a role only in the organizations that the claim gives it in', async () => {
    const role = { manager: { [world.home.id]: 'home.example' }, Viewer: { [world.home.id]: 'home.example' } }
    const { body } = await session({ role, org_id: [world.home.id, world.away.id] })
    assert.deepEqual([body.organization.name, body.role, body.memberships.length], ['Home', 'manager', 1])
  })
})

test('an empty header names none, for a request and for one at the same time', async () => {
  const caller = await signIn({ org_id: world.home.id, role: 'viewer' })
  const path = '/api/v1/auth/session'
  const replies = await Promise.all([caller.get(path, naming('')), caller.get(path)])
  for (const reply of replies) assert.equal(expectStatus(reply, 200).organization.id, world.home.id)
})

suite('the id of an organization at the identity provider', () => {
  test('is accepted in place of ours', async () => {
    const identityId = `org_${randomUUID()}`
    expectProblem(await session({ org_id: identityId, role: 'owner' }), 403, 'forbidden')
    await changeOrganization(world.config, world.away.id, { identityId })
    const organization = { Away: { id: identityId } }
    assert.equal((await session({ org_id: organization, role: 'owner' })).body.organization.name, 'Away')
  })

  test('belongs to one organization', async () => {
    const identityId = randomUUID()
    await changeOrganization(world.config, world.home.id, { identityId })
    await assert.rejects(changeOrganization(world.config, world.away.id, { identityId }), /belongs to Home/)
    await changeOrganization(world.config, world.home.id, { identityId: 'default' })
    const { identity_id } = await changeOrganization(world.config, world.away.id, { identityId })
    assert.equal(identity_id, identityId)
  })
})

suite('permissions', () => {
  test('an empty list does not empty the role of a member, and a service still has none', async () => {
    const sub = randomUUID()
    const email = `${sub}@members.example`
    await addMember(world.config, { orgId: world.home.id, email, role: 'staff', subject: sub })
    const { body } = await session({ sub, permissions: [] })
    assert.deepEqual(body.permissions, rolePermissions.staff)
    const service = await session({ org_id: world.home.id, role: 'service', permissions: [] })
    assert.deepEqual(expectStatus(service, 200).permissions, [])
  })

  test('a program has the scopes of its token, and needs no role', async () => {
    const claims = {
      org_id: world.home.id,
      sub: 'importer',
      client_id: 'importer',
      scope: 'units:read openid',
    }
    const { body } = await session(claims)
    assert.deepEqual([body.role, body.permissions], ['service', ['units:read']])
    const entra = { org_id: world.home.id, idtyp: 'app', role: ['spaces:read'] }
    assert.deepEqual((await session(entra)).body.permissions, ['spaces:read'])
  })

  test('the scopes of a person grant nothing', async () => {
    const claims = { org_id: world.home.id, scope: 'units:read' }
    expectProblem(await session(claims), 403, 'forbidden')
    const viewer = await session({ ...claims, role: 'viewer', scope: 'spaces:write' })
    assert.deepEqual(viewer.body.permissions, rolePermissions.viewer)
  })
})
