import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { openApp } from '#app.ts'
import { consolePaths } from '#http/console-pages.ts'
import {
  isAdmin,
  isAdminOnly,
  isOwnerOnly,
  permissionTable,
  rolePermissions,
  roles,
} from '#http/permissions.ts'
import { sendRaw } from '../wire.ts'
import { shareWorld } from '../share-world.ts'
import { openRows, rows } from './rows.ts'

/**
 * What a token may do, when it names permissions itself: exactly those, and of what is for admins nothing unless it is
 * an admin's. permissions.test.ts has the roles by themselves; here is every way around the table that we know.
 */

const { world } = shareWorld()
let ask: Awaited<ReturnType<typeof openRows>>
before(async () => (ask = await openRows(world)))

const guarded = rows.filter(({ needed }) => needed.includes(':'))
const known = [...new Set(guarded.map(({ needed }) => needed))].sort()
/** Permissions that control members of responses and no operation. */
const ofMembers = ['guest_contacts:read']

suite('a token that names its permissions', () => {
  for (const needed of known)
    test(`${needed}, alone and left out`, async () => {
      const without = known.filter((one) => one !== needed)
      for (const role of roles) {
        const [only, others, none] = await Promise.all(
          [[needed], without, ['nothing:read']].map(
            async (permissions) => (await world.home.as(role, { permissions })).token,
          ),
        )
        const isForAdmins = isAdminOnly(needed) && !isAdmin(role)
        const may = !isForAdmins && (role === 'owner' || !isOwnerOnly(needed))
        const code = isForAdmins ? 'admin-required' : 'forbidden'
        for (const row of guarded.filter((one) => one.needed === needed)) {
          const { status, body } = await ask(row, only!)
          if (may) assert.ok(status < 500 && ![401, 403].includes(status), `${role}: ${row.row} ${status}`)
          else assert.deepEqual([role, row.row, status, body.code], [role, row.row, 403, code])
          for (const token of [others!, none!]) {
            const refused = await ask(row, token)
            assert.deepEqual(
              [role, row.row, refused.status, refused.body.code],
              [role, row.row, 403, 'forbidden'],
            )
          }
        }
      }
    })

  test('what is no permission gives none', async () => {
    const { token } = await world.home.as('service', {
      permissions: [
        '*',
        'spaces:*',
        '*:read',
        'spaces',
        'SPACES:READ',
        'spaces:read ',
        'spaces:read,spaces:write',
        'admin',
      ],
    })
    for (const row of guarded) assert.equal((await ask(row, token)).status, 403, row.row)
  })
})

suite('the address decides as the router reads it', () => {
  /** What a careless guard in front of the router takes for another address, or for none of ours. */
  const disguises: ((path: string) => string)[] = [
    (path) => `/${path}`,
    (path) => `${path}/`,
    (path) => path.replace('/api/', '/API/'),
    (path) => path.replace('/v1/', '/v1/./'),
    (path) => path.replace('/v1/', '/v1//'),
    (path) => `/health/..${path}`,
    (path) => `/docs/%2e%2e${path}`,
    (path) => `/docs/..%2f..${path}`,
    (path) => path.replace(/[a-z](?=[a-z-]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    (path) => `${path};x=1`,
    (path) => `${path}%00`,
    (path) => `${path}%2f`,
    (path) => `${path}#/health`,
    (path) => `${path}?/health`,
    (path) => `http://127.0.0.1${path}`,
    (path) => path.replaceAll('/', '\\'),
  ]
  test('no disguise of it lets anybody in without a token', async () => {
    for (const { method, path, row } of guarded)
      for (const disguise of disguises) {
        const body = method === 'GET' || method === 'DELETE' ? '' : '{}'
        const head = `Host: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
        const { status, text } = await sendRaw(
          world.url,
          `${method} ${disguise(path)} HTTP/1.1\r\n${head}\r\n\r\n${body}`,
        )
        assert.ok([400, 401, 404, 405].includes(status), `${row} as ${disguise(path)}: ${status} ${text}`)
      }
  })

  test('no header says which method or address is meant', async () => {
    const { token } = await world.home.as('viewer')
    const caller = world.caller(token)
    for (const headers of [
      { 'x-http-method-override': 'POST' },
      { 'x-http-method': 'POST' },
      { 'x-method-override': 'POST' },
      { 'x-original-url': '/api/v1/admin/analytics' },
      { 'x-rewrite-url': '/api/v1/admin/analytics' },
    ]) {
      const { status, body } = await caller.get('/api/v1/spaces', headers)
      assert.deepEqual([status, Object.keys(body).sort()], [200, ['has_more', 'next_cursor', 'spaces']])
    }
    assert.equal((await caller.post('/api/v1/spaces?_method=GET', { name: 'X' })).status, 403)
  })
})

/** Routes of pages: the console, the documentation and the problem pages. */
const beside = [
  // The drawing leaves out what stands before the star of the console's files, if nothing else begins like it.
  ...['/assets*', '/assets/*', '/*'],
  ...[
    '/console.json',
    '/docs',
    '/docs/*',
    '/docs/reference',
    '/docs/reference.js',
    '/docs/reference.css',
    '/docs*',
    '/llms.txt',
    '/llms-full.txt',
    '/docs/assets/*',
    '/problems/:',
  ],
  '/.well-known/oauth-protected-resource/mcp',
  ...consolePaths.map(plain),
].map((path) => `GET ${path}`)

suite('routes beside the table', () => {
  test('are pages and their parts', async () => {
    const app = await openApp(world.resources)
    try {
      await app.ready()
      const served = routesIn(app.printRoutes({ commonPrefix: false }))
      const table = new Set(Object.keys(permissionTable).map(plain))
      const unknown = served.filter((route) => !table.has(route) && !beside.includes(route))
      assert.deepEqual(unknown, [], 'a route without a row and without a reason')
      assert.ok(!app.hasRoute({ method: 'GET', url: '/*' }), 'nothing answers for every address')
      for (const row of table) assert.ok(served.includes(row), `${row} is in the table and not served`)
    } finally {
      await app.close()
    }
  })

  test('the roles that exist are those of the table', () => {
    assert.deepEqual(Object.keys(rolePermissions).sort(), [...roles].sort())
    for (const role of roles)
      for (const permission of rolePermissions[role])
        assert.ok([...known, ...ofMembers].includes(permission), `${role}: ${permission}`)
  })
})

/** Parameters without their names. */
function plain(route: string): string {
  return route.replace(/:\w+(\|:\w+)*/g, ':')
}

/** The routes of Fastify's tree as a list. */
function routesIn(tree: string): string[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const found = /^((?:[│ ] {3})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line)
    if (!found) return []
    const depth = found[1]!.length / 4
    above.splice(depth, above.length, found[2]!)
    const methods = found[3]?.split(', ').filter((method) => method !== 'HEAD') ?? []
    return methods.map((method) => plain(`${method} ${above.join('')}`))
  })
}
