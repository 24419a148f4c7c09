import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectProblem } from '../expect.ts'
import { openPopulatedWorld, type PopulatedWorld } from '../populated-world.ts'
import { operations, resolveSchema, type Operation, type Schema } from '../operations.ts'

/**
 * Members of a record that are not for callers to write, sent all the same: refused by name, or passed over where the
 * contract says that they are read only. The row stays as it was.
 */

let onslaught: PopulatedWorld
/** The columns of all tables, which an attacker who knows the source would try. */
let columns: string[]

before(async () => {
  onslaught = await openPopulatedWorld()
  const owner = openOwner(onslaught.world.databaseUrl)
  const [found] = await owner.pipelined({ orgId: null }, [
    sql<{ name: string }>`select distinct column_name as name from information_schema.columns
      where table_schema = 'public' order by 1`,
  ])
  columns = (found as { name: string }[]).map(({ name }) => name)
  await owner.close()
})
after(() => onslaught[Symbol.asyncDispose]())

const writes = operations.filter(({ body }) => body)
/** The schema of the record in the response of an operation. */
const recordOf = ({ responses }: Operation): Record<string, Schema> => {
  const answer = (responses['200'] ?? responses['201'])?.content?.['application/json']?.schema
  const members = Object.values(answer ? (resolveSchema(answer).properties ?? {}) : {})
  return Object.assign({}, ...members.map((schema) => resolveSchema(schema).properties ?? {})) as Record<
    string,
    Schema
  >
}

/** Members that the contract shows in a body only to say that a change may repeat them. */
const isPassedOver = ({ body }: Operation, name: string) => {
  const schema = body!.properties![name]
  return schema !== undefined && /^Read only/.test(String(schema['description'])) && schema.type === undefined
}

const values: Record<string, unknown> = {
  id: randomUUID(),
  version: 99,
  created_at: '2001-01-01T00:00:00.000Z',
  createdAt: '2001-01-01T00:00:00.000Z',
  json: '{}',
  status: 'succeeded',
}
const magic = [
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'isAdmin',
  'is_admin',
  '$set',
  'role',
  'permissions',
]

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

suite('members that are not for callers', () => {
  for (const operation of writes)
    test(operation.name, async () => {
      const stated = operation.body!.properties ?? {}
      const names = new Set([
        ...Object.keys(recordOf(operation)),
        ...columns,
        ...columns.map(camel),
        ...magic,
      ])
      const fitting = onslaught.fitting(operation)
      // Some are taken in either spelling.
      const forbidden = [...names].filter((name) => !(name in stated) && !(camel(name) in stated))
      // All at once: each of them must be named, but for those beyond the fifty that an answer names.
      for (let at = 0; at < forbidden.length; at += 40) {
        const some = forbidden.slice(at, at + 40)
        const body = { ...fitting, ...Object.fromEntries(some.map((name) => [name, values[name] ?? 'x'])) }
        const reply = await onslaught.send(operation, JSON.stringify(body))
        expectProblem(reply, 400, 'validation-error', ...some.map((name) => `/${name}`))
      }
      const polluted = JSON.stringify(fitting).replace(/^\{/, '{"__proto__":{"org_id":"x"},')
      expectProblem(await onslaught.send(operation, polluted), 400, 'malformed-json')
    })

  for (const operation of writes.filter((one) =>
    Object.keys(one.body!.properties!).some((name) => isPassedOver(one, name)),
  ))
    test(`${operation.name} refuses another identity, and writes nothing else that is read only`, async () => {
      const { world, send, fitting } = onslaught
      const readOnly = Object.keys(operation.body!.properties!).filter((name) =>
        isPassedOver(operation, name),
      )
      const identity = { id: randomUUID(), org_id: world.away.id }
      for (const [name, value] of Object.entries(identity)) {
        const reply = await send(operation, JSON.stringify({ ...fitting(operation), [name]: value }))
        expectProblem(reply, 400, 'validation-error', `/${name}`)
      }
      const others = readOnly.filter((name) => !(name in identity))
      const strange = Object.fromEntries(others.map((name) => [name, values[name] ?? 'of my own']))
      const before = await recordAt(operation)
      const reply = await send(operation, JSON.stringify({ ...fitting(operation), ...strange }))
      const isRefused = reply.body.errors?.[0]?.code === 'read_only'
      // What is needed by it may clash with what is there: then nothing is made, and nothing is changed.
      assert.ok(reply.status < 300 || reply.status === 409 || reply.status === 422 || isRefused, reply.text)
      const after = reply.status < 300 ? first(reply.body) : await recordAt(operation)
      for (const name of others) {
        if (after) assert.notDeepEqual(after[name], strange[name], name)
        if (after && before && isFixed(name)) assert.deepEqual(after[name], before[name], name)
      }
    })
})

/** Members that no update changes. */
const isFixed = (name: string) =>
  /^(id|org_id|created_?at|createdAt|source|externalId|external_id)$/.test(name)

const first = (body: Record<string, Record<string, unknown>>) => Object.values(body)[0]

async function recordAt(operation: Operation) {
  if (!operation.path.endsWith('{id}')) return undefined
  return first((await onslaught.owner.get(onslaught.pathOf(operation))).body)
}
