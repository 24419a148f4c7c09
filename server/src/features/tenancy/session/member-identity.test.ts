import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { resolveIdentityConflicts } from './report-identity-conflict.ts'
import { addMember } from '#features/tenancy/provisioning/members.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'

/** A membership that was added by e-mail address belongs to the first verified identity, and to no other. */

const { world, owner } = shareWorld({ workers: true })

const session = async (claims: Record<string, unknown>) =>
  await world.caller(await world.issuer.sign(claims)).get('/api/v1/auth/session')
const newAddress = () => `${randomUUID()}@members.example`

async function addByAddress(role = 'owner', orgId = world.home.id): Promise<string> {
  const email = newAddress()
  await addMember(world.config, { orgId, email, role })
  return email
}

async function change(statement: ReturnType<typeof sql>): Promise<void> {
  const database = openOwner(world.databaseUrl)
  await database.pipelined({ orgId: null }, [statement])
  await database.close()
}

const openConflicts = async (caller = owner) =>
  expectStatus(await caller.get('/api/v1/alerts?kind=member.identity_conflict&status=open'), 200).alerts as {
    id: string
    times: number
    message: string
    details: { member_id: string; subject: string }
  }[]

suite('an e-mail address that is not verified', () => {
  const unverified: [string, object][] = [
    ['no claim', {}],
    ['false', { email_verified: false }],
    ['the text "true"', { email_verified: 'true' }],
    ['the number 1', { email_verified: 1 }],
    ['null', { email_verified: null }],
    ['a list with true', { email_verified: [true] }],
  ]
  for (const [what, claim] of unverified)
    test(`matches no membership: ${what}`, async () => {
      const email = await addByAddress()
      expectProblem(await session({ sub: randomUUID(), email, ...claim }), 403, 'forbidden')
      const { body } = await session({ sub: randomUUID(), email, email_verified: true })
      assert.equal(body.role, 'owner')
    })

  test('does not get the role of its claims when a record has another role for the address', async () => {
    const email = await addByAddress('viewer')
    const claims = { sub: randomUUID(), email, org_id: world.home.id, role: 'owner' }
    expectProblem(await session(claims), 403, 'forbidden')
    const { body } = await session({ ...claims, email_verified: true })
    assert.equal(body.role, 'viewer')
  })

  test('does not restore a member who was removed before the first sign-in', async () => {
    const email = await addByAddress('viewer')
    await change(sql`update members set status = 'removed' where email = ${email}`)
    const claims = { sub: randomUUID(), email, org_id: world.home.id, role: 'owner' }
    expectProblem(await session(claims), 403, 'forbidden')
    expectProblem(await session({ ...claims, email_verified: true }), 403, 'forbidden')
  })

  test('a token without an address is matched by its subject or its claims only', async () => {
    const email = newAddress()
    const sub = randomUUID()
    await addMember(world.config, { orgId: world.home.id, email, role: 'staff', subject: sub })
    assert.equal((await session({ sub })).body.role, 'staff')
    assert.equal((await session({ sub, email_verified: true })).body.role, 'staff')
    const claims = { org_id: world.home.id, role: 'viewer', email_verified: true }
    assert.equal((await session({ sub: randomUUID(), ...claims })).body.role, 'viewer')
    expectProblem(await session({ sub: randomUUID(), email_verified: true }), 403, 'forbidden')
  })
})

suite('a second identity with the address of a member', () => {
  test('is rejected with its own code, and the owners are notified', async () => {
    const email = await addByAddress()
    const first = { sub: randomUUID(), email, email_verified: true }
    expectStatus(await session(first), 200)
    const second = { ...first, sub: randomUUID(), email: email.toUpperCase() }
    expectProblem(await session(second), 403, 'identity-conflict')
    const [alert] = await openConflicts()
    assert.ok(alert!.message.includes(email))
    assert.equal(alert!.details.subject, second.sub)
    expectStatus(await session({ ...first, email: newAddress(), email_verified: false }), 200)
    const mails = await until(
      async () =>
        expectStatus(await owner.get('/api/v1/notifications?kind=member.identity_conflict'), 200)
          .notifications as { to: string; channel: string }[],
      (found) => found.length > 0,
    )
    const addresses = mails.map(({ to }) => to)
    assert.ok(addresses.includes(email), addresses.join())
  })

  test('is rejected whatever organization and role its token claims', async () => {
    const email = await addByAddress('viewer')
    expectStatus(await session({ sub: randomUUID(), email, email_verified: true }), 200)
    const claims = { sub: randomUUID(), email, email_verified: true, role: 'owner' }
    expectProblem(await session({ ...claims, org_id: world.home.id }), 403, 'identity-conflict')
    // What it may do elsewhere does not depend on it.
    expectStatus(await session({ ...claims, org_id: world.away.id }), 200)
  })

  test('without verification learns nothing about the members, but the owners are notified', async () => {
    const email = await addByAddress()
    expectStatus(await session({ sub: randomUUID(), email, email_verified: true }), 200)
    const stranger = { sub: randomUUID(), email }
    const refused = await session(stranger)
    const unknown = await session({ sub: randomUUID(), email: newAddress() })
    assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
    assert.equal(refused.body.detail, unknown.body.detail)
    const [alert] = await openConflicts()
    assert.equal(alert!.details.subject, stranger.sub)
  })

  test('is counted once for many requests', async () => {
    const email = await addByAddress()
    expectStatus(await session({ sub: randomUUID(), email, email_verified: true }), 200)
    const second = await world.issuer.sign({ sub: randomUUID(), email, email_verified: true })
    const ask = () => world.caller(second).get('/api/v1/auth/session')
    expectProblem(await ask(), 403, 'identity-conflict')
    const { times } = (await openConflicts())[0]!
    for (let turn = 0; turn < 5; turn++) expectProblem(await ask(), 403, 'identity-conflict')
    assert.equal((await openConflicts())[0]!.times, times)
  })

  test('a member keeps the own record when the address becomes that of another', async () => {
    const email = await addByAddress()
    expectStatus(await session({ sub: randomUUID(), email, email_verified: true }), 200)
    const sub = randomUUID()
    await addMember(world.config, { orgId: world.home.id, email: newAddress(), role: 'staff', subject: sub })
    assert.equal((await session({ sub, email, email_verified: true })).body.role, 'staff')
  })

  test('the alert is visible to owners and admins only, and in no feed', async () => {
    assert.ok((await openConflicts()).length > 0)
    assert.ok((await openConflicts(await world.home.as('admin'))).length > 0)
    const { id } = (await openConflicts())[0]!
    for (const role of ['manager', 'staff', 'viewer'] as const) {
      const caller = await world.home.as(role)
      const { alerts } = expectStatus(await caller.get('/api/v1/alerts?limit=100'), 200)
      assert.ok(!alerts.some((alert: { kind: string }) => alert.kind === 'member.identity_conflict'))
      expectProblem(await caller.get(`/api/v1/alerts/${id}`), 404, 'not-found')
    }
    const { events } = expectStatus(await owner.get('/api/v1/events?limit=100'), 200)
    assert.ok(!events.some(({ type }: { type: string }) => type === 'member.identity_conflict'))
  })

  test('the alert closes when the membership is given to the identity that was refused', async () => {
    const email = await addByAddress('staff')
    expectStatus(await session({ sub: randomUUID(), email, email_verified: true }), 200)
    const second = { sub: randomUUID(), email, email_verified: true }
    expectProblem(await session(second), 403, 'identity-conflict')
    await addMember(world.config, { orgId: world.home.id, email, role: 'staff', subject: second.sub })
    assert.equal((await session(second)).body.role, 'staff')
    await resolveIdentityConflicts(world.resources)
    assert.deepEqual(await openConflicts(), [])
  })

  test('the alert closes a week after the last attempt', async () => {
    const email = await addByAddress()
    expectStatus(await session({ sub: randomUUID(), email, email_verified: true }), 200)
    expectProblem(await session({ sub: randomUUID(), email, email_verified: true }), 403, 'identity-conflict')
    const [alert] = await openConflicts()
    await resolveIdentityConflicts(world.resources)
    assert.deepEqual(
      (await openConflicts()).map(({ id }) => id),
      [alert!.id],
    )
    await change(sql`update alerts set last_at = now() - interval '8 days' where id = ${alert!.id}`)
    await resolveIdentityConflicts(world.resources)
    assert.deepEqual(await openConflicts(), [])
  })
})

suite('the first sign-in', () => {
  test('exactly one of many concurrent identities with the same address becomes the member', async () => {
    const email = await addByAddress('admin')
    const subjects = Array.from({ length: 8 }, () => randomUUID())
    const replies = await Promise.all(subjects.map((sub) => session({ sub, email, email_verified: true })))
    const statuses = replies.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 403)])
    const winner = replies.findIndex(({ status }) => status === 200)
    for (const [at, sub] of subjects.entries()) {
      const { status } = await session({ sub, email, email_verified: true })
      assert.equal(status, at === winner ? 200 : 403)
    }
  })

  test('one identity with two concurrent addresses becomes one member', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const addresses = [await addByAddress('admin'), await addByAddress('viewer')]
      const sub = randomUUID()
      const replies = await Promise.all(
        addresses.map((email) => session({ sub, email, email_verified: true })),
      )
      const roles = new Set(replies.map((reply) => expectStatus(reply, 200).role))
      assert.equal(roles.size, 1)
    }
  })

  test('a subject that was recorded without an issuer is that of our provider, whatever the address', async () => {
    const [email, sub] = [newAddress(), randomUUID()]
    await addMember(world.config, { orgId: world.home.id, email, role: 'staff', subject: sub })
    await change(sql`update members set issuer = null where subject = ${sub}`)
    const stranger = { sub: randomUUID(), email, email_verified: true }
    expectProblem(await session(stranger), 403, 'identity-conflict')
    assert.equal((await session({ sub })).body.role, 'staff')
  })

  test('a member of another issuer is not found by the same subject or address', async () => {
    const [email, sub] = [newAddress(), randomUUID()]
    await addMember(world.config, { orgId: world.home.id, email, role: 'owner', subject: sub })
    await change(sql`update members set issuer = 'https://before.example' where subject = ${sub}`)
    expectProblem(await session({ sub, email, email_verified: true }), 403, 'identity-conflict')
    expectProblem(await session({ sub }), 403, 'forbidden')
    await addMember(world.config, { orgId: world.home.id, email, role: 'owner', subject: sub })
    assert.equal((await session({ sub })).body.role, 'owner')
  })
})
