import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus, ids, names } from '#test/expect.ts'
import { noIds, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { addMember } from '#features/tenancy/provisioning/members.ts'
import { createOrganization } from '#features/tenancy/provisioning/organizations.ts'

const { world, owner } = shareWorld()

const path = '/api/v1/organizations'

/** A person who belongs to organizations of these names, and one more of their own. */
async function personOf(...organizations: string[]): Promise<TestCaller> {
  const email = `${randomUUID()}@example.com`
  for (const name of organizations) {
    const { organization } = await createOrganization(world.config, { name })
    await addMember(world.config, { orgId: organization.id, email, role: 'viewer' })
  }
  return await world.home.as('viewer', { email, email_verified: true })
}

suite('organizations', () => {
  test('returns the organization of the token, with its tier and settings', async () => {
    const listed = expectStatus(await owner.get(path), 200)
    assert.deepEqual(ids(listed.organizations), [world.home.id])
    assert.deepEqual([listed.next_cursor, listed.has_more], [null, false])
    const reply = await owner.get(`${path}/${world.home.id}`)
    const { organization } = expectStatus(reply, 200)
    assert.deepEqual(organization, listed.organizations[0])
    const { created_at, updated_at, ...rest } = organization
    assert.deepEqual(rest, {
      id: world.home.id,
      name: 'Home',
      tier: 'enterprise',
      settings: { default_currency: 'eur', default_timezone: 'Europe/Lisbon' },
    })
    assert.equal(created_at, updated_at)
    const etag = reply.headers.get('etag')!
    assert.equal((await owner.get(`${path}/${world.home.id}`, { 'if-none-match': etag })).status, 304)
  })

  test('returns all organizations of a person, sorted and in pages', async () => {
    const person = await personOf('zeta', 'Alpha', 'beta', 'Ålesund')
    const inOrder = ['Ålesund', 'Alpha', 'beta', 'Home', 'zeta']
    for (const [sort, wanted] of [
      ['name', inOrder],
      ['-name', inOrder.toReversed()],
      ['created_at', ['Home', 'zeta', 'Alpha', 'beta', 'Ålesund']],
    ] as const) {
      assert.deepEqual(
        names(expectStatus(await person.get(`${path}?sort=${sort}`), 200).organizations),
        wanted,
      )
      const seen: string[] = []
      let next = `${path}?sort=${sort}&limit=2`
      while (next) {
        const reply = await person.get(next)
        const page = expectStatus(reply, 200)
        seen.push(...names(page.organizations))
        next = /^<(.+)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1] ?? ''
        assert.equal(page.has_more, next !== '')
      }
      assert.deepEqual(seen, wanted, sort)
    }
    for (const { id } of expectStatus(await person.get(path), 200).organizations)
      expectStatus(await person.get(`${path}/${id}`), 200)
  })

  test('filters apply before paging', async () => {
    const person = await personOf('one', 'two', 'three')
    const found = async (query: string) =>
      names(expectStatus(await person.get(`${path}?${query}`), 200).organizations)
    assert.deepEqual(await found('limit=1&q=THREE'), ['three'])
    assert.deepEqual(await found('q=%25'), [])
    assert.deepEqual(await found(`org_id=${world.home.id}`), ['Home'])
    assert.deepEqual(await found('updated_since=2100-01-01T00:00:00Z'), [])
    assert.equal((await found('updated_since=2020-01-01T00:00:00Z')).length, 4)
  })
})

suite('organizations: errors', () => {
  test('returns 404 for an unknown id, and 400 for an invalid one', async () => {
    expectProblem(await owner.get(`${path}/${unknownId}`), 404, 'not-found')
    for (const id of noIds) expectProblem(await owner.get(`${path}/${id}`), 400, 'validation-error', '/id')
  })

  test('the API cannot create or change organizations', async () => {
    for (const [method, at] of [
      ['POST', path],
      ['PUT', `${path}/${world.home.id}`],
      ['PATCH', `${path}/${world.home.id}`],
      ['DELETE', `${path}/${world.home.id}`],
    ] as const) {
      const reply = await owner.send(method, at, {
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      expectProblem(reply, 405, 'method-not-allowed')
      assert.equal(reply.headers.get('allow'), 'GET, HEAD')
    }
  })
})

suite('organizations: security', () => {
  test('returns 404 for an organization the caller does not belong to', async () => {
    expectProblem(await owner.get(`${path}/${world.away.id}`), 404, 'not-found')
    assert.deepEqual(expectStatus(await owner.get(`${path}?org_id=${world.away.id}`), 200).organizations, [])
    assert.deepEqual(expectStatus(await owner.get(`${path}?q=Away`), 200).organizations, [])
  })

  test('membership in a second organization shows none of its records in the first', async () => {
    const person = await personOf('Other')
    const other = expectStatus(await person.get(`${path}?q=Other`), 200).organizations[0]
    for (const list of ['accounts', 'spaces', 'units', 'channel-targets', 'channel-listings']) {
      const body = expectStatus(await person.get(`/api/v1/${list}?org_id=${other.id}`), 200)
      assert.deepEqual(body[list.replace('-', '_')], [], list)
    }
  })

  test('reading requires a token with the permission', async () => {
    const service = await world.home.as('service', { permissions: ['spaces:read'] })
    expectProblem(await service.get(path), 403, 'forbidden')
    expectProblem(await service.get(`${path}/${world.home.id}`), 403, 'forbidden')
    expectProblem(await world.caller(null).get(path), 401, 'unauthorized')
  })
})
