import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addSpace, addUnit, noIds, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()

const path = '/api/v1/spaces'

suite('spaces: errors', () => {
  test('lists all invalid fields at once', async () => {
    const wrong = {
      name: '   ',
      country: 'Portugal',
      amenities: ['wifi', 'wifi', 'Not Snake'],
      status: 'open',
      timezone: '+02:00',
      currency: 'EUR',
      zip: 5,
      stars: 5,
    }
    expectProblem(
      await owner.post(path, wrong),
      400,
      'validation-error',
      '/name',
      '/country',
      '/amenities',
      '/amenities/2',
      '/status',
      '/timezone',
      '/currency',
      '/zip',
      '/stars',
    )
  })

  const refused: [string, object, string][] = [
    ['no name', {}, '/name'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, '/name'],
    ['a name of null', { name: null }, '/name'],
    ['a country that does not exist', { name: 'n', country: 'XX' }, '/country'],
    ['a currency that does not exist', { name: 'n', currency: 'zzz' }, '/currency'],
    ['a zone that does not exist', { name: 'n', timezone: 'Europe/Atlantis' }, '/timezone'],
    ['a zone that PostgreSQL does not know', { name: 'n', timezone: 'CAT' }, '/timezone'],
    ['a zone that PostgreSQL reads differently', { name: 'n', timezone: 'CET' }, '/timezone'],
    [
      '101 amenities',
      { name: 'n', amenities: Array.from({ length: 101 }, (_, at) => `a${at}`) },
      '/amenities',
    ],
    ['amenities of null', { name: 'n', amenities: null }, '/amenities'],
    ['a description of 10,001 characters', { name: 'n', description: 'd'.repeat(10_001) }, '/description'],
    ['an account of another form', { name: 'n', account_id: 'mine' }, '/account_id'],
  ]
  for (const [what, body, pointer] of refused)
    test(`rejects ${what}`, async () =>
      expectProblem(await owner.post(path, body), 400, 'validation-error', pointer))

  test('counts characters by code points up to 255', async () => {
    assert.equal((await addSpace(owner, { name: '🏠'.repeat(255) })).name.length, 510)
  })

  test('rejects status transitions that are not allowed', async () => {
    for (const [from, to] of [
      ['active', 'draft'],
      ['inactive', 'draft'],
      ['draft', 'inactive'],
      ['archived', 'active'],
      ['archived', 'draft'],
    ]) {
      const { id } = await addSpace(owner, { status: from })
      expectProblem(await owner.patch(`${path}/${id}`, { status: to }), 409, 'invalid-status-transition')
    }
  })

  test('an archived space changes only its status', async () => {
    const space = await addSpace(owner, { status: 'archived' })
    expectProblem(await owner.patch(`${path}/${space.id}`, { name: 'New' }), 409, 'resource-archived')
    const both = { ...space, name: 'New', status: 'inactive' }
    expectProblem(await owner.put(`${path}/${space.id}`, both), 409, 'resource-archived')
    expectStatus(await owner.put(`${path}/${space.id}`, { ...space, status: 'inactive' }), 200)
  })

  test('a space with units cannot be deleted', async () => {
    const { id } = await addSpace(owner)
    const unit = await addUnit(owner, { space_id: id })
    expectProblem(await owner.delete(`${path}/${id}`), 409, 'resource-in-use')
    expectStatus(await owner.delete(`/api/v1/units/${unit.id}`), 204)
    expectStatus(await owner.delete(`${path}/${id}`), 204)
  })

  test('returns 404 for an unknown id, and 400 for an invalid one', async () => {
    for (const reply of [
      await owner.get(`${path}/${unknownId}`),
      await owner.put(`${path}/${unknownId}`, { name: 'n' }),
      await owner.patch(`${path}/${unknownId}`, { name: 'n' }),
      await owner.delete(`${path}/${unknownId}`),
    ])
      expectProblem(reply, 404, 'not-found')
    for (const id of noIds) expectProblem(await owner.get(`${path}/${id}`), 400, 'validation-error', '/id')
  })

  test('rejects another id or organization in a body', async () => {
    const space = await addSpace(owner)
    expectProblem(await owner.post(path, { ...space }), 400, 'validation-error', '/id')
    expectProblem(
      await owner.put(`${path}/${space.id}`, { ...space, id: unknownId }),
      400,
      'validation-error',
      '/id',
    )
    expectProblem(
      await owner.patch(`${path}/${space.id}`, { org_id: world.away.id }),
      400,
      'validation-error',
      '/org_id',
    )
    assert.deepEqual(expectStatus(await owner.get(`${path}/${space.id}`), 200).space, space)
  })
})
