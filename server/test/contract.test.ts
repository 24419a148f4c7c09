import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { buildOpenApiDocument } from './openapi-document.ts'
import { eventTypes } from '#features/messaging/events/event.ts'
import type { TestCaller } from './caller.ts'
import { assertConforms, eventConforms, operationOf, seenStatuses } from './contract-conformance.ts'
import { exerciseBookings } from './exercise-bookings.ts'
import { exerciseOperations } from './exercise-operations.ts'
import { exerciseInventory } from './exercise-inventory.ts'
import { contract, operations } from './operations.ts'
import { unknownId } from './records.ts'
import { openWorld, type World } from './world.ts'

let world: World
let owner: TestCaller

before(async () => {
  world = await openWorld({ workers: true })
  owner = await world.home.as('owner')
})
after(() => world[Symbol.asyncDispose]())

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  // A text is a file.
  const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof FormData)
  const reply = await owner.send(method, path, {
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
  })
  return assertConforms(operationOf(method, path), reply)
}

test('openapi.json is current: else run npm run contract', async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await buildOpenApiDocument())), contract)
})

test('openapi.json is smaller than 620 KB', () => {
  const { size } = statSync(new URL('../../openapi.json', import.meta.url))
  const advice = 'Share members that repeat: sharedMembers in http/openapi-components.ts.'
  assert.ok(size < 620_000, `It has ${size} bytes. ${advice}`)
})

suite('every response is in the contract', () => {
  test('all operations on records', async () => {
    const stock = await exerciseInventory({ world, owner, ask })
    await exerciseBookings({ world, owner, ask, linked: stock.linked })
    await exerciseOperations({ world, owner, ask })
    await world.settled()
    for (const { path, queryParameters } of operations.filter(
      ({ method, isStream }) => method === 'GET' && !isStream,
    )) {
      if (path.includes('{')) continue
      // What must be asked with something has been, and everybody can ask it without.
      if (queryParameters.some(({ required }) => required)) {
        await ask('GET', path)
        continue
      }
      const isList = queryParameters.some(({ name }) => name === 'cursor')
      const reply = await ask('GET', isList ? `${path}?limit=1` : path)
      if (!isList) continue
      await ask('GET', `${path}?limit=100`)
      await ask('GET', `${path}?limit=0`)
      await ask('GET', `${path}?cursor=AAAA`)
      const [record] = Object.values(reply.body)[0] as { id?: string }[]
      if (!record?.id || path.endsWith('/audit')) continue
      const shown = await ask('GET', `${path}/${record.id}`)
      await ask('GET', `${path}/${record.id}`, undefined, { 'if-none-match': shown.headers.get('etag')! })
      await ask('GET', `${path}/${unknownId}`)
    }
    const { body } = await ask('GET', `/api/v1/sync/status/${stock.linked.listingId}`)
    assert.equal(body.status, 'failed', 'an answer with an error is among those that were looked at')
    await stock.end()
  })

  test('every event', async () => {
    const types = new Set<string>()
    // Of this type the life above plants one by hand, without data, to have a delivery of it.
    const wanted = eventTypes.filter((type) => type !== 'target.error').map((type) => `&types=${type}`)
    for (let page = { next_cursor: '', has_more: true }; page.has_more;) {
      const after = page.next_cursor && `&after=${page.next_cursor}`
      const reply = await owner.get(`/api/v1/events?limit=100${wanted.join('')}${after}`)
      page = reply.body
      for (const event of reply.body.events) {
        eventConforms(event)
        types.add(event.type)
      }
    }
    for (const type of [
      'booking.created',
      'booking.updated',
      'payment.succeeded',
      'unit.updated',
      'sync.failed',
    ])
      assert.ok(types.has(type), `no ${type} was looked at`)
  })

  test('other organizations and signed-out callers', async () => {
    const person = owner
    for (const caller of [world.caller(null), await world.home.as('service')]) {
      owner = caller
      for (const { method, path, isStream } of operations)
        if (!isStream && path !== '/api/v1/auth/logout')
          await ask(
            method,
            path.replace(/\{\w+\}/g, unknownId),
            ['GET', 'DELETE'].includes(method) ? undefined : {},
          )
    }
    owner = await world.home.as('viewer')
    await ask('POST', '/api/v1/auth/logout')
    await ask('POST', '/api/v1/auth/logout')
    owner = person
  })

  test('every operation succeeded once', () => {
    const unseen = operations.filter(
      ({ name, isStream }) =>
        !isStream && ![...(seenStatuses.get(name) ?? [])].some((status) => status.startsWith('2')),
    )
    assert.deepEqual(
      unseen.map(({ name }) => name),
      [],
    )
  })
})
