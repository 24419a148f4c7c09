import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { announceDeprecations } from './deprecation.ts'
import { registerOpenApi } from './openapi.ts'

test('a deprecated operation says so in its responses and in the contract, and no other does', async () => {
  const app = Fastify()
  await registerOpenApi(app, '1.0.0', {})
  announceDeprecations(app)
  const schema = {
    tags: ['units'],
    summary: 'Count',
    response: { 200: Type.Object({ count: Type.Integer() }) },
  }
  const deprecation = { since: '2027-01-01', sunset: '2028-01-01' }
  app.get('/old', { schema, config: { deprecation } }, (_request, reply) =>
    reply.header('link', '</old?cursor=2>; rel="next"').send({ count: 1 }),
  )
  app.get('/older', { schema, config: { deprecation: { since: '2026-12-01' } } }, () => {
    throw new Error('It fails.')
  })
  app.get('/new', { schema }, () => ({ count: 1 }))
  await app.ready()

  const old = await app.inject('/old')
  assert.equal(old.headers['deprecation'], '@1798761600')
  assert.equal(old.headers['sunset'], 'Sat, 01 Jan 2028 00:00:00 GMT')
  assert.equal(
    old.headers['link'],
    '</old?cursor=2>; rel="next", </docs/changelog>; rel="deprecation"; type="text/html"',
  )
  const older = await app.inject('/older')
  assert.equal(older.statusCode, 500)
  assert.deepEqual([older.headers['deprecation'], older.headers['sunset']], ['@1796083200', undefined])
  const current = await app.inject('/new')
  assert.deepEqual([current.headers['deprecation'], current.headers['link']], [undefined, undefined])

  const paths = app.swagger().paths as Record<string, { get: { deprecated?: boolean; description?: string } }>
  const { deprecated, description } = paths['/old']!.get
  assert.deepEqual(
    [deprecated, description],
    [true, 'Deprecated since 2027-01-01, ends on 2028-01-01: see the changelog.'],
  )
  assert.equal(paths['/new']!.get.deprecated, undefined)
})
