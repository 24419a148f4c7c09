import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { openApp } from '#app.ts'
import { openResources } from '#resources.ts'
import { callerFor, type TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { addMember, changeRole, listMembers, removeMember } from './members.ts'
import { createOrganization } from './organizations.ts'

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
const sessionOf = async (caller: TestCaller) => await caller.get('/api/v1/auth/session')
const statusOf = async (caller: TestCaller) => (await sessionOf(caller)).status

suite('members', () => {
  test('are listed with their roles and identities', async () => {
    const orgId = await newOrganization()
    const owner = await join(orgId, 'owner')
    const email = newAddress()
    await addMember(world.config, { orgId, email, role: 'staff', name: 'Rui' })
    const members = await listMembers(world.config, orgId)
    assert.deepEqual(
      members.map(({ email, name, role, status, subject }) => ({ email, name, role, status, subject })),
      [
        { email: owner.email, name: null, role: 'owner', status: 'active', subject: owner.sub },
        { email, name: 'Rui', role: 'staff', status: 'active', subject: null },
      ],
    )
  })

  test('the last owner can be neither removed nor demoted', async () => {
    const orgId = await newOrganization()
    const owner = await join(orgId, 'owner')
    await join(orgId, 'admin')
    const second = await join(orgId, 'owner')
    await removeMember(world.config, second)
    const refused = codeOf('conflict')
    await assert.rejects(removeMember(world.config, owner), refused)
    await assert.rejects(changeRole(world.config, { ...owner, role: 'admin' }), refused)
    await assert.rejects(addMember(world.config, { ...owner, role: 'viewer' }), refused)
    await changeRole(world.config, { ...owner, role: 'owner' })
    await addMember(world.config, { ...second, role: 'owner' })
    await removeMember(world.config, owner)
    assert.equal(await statusOf(owner.caller), 403)
    assert.equal(await statusOf(second.caller), 200)
  })

  test('one of two owners who are removed or demoted concurrently stays', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const orgId = await newOrganization()
      const [first, second] = [await join(orgId, 'owner'), await join(orgId, 'owner')]
      const ended = await Promise.allSettled([
        removeMember(world.config, first),
        changeRole(world.config, { ...second, role: 'staff' }),
      ])
      assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
      const members = await listMembers(world.config, orgId)
      assert.equal(members.filter(({ role, status }) => role === 'owner' && status === 'active').length, 1)
    }
  })

  test('errors name an unknown member or organization', async () => {
    const { id: orgId } = world.home
    const unknown = codeOf('not-found')
    await assert.rejects(removeMember(world.config, { orgId, email: newAddress() }), unknown)
    await assert.rejects(changeRole(world.config, { orgId, email: newAddress(), role: 'staff' }), unknown)
    for (const nowhere of [randomUUID(), 'home']) {
      const at = { orgId: nowhere, email: newAddress() }
      await assert.rejects(listMembers(world.config, nowhere), unknown)
      await assert.rejects(removeMember(world.config, at), unknown)
      await assert.rejects(addMember(world.config, { ...at, role: 'staff' }), unknown)
    }
    const removed = await join(orgId, 'staff')
    await removeMember(world.config, removed)
    await assert.rejects(changeRole(world.config, { ...removed, role: 'admin' }), codeOf('conflict'))
  })

  test('a subject belongs to one member of an organization', async () => {
    const { orgId, sub } = await join(world.home.id, 'staff')
    const again = addMember(world.config, { orgId, email: newAddress(), role: 'owner', subject: sub })
    await assert.rejects(again, codeOf('conflict'))
  })
})

suite('a change of members', () => {
  /** A second API process: its own pool, cache and listener. */
  async function secondProcess(): Promise<{ url: string } & AsyncDisposable> {
    const resources = await openResources(world.config, 'api')
    const app = await openApp(resources)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    return {
      url,
      async [Symbol.asyncDispose]() {
        await app.close()
        await resources.close()
      },
    }
  }

  test('takes effect immediately in every process that has cached the token', async () => {
    await using second = await secondProcess()
    const person = await join(world.home.id, 'admin')
    const there = callerFor(second.url, person.caller.token)
    const callers = [person.caller, there]
    for (const caller of callers) assert.equal((await sessionOf(caller)).body.role, 'admin')
    await changeRole(world.config, { ...person, role: 'viewer' })
    for (const caller of callers)
      await until(
        async () => (await sessionOf(caller)).body.role as string,
        (role) => role === 'viewer',
        20,
      )
    await removeMember(world.config, person)
    for (const caller of callers)
      await until(
        () => statusOf(caller),
        (status) => status === 403,
        20,
      )
    const claims = { sub: person.sub, org_id: person.orgId, role: 'owner' }
    expectProblem(await sessionOf(world.caller(await world.issuer.sign(claims))), 403, 'forbidden')
    await addMember(world.config, { ...person, role: 'staff' })
    assert.equal((await sessionOf(there)).body.role, 'staff')
  })

  test('ends the streams of callers who may no longer read, and no others', async () => {
    const orgId = await newOrganization()
    const [owner, leaver] = [await join(orgId, 'owner'), await join(orgId, 'staff')]
    const stop = new AbortController()
    const open = async ({ caller }: { caller: TestCaller }) =>
      await fetch(`${world.url}/api/v1/sync/stream`, {
        headers: { authorization: `Bearer ${caller.token}` },
        signal: stop.signal,
      })
    const [stays, ends] = [await open(owner), await open(leaver)]
    await removeMember(world.config, leaver)
    assert.match(await ends.text(), /event: bye/)
    const reader = stays.body!.getReader()
    const { done } = await reader.read()
    assert.equal(done, false)
    await reader.cancel()
    stop.abort()
  })

  test('a person who was removed from one organization keeps the others', async () => {
    const person = await join(await newOrganization(), 'staff')
    await addMember(world.config, {
      orgId: world.away.id,
      email: person.email,
      role: 'viewer',
      subject: person.sub,
    })
    const listed = async () => {
      const reply = await person.caller.get('/api/v1/organizations', { 'x-organization': person.orgId })
      return (expectStatus(reply, 200).organizations as { id: string }[]).map(({ id }) => id)
    }
    assert.deepEqual((await listed()).sort(), [person.orgId, world.away.id].sort())
    await removeMember(world.config, { orgId: world.away.id, email: person.email })
    await until(listed, (found) => found.length === 1, 5)
    assert.deepEqual(await listed(), [person.orgId])
  })
})
