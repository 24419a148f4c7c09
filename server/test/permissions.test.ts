import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import Fastify from 'fastify'
import { tokenIn } from '#features/calendar-feeds/calendar-feed.ts'
import { authenticate } from '#http/authenticate.ts'
import { permissionTable, rolePermissions, roles } from '#http/permissions.ts'
import type { Reply } from './caller.ts'
import { permissionsPage, withSettings } from './docs.ts'
import { operations } from './operations.ts'
import { addFeed, addSpace, addUnit, unknownId } from './records.ts'
import { addMedia } from './uploads.ts'
import { openWorld, type World } from './world.ts'

let world: World
/** What stands for a token in the address of an open route. */
let calendarToken: string
/** And for the file of a photo. */
let photo: string
before(async () => {
  world = await openWorld()
  const owner = await world.home.as('owner')
  const feed = await addFeed(owner, { unit_id: (await addUnit(owner)).id })
  calendarToken = tokenIn(feed.url)!
  photo = new URL((await addMedia(owner, (await addSpace(owner)).id)).url).pathname
})
after(() => world[Symbol.asyncDispose]())

const rows = Object.entries(permissionTable).map(([row, needed]) => {
  const [method, template] = row.split(' ') as [string, string]
  return {
    row,
    method,
    needed: needed,
    path: template.replace(/:(?!token|organization|file)\w+/g, unknownId),
  }
})

/** Asks with a token, or none. Only the head of the answer counts, because a stream does not end. */
async function ask({ method, path }: { method: string; path: string }, token: string | null) {
  const stopping = new AbortController()
  const hasBody = !['GET', 'HEAD', 'DELETE'].includes(method)
  const answer = await fetch(
    `${world.url}${path.replace(':token', calendarToken).replace('/media/:organization/:file', photo)}`,
    {
      method,
      signal: stopping.signal,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: '{}' }),
    },
  )
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json')
  const body = (isProblem && method !== 'HEAD' ? await answer.json() : null) as Reply['body']
  stopping.abort()
  return { status: answer.status, body, headers: answer.headers }
}

/** What the provider of payments sends is known by its signature, whoever else carries it. */
const isSigned = ({ row }: { row: string }) => row === 'POST /webhooks/payments'

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
    authenticate(app, {} as never, () => Promise.reject(new Error('nobody')))
    assert.throws(() => app.get('/api/v1/forgotten', () => 'open'), /no row in the permission table/)
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
