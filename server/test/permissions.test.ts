import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, suite, test } from 'node:test'
import Fastify from 'fastify'
import { authenticate } from '#http/authenticate.ts'
import { permissionTable, rolePermissions, roles } from '#http/permissions.ts'
import { isSigned, openRows, rows } from './attacks/rows.ts'
import { permissionsPage, withSettings } from './docs.ts'
import { operations } from './operations.ts'
import { shareWorld } from './share-world.ts'

const { world } = shareWorld()
let ask: Awaited<ReturnType<typeof openRows>>
before(async () => (ask = await openRows(world)))

suite('every operation and every role', () => {
  for (const one of rows)
    test(`${one.row}: ${one.needed}`, async () => {
      for (const role of roles) {
        const { token } = await world.home.as(role)
        const may = !one.needed.includes(':') || rolePermissions[role].includes(one.needed)
        const { status, body } = await ask(one, token)
        if (isSigned(one)) assert.deepEqual([status, body.code], [401, 'invalid-signature'])
        else if (may) assert.ok(status < 500 && ![401, 403].includes(status), `${role}: ${status}`)
        else {
          assert.deepEqual([role, status, body.code], [role, 403, 'forbidden'])
          assert.ok(body.detail.includes(one.needed), body.detail)
        }
      }
    })
})

suite('without a good token', () => {
  for (const one of rows)
    test(one.row, async () => {
      for (const token of [null, 'bad.token.here']) {
        const { status, body, headers } = await ask(one, token)
        if (isSigned(one)) assert.deepEqual([status, body.code], [401, 'invalid-signature'])
        else if (one.needed === 'none') assert.ok(status < 400, `${status}`)
        else {
          assert.deepEqual([status, body.code], [401, 'unauthorized'])
          assert.match(headers.get('www-authenticate') ?? '', /^Bearer/)
        }
      }
    })

  test('HEAD asks for what GET asks for', async () => {
    for (const { method, path, needed } of rows.filter(
      (one) => one.method === 'GET' && one.needed !== 'none',
    )) {
      assert.equal((await ask({ method: 'HEAD', path }, null)).status, 401, `HEAD ${method} ${path}`)
      if (needed === 'any token') continue
      const { token } = await world.home.as('service')
      assert.equal((await ask({ method: 'HEAD', path }, token)).status, 403, path)
    }
  })
})

suite('the one table', () => {
  test('a route without a row does not start', () => {
    const app = Fastify()
    authenticate(app, {} as never, () => Promise.reject(new Error('not called')))
    assert.throws(() => app.get('/api/v1/forgotten', () => 'open'), /no row in the permission table/)
  })

  test('a route that the contract would not have does not start', () => {
    const app = Fastify()
    authenticate(app, {} as never, () => Promise.reject(new Error('not called')))
    assert.throws(() => app.get('/api/v1/units', () => 'open'), /has no tag/)
  })

  test('the contract names the same permissions, for the same operations', () => {
    const stated = operations.map(({ method, path, permission }) => [
      `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      permission,
    ])
    const { 'GET /api/v1/openapi.json': _, ...table } = permissionTable
    assert.deepEqual(Object.fromEntries(stated), table)
  })

  test('docs/permissions.md and the settings in docs/operations.md are current: else run npm run docs', () => {
    const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
    assert.equal(page('permissions.md'), permissionsPage())
    assert.equal(page('operations.md'), withSettings(page('operations.md')))
  })
})
