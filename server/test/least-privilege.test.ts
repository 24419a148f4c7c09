import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { before, suite, test } from 'node:test'
import { grants, roleGrants } from '#http/role-grants.ts'
import { permissionTable, rolePermissions, roles, type Role } from '#http/permissions.ts'
import * as clientOperations from '../../client/src/contract/operations.gen.ts'
import type { TestCaller } from './caller.ts'
import { expectProblem, expectStatus } from './expect.ts'
import { ada, stay, type Stays } from './guest-stays.ts'
import { shareWorld } from './share-world.ts'

/** What viewers and the desk are not shown: raw messages, money, and how a guest is reached. */

const { world, owner } = shareWorld({ workers: true })
let stays: Stays
before(async () => {
  stays = await stay(world, owner)
  world.defer(() => stays.receiver.close())
})

/** Members for callers who may contact guests; every role sees the name and the nights. */
const contacts = /quax@|912\s*777\s*333|912777333|quaxroom|quax-4711/i
const apiPaths = Object.keys(permissionTable)
  .filter(
    (row) => row.startsWith('GET /api/v1/') && !row.endsWith('/openapi.json') && !row.endsWith('/stream'),
  )
  .map((row) => row.slice(4))

/** Every list and, of each, the records one by one, as far as this caller may read. */
async function everythingRead(caller: TestCaller): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const path of apiPaths.filter((path) => !path.includes(':'))) {
    const reply = await caller.get(`${path}?limit=100`)
    if (reply.status !== 200) continue
    found.set(path, reply.text)
    const [records] = Object.values(reply.body as Record<string, unknown>)
    if (!Array.isArray(records) || !apiPaths.includes(`${path}/:id`)) continue
    for (const { id } of records as { id: string }[]) {
      const one = await caller.get(`${path}/${id}`)
      assert.equal(one.status, 200, `${path}/${id}: ${one.text}`)
      found.set(`${path}/${id}`, one.text)
    }
  }
  return found
}

const withClaims = (permissions: string[]) => world.home.as('service', { permissions })
const bookingPath = () => `/api/v1/bookings/${stays.direct.id}`

suite('a viewer', () => {
  test('reads no way to contact a guest, wherever it looks', async () => {
    const shown = await everythingRead(await world.home.as('viewer'))
    for (const path of ['/api/v1/bookings', '/api/v1/booking-conflicts', '/api/v1/alerts'])
      assert.ok(shown.has(path), path)
    // What a colleague wrote as the reason of a block stands in the history for everybody.
    shown.delete('/api/v1/sync/audit')
    for (const [path, text] of shown) assert.doesNotMatch(text, contacts, path)
    assert.match((await everythingRead(owner)).get('/api/v1/bookings')!, contacts)
  })

  test('sees names and nights of guests, and null for their contact data', async () => {
    const viewer = await world.home.as('viewer')
    const { booking } = expectStatus(await viewer.get(bookingPath()), 200)
    const whole = expectStatus(await owner.get(bookingPath()), 200).booking
    assert.deepEqual(booking, { ...whole, guestEmail: null, guestPhone: null, notes: null })
    assert.equal(booking.guestName, ada.name)
    const { bookings } = expectStatus(await viewer.get('/api/v1/bookings?limit=100'), 200)
    assert.deepEqual(
      bookings.find(({ id }: { id: string }) => id === stays.direct.id),
      booking,
    )
    const { booking_conflicts } = expectStatus(await viewer.get('/api/v1/booking-conflicts'), 200)
    assert.equal(booking_conflicts[0].booking.guestEmail, null)
    assert.equal(booking_conflicts[0].booking.id, 'PMS-QX-2')
  })
})

suite('viewers and the desk', () => {
  const forManagers = [
    '/api/v1/payment-intents',
    '/api/v1/refunds',
    '/api/v1/webhook-messages',
    '/api/v1/webhook-endpoints',
    '/api/v1/webhook-deliveries',
    '/api/v1/events',
    '/api/v1/notifications',
    '/api/v1/notification-preferences',
    '/api/v1/guest-erasures',
    '/api/v1/admin/analytics',
  ]
  for (const path of forManagers)
    test(`get 403 for ${path}, which a manager or owner reads`, async () => {
      for (const role of ['viewer', 'staff'] as const)
        expectProblem(await (await world.home.as(role)).get(path), 403, 'forbidden')
      assert.equal((await owner.get(path)).status, 200)
    })

  test('do not read the addresses of colleagues in the settings of the organization', async () => {
    const preferences = { emails: ['office@casa.example'], phones: ['+351912000111'] }
    expectStatus(await owner.put('/api/v1/notification-preferences', preferences), 200)
    const path = `/api/v1/organizations/${world.home.id}`
    for (const role of ['viewer', 'staff'] as const) {
      const caller = await world.home.as(role)
      for (const reply of [await caller.get(path), await caller.get('/api/v1/organizations')]) {
        expectStatus(reply, 200)
        assert.doesNotMatch(reply.text, /office@casa|912000111/)
        assert.match(reply.text, /default_currency/)
      }
    }
    assert.match((await owner.get(path)).text, /office@casa/)
  })
})

suite('the desk', () => {
  test('reaches the guest, and finds and changes the stay', async () => {
    const staff = await world.home.as('staff')
    const { booking } = expectStatus(await staff.get(bookingPath()), 200)
    assert.deepEqual([booking.guestPhone, booking.notes], [ada.phone, ada.notes])
    const changed = expectStatus(await staff.patch(bookingPath(), { guests: 1 }), 200).booking
    assert.equal(changed.guestPhone, ada.phone)
  })
})

suite('a token that names its permissions', () => {
  test('shows contact data to callers who may contact guests or write bookings', async () => {
    const phoneSeen = async (permissions: string[]) =>
      expectStatus(await (await withClaims(permissions)).get(bookingPath()), 200).booking.guestPhone
    assert.equal(await phoneSeen(['bookings:read']), null)
    assert.equal(await phoneSeen(['bookings:read', 'guest_contacts:read']), ada.phone)
    // Else a record that is read and sent back would lose them.
    assert.equal(await phoneSeen(['bookings:read', 'bookings:write']), ada.phone)
  })
})

suite('the console', () => {
  const console = resolve(import.meta.dirname, '../../console/src')
  const sources = readdirSync(console, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(resolve(console, name), 'utf8'))
  const asked = Object.entries(clientOperations)
    .filter(([name]) => sources.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
    .map(([, { method, path }]) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`)
  // Screens, and parts of them, that are hidden from people without the permission.
  const hidden = [
    ...['analytics:read', 'audit:read', 'events:read', 'members:read', 'notifications:read', 'payments:read'],
    ...['webhooks:read', 'webhook_messages:read', 'notifications:write', 'bookings:write', 'imports:read'],
    ...['exports:read', 'exports:write', 'guests:read', 'guests:write'],
  ]
  const mayAll = (role: Role, method: RegExp) =>
    asked
      .filter((row) => method.test(row))
      .filter((row) => {
        const needed: string = permissionTable[row as keyof typeof permissionTable]
        return needed.includes(':') && !hidden.includes(needed) && !rolePermissions[role].includes(needed)
      })

  test('is read by every role, and changed by managers', () => {
    assert.ok(asked.length > 8, asked.join())
    for (const role of ['owner', 'admin', 'manager', 'staff', 'viewer'] as const)
      assert.deepEqual(mayAll(role, /^GET /), [], role)
    for (const role of ['owner', 'admin', 'manager'] as const) assert.deepEqual(mayAll(role, /./), [], role)
  })
})

suite('the table of roles', () => {
  test('gives a reason for each cell', () => {
    for (const [permission, { minRole, reason, whyNotLower }] of Object.entries(grants)) {
      assert.ok(reason.length > 20, permission)
      assert.equal(whyNotLower === null, minRole === 'viewer', `${permission}: why others do not have it`)
      if (minRole === 'service')
        for (const role of roles)
          assert.ok(!rolePermissions[role].includes(permission), `${role}: ${permission}`)
    }
    for (const role of roles) assert.ok(roleGrants[role].length > 20, role)
  })

  test('each role has the permissions of the roles below it', () => {
    const ladder = ['viewer', 'staff', 'manager', 'admin', 'owner'] as const
    ladder.forEach((role, at) => {
      for (const below of ladder.slice(0, at))
        for (const permission of rolePermissions[below])
          assert.ok(rolePermissions[role].includes(permission), `${role}: ${permission}`)
    })
    assert.deepEqual(rolePermissions.service, [])
  })
})
