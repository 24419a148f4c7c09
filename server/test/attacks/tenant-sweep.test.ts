import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { permissionTable, roles, type Role } from '#http/permissions.ts'
import type { Reply, TestCaller } from '../caller.ts'
import {
  queryUrl,
  bodyFor,
  fillPath,
  operations,
  referencesIn,
  resolveSchema,
  withReference,
  type Operation,
  type Schema,
} from '../operations.ts'
import { picture } from '../uploads.ts'
import { isUpload } from './drawn-requests.ts'
import { collections, idIn, openTwoOrganizations, type TwoOrganizations } from './two-organizations.ts'

/**
 * Every operation of the contract, with every reference that it takes: what belongs to others is answered exactly as
 * what does not exist.
 */

let organizations: TwoOrganizations
const asRole = new Map<string, TestCaller>()

const everyPermission = [...new Set(Object.values(permissionTable))].filter((one) => one.includes(':'))
const callers: [string, Role, object][] = [
  ...roles.map((role): [string, Role, object] => [role, role, {}]),
  ['service that may everything', 'service', { permissions: everyPermission }],
]

before(async () => {
  organizations = await openTwoOrganizations()
  for (const [name, role, claims] of callers)
    asRole.set(name, await organizations.world.home.as(role, { ...claims }))
})
after(() => organizations[Symbol.asyncDispose]())

/** The owner, and for each operation another one: what a role may do is checked before anything is read. */
const callersOf = (operation: Operation) => {
  const [first, ...others] = [...asRole]
  return [first!, others[operations.indexOf(operation) % others.length]!]
}
const swept = operations.filter(({ permission }) => permission !== 'none')
const ours = (name: string, path: string) => idIn(organizations.ours, name, path)
const theirs = (name: string, path: string) => idIn(organizations.theirs, name, path)
const placed = ({ path, pathParameters }: Operation, address = path) =>
  pathParameters.length > 0 ? fillPath(address, ours(pathParameters[0]!.name, path)) : address

interface Asking {
  path: string
  body?: object | null | undefined
  form?: Record<string, string>
  headers?: Record<string, string>
}

async function ask(caller: TestCaller, operation: Operation, { path, body, form, headers = {} }: Asking) {
  if (isUpload(operation)) {
    const sent = new FormData()
    for (const [name, value] of Object.entries(form ?? {})) sent.append(name, value)
    sent.append('file', new Blob([new Uint8Array(await picture())], { type: 'image/jpeg' }), 'a.jpg')
    return caller.send('POST', path, { body: sent, headers })
  }
  return caller.send(operation.method, path, {
    ...(body && { body: JSON.stringify(body) }),
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
  })
}

/** A valid body with our own ids. A PATCH names at least one member. */
function payloadFor({ body, path }: Operation): Record<string, unknown> | null {
  if (!body) return null
  const payload = bodyFor(body, (name) => ours(name, path))
  return isChange(body) ? { name: 'Taken over', ...payload } : payload
}
const isChange = ({ properties = {}, required = [] }: Schema) => required.length === 0 && 'name' in properties

const volatile = /^(date|etag|location|x-request-id|x-ratelimit-.*|ratelimit.*|server-timing)$/

/** The response without the requested id and without members that are new in every response. */
function comparable({ status, headers, text }: Reply, id: string): object {
  const known = Object.fromEntries([...headers].filter(([name]) => !volatile.test(name)))
  const request = headers.get('x-request-id')!
  const plain = text.replaceAll(request, '<request>').replaceAll(id, '<id>')
  // What a request creates has a time and an id of its own.
  return { status, headers: known, text: plain.replace(/"(id|created_at|updated_at)":"[^"]*"/g, '') }
}

/** Sends both requests for each of the callers; returns the response to the owner. */
async function alike(
  what: string,
  theirId: string,
  inTheNameOf: [string, TestCaller][],
  asking: (caller: TestCaller, id: string) => Promise<Reply>,
) {
  const replies: Reply[] = []
  for (const [role, caller] of inTheNameOf) {
    const unknown = randomUUID()
    const [withTheirs, withUnknown] = [await asking(caller, theirId), await asking(caller, unknown)]
    assert.deepEqual(comparable(withTheirs, theirId), comparable(withUnknown, unknown), `${role}: ${what}`)
    replies.push(withTheirs)
  }
  return replies[0]!
}

suite('ids in paths', () => {
  for (const operation of swept.filter(({ pathParameters }) => pathParameters.length > 0))
    test(operation.name, async () => {
      const { path, pathParameters, method } = operation
      assert.equal(pathParameters.length, 1, 'teach the sweep to fill in several')
      const id = theirs(pathParameters[0]!.name, path)
      const body = payloadFor(operation)
      const etag = (await organizations.there.get(fillPath(path, id))).headers.get('etag') ?? '"1.x"'
      const conditions = [{ 'if-match': '*' }, { 'if-match': etag }, { 'if-none-match': etag }]
      for (const headers of [{}, ...conditions, { 'idempotency-key': randomUUID() }]) {
        const asking = (caller: TestCaller, one: string) =>
          ask(caller, operation, { path: fillPath(path, one), body, headers })
        const reply = await alike(JSON.stringify(headers), id, callersOf(operation), asking)
        assert.deepEqual([reply.status, reply.body.code], [404, 'not-found'], reply.text)
      }
      const head = (caller: TestCaller, one: string) => caller.send('HEAD', fillPath(path, one), {})
      if (method === 'GET') await alike('HEAD', id, callersOf(operation), head)
    })
})

suite('references in bodies', () => {
  for (const operation of swept)
    for (const name of operation.body ? referencesIn(operation.body) : [])
      test(`${operation.name}: ${name}`, async () => {
        const { path, body } = operation
        const payload = payloadFor(operation)!
        const theirId = theirs(name.split('/').at(-1)!, path)
        const reply = await alike(name, theirId, callersOf(operation), (caller, id) =>
          ask(caller, operation, {
            path: placed(operation),
            body: withReference(body!, payload, name, id, (one) => ours(one, path)),
          }),
        )
        // An export or erasure of an unknown guest succeeds and finds nothing.
        const isOfGuests = path.startsWith('/api/v1/guest-')
        assert.ok([404, 422].includes(reply.status) || (isOfGuests && reply.status < 300), reply.text)
      })

  for (const operation of swept.filter(isUpload))
    test(`${operation.name}: unit_id of the form`, async () => {
      const id = theirs('unit_id', operation.path)
      const reply = await alike('unit_id', id, callersOf(operation), (caller, unit_id) =>
        ask(caller, operation, { path: placed(operation), form: { unit_id } }),
      )
      assert.ok([404, 422].includes(reply.status), reply.text)
    })
})

// What an upload refers to is tested with it.
suite('filters', () => {
  const isReference = (found: Schema) => {
    const schema = resolveSchema(found)
    return schema.format === 'uuid' || (schema['items'] as Schema | undefined)?.format === 'uuid'
  }
  for (const operation of swept.filter(({ method }) => method === 'GET'))
    for (const { name } of operation.queryParameters.filter(({ schema }) => isReference(schema)))
      test(`${operation.name}: ${name}`, async () => {
        const id = name === 'org_id' ? organizations.world.away.id : theirs(name, operation.path)
        const reply = await alike(name, id, callersOf(operation), (caller, one) =>
          ask(caller, operation, { path: placed(operation, queryUrl(operation.path, `${name}=${one}`)) }),
        )
        // A table has its heads.
        const found = reply.body ? Object.values(reply.body)[0] : reply.text.trimEnd().split('\r\n').slice(1)
        // A change of one's own shows the nights of their unit: none.
        const shown =
          operation.name === 'GET /api/v1/calendar-changes/{id}'
            ? (found as { ranges: object[] }).ranges
            : found
        // A preview counts what would be stopped: nothing.
        if (operation.name === 'GET /api/v1/sales-stops/preview')
          assert.ok(
            Object.values(shown as Record<string, number>).every((count) => count === 0),
            reply.text,
          )
        else if (reply.status === 200) assert.deepEqual(shown, [])
        else assert.ok([404, 422].includes(reply.status), reply.text)
      })
})

suite('cursors', () => {
  for (const { path } of collections)
    test(`GET ${path}`, async () => {
      // There is one organization in the list of organizations, so that its cursor is of another list.
      const list = path === '/api/v1/organizations' ? '/api/v1/accounts' : path
      const { headers } = await organizations.there.get(queryUrl(list, 'limit=1'))
      const stolen = /cursor=([^&>]+)/.exec(headers.get('link') ?? '')?.[1]
      assert.ok(stolen, 'the other has no second page')
      for (const [role, caller] of asRole) {
        const withTheirs = await caller.get(queryUrl(path, `limit=1&cursor=${stolen}`))
        const withNone = await caller.get(queryUrl(path, 'limit=1&cursor=AAAA'))
        assert.deepEqual(comparable(withTheirs, stolen), comparable(withNone, stolen), role)
        if (role === 'owner')
          assert.deepEqual([withTheirs.status, withTheirs.body.code], [400, 'invalid-cursor'])
      }
    })
})

suite('what is shown without a reference', () => {
  for (const operation of swept.filter(
    ({ method, path, isStream }) => method === 'GET' && !path.includes('{') && !isStream,
  ))
    test(operation.name, async () => {
      for (const [role, caller] of asRole) {
        const { text } = await caller.get(queryUrl(operation.path, 'limit=100'))
        for (const id of [
          organizations.world.away.id,
          organizations.world.away.accountId,
          ...organizations.theirs.values(),
        ])
          assert.ok(!text.includes(id), `${role} is shown ${id}`)
      }
    })
})

test('nothing of the other was changed by all of this', () => organizations.nothingChanged())

// Last, because the other organization is changed too.
suite('Idempotency-Keys', () => {
  for (const operation of swept.filter(({ headerParameters }) =>
    headerParameters.some(({ name }) => name === 'Idempotency-Key'),
  ))
    test(operation.name, async () => {
      const { path, pathParameters, body } = operation
      const place = pathParameters.length > 0 ? fillPath(path, theirs(pathParameters[0]!.name, path)) : path
      const theirBody = body && bodyFor(body, (name) => theirs(name, path))
      for (const [role, caller] of callersOf(operation)) {
        const headers = { 'idempotency-key': randomUUID() }
        const first = await ask(organizations.there, operation, { path: place, body: theirBody, headers })
        assert.ok(first.status < 500, first.text)
        const asking = { path: placed(operation), body: payloadFor(operation), headers }
        const reply = await ask(caller, operation, asking)
        assert.equal(reply.headers.get('idempotent-replayed'), null, `${role}: ${reply.text}`)
        assert.ok(!String(reply.body?.code).startsWith('idempotency'), `${role}: ${reply.text}`)
        for (const id of [organizations.world.away.id, ...organizations.theirs.values()])
          assert.ok(!reply.text.includes(id), `${role}: ${reply.text}`)
      }
    })
})
