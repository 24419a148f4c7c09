import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { expectProblem, expectStatus, names } from '#test/expect.ts'
import { addAccount, noIds, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()
let agencyId: string

before(async () => {
  agencyId = await addAccount(world, world.home.id, 'Casa Agency', 'agency')
  await addAccount(world, world.home.id, 'Trial run', 'sandbox')
})

const path = '/api/v1/accounts'

suite('accounts', () => {
  test('returns all accounts of the organization', async () => {
    const listed = expectStatus(await owner.get(path), 200)
    assert.deepEqual(names(listed.accounts), ['Home', 'Casa Agency', 'Trial run'])
    const { account } = expectStatus(await owner.get(`${path}/${agencyId}`), 200)
    assert.deepEqual(account, listed.accounts[1])
    const { created_at, updated_at, ...rest } = account
    assert.deepEqual(rest, { id: agencyId, org_id: world.home.id, name: 'Casa Agency', type: 'agency' })
    assert.equal(created_at, updated_at)
  })

  test('sorts, searches and filters', async () => {
    const found = async (query: string) =>
      names(expectStatus(await owner.get(`${path}?${query}`), 200).accounts)
    assert.deepEqual(await found('sort=name'), ['Casa Agency', 'Home', 'Trial run'])
    assert.deepEqual(await found('sort=-name&limit=1'), ['Trial run'])
    assert.deepEqual(await found('q=AGENCY'), ['Casa Agency'])
    assert.deepEqual(await found('type=sandbox'), ['Trial run'])
    assert.deepEqual(await found('updated_since=2100-01-01T00:00:00Z'), [])
    assert.deepEqual(await found(`org_id=${world.home.id}&type=operator`), ['Home'])
  })
})

suite('accounts: errors', () => {
  test('returns 404 for an unknown id, and 400 for an invalid one', async () => {
    expectProblem(await owner.get(`${path}/${unknownId}`), 404, 'not-found')
    for (const id of noIds) expectProblem(await owner.get(`${path}/${id}`), 400, 'validation-error', '/id')
    expectProblem(await owner.get(`${path}?type=admin`), 400, 'validation-error', '/type')
  })

  test('the API cannot create or change accounts', async () => {
    for (const [method, at] of [
      ['POST', path],
      ['PUT', `${path}/${agencyId}`],
      ['PATCH', `${path}/${agencyId}`],
      ['DELETE', `${path}/${agencyId}`],
    ] as const) {
      const reply = await owner.send(method, at, {})
      expectProblem(reply, 405, 'method-not-allowed')
      assert.equal(reply.headers.get('allow'), 'GET, HEAD')
    }
  })
})

suite('accounts: security', () => {
  test('another organization finds no accounts', async () => {
    expectProblem(await stranger.get(`${path}/${agencyId}`), 404, 'not-found')
    assert.deepEqual(names(expectStatus(await stranger.get(path), 200).accounts), ['Away'])
    for (const query of [`org_id=${world.home.id}`, 'q=Casa'])
      assert.deepEqual(expectStatus(await stranger.get(`${path}?${query}`), 200).accounts, [])
  })

  test('reading requires a token with the permission', async () => {
    const service = await world.home.as('service', { permissions: ['organizations:read'] })
    expectProblem(await service.get(path), 403, 'forbidden')
    expectProblem(await service.get(`${path}/${agencyId}`), 403, 'forbidden')
    expectProblem(await world.caller(null).get(path), 401, 'unauthorized')
  })
})
