import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Reply } from './caller.ts'
import { expectProblem } from './expect.ts'
import { openPopulatedWorld, type PopulatedWorld } from './populated-world.ts'
import { inSnakeCase, operations, resolveSchema, type Operation, type Schema } from './operations.ts'
import { unknownId } from './records.ts'

// Invalid bodies are refused by every operation, have no effect, and every list still works.

let onslaught: PopulatedWorld
let listsBefore: Record<string, string>

before(async () => {
  onslaught = await openPopulatedWorld()
  listsBefore = await onslaught.everyList()
})
after(async () => {
  await using thrownAt = onslaught
  assert.deepEqual(await thrownAt.everyList(), listsBefore, 'a refused request had an effect')
})

const writes = operations.filter(({ body }) => body)
const send = (...sent: Parameters<PopulatedWorld['send']>) => onslaught.send(...sent)
const fitting = (operation: Operation) => onslaught.fitting(operation)

const unreadable: [string, string][] = [
  ['half of it', '{"name":'],
  ['no JSON', 'name=x'],
  ['a lone surrogate', '{"name":"\\ud800"}'],
  ['a lone surrogate as a key', '{"\\udc00":1}'],
  ['U+0000', '{"name":"\\u0000"}'],
  ['U+0000 as a key', '{"\\u0000":1}'],
  ['1e400', '{"base_price_cents":1e400}'],
  ['__proto__', '{"__proto__":{"name":"x"}}'],
  ['10,000 levels', '['.repeat(10_000) + ']'.repeat(10_000)],
]

const otherwise = ['text', '', 'x\n', 5, -1, 0.5, 1e20, true, null, [], {}, [null], { a: 1 }, ['text']]

const mayBeEmpty = ({ body }: Operation) => !body!.required?.length && !body!['minProperties']

/** Values that a member of this schema cannot have. */
function wrongFor(schema: Schema): unknown[] {
  if (schema.enum) return otherwise
  if (schema.type === 'string' && schema.format) return ['', 'x', 'infinity', '300000-01-01', 5, true, [], {}]
  if (schema.type === 'string') return [5, true, [], {}, 'x'.repeat(Number(schema['maxLength']) + 1)]
  if (schema.type === 'integer' || schema.type === 'number')
    return [
      ...['1', '', true, null, [], {}, (schema.minimum ?? 0) - 1, 2 ** 53 + 2, 1e300, -1e-7],
      ...(schema.format === 'int64' ? [] : [2 ** 31]),
      ...(schema.type === 'integer' || schema['multipleOf'] ? [0.3] : []),
    ]
  if (schema.type === 'array') return ['x', 5, null, {}, [5], [null], [[]], ['x', 'x'], [' ']]
  if (schema.type === 'object') return ['x', 5, [], { nobody_knows: 1 }]
  return []
}

/** Members that exclude each other: an example with one would hide the error of another. */
const withoutOptionalIds = (operation: Operation) =>
  Object.fromEntries(
    Object.entries(fitting(operation)).filter(([name]) => {
      const { properties, required = [], example = {} } = operation.body!
      const isId = resolveSchema(properties![name]!).format === 'uuid'
      return !isId || required.includes(name) || !Object.hasOwn(example as object, name)
    }),
  )

suite('bad input: bodies', () => {
  for (const operation of writes) {
    test(`${operation.name} refuses what cannot be read`, async () => {
      for (const [, body] of unreadable) expectProblem(await send(operation, body), 400, 'malformed-json')
      for (const body of ['null', '[]', '"x"', '0', '[{}]', '', ...(mayBeEmpty(operation) ? [] : ['{}'])])
        expectProblem(await send(operation, body), 400, 'validation-error')
      expectProblem(await send(operation, ' '.repeat(1_048_577)), 413, 'payload-too-large')
    })

    test(`${operation.name} refuses other content types and encodings`, async () => {
      const body = JSON.stringify(fitting(operation))
      for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x'])
        expectProblem(await send(operation, body, { 'content-type': type }), 415, 'unsupported-media-type')
      const zipped = new Uint8Array(gzipSync(body))
      expectProblem(
        await send(operation, zipped, { 'content-encoding': 'gzip' }),
        415,
        'unsupported-media-type',
      )
    })

    test(`${operation.name} refuses what it does not know, and points at it`, async () => {
      for (const name of ['nobody_knows', 'constructor', 'toString', '', 'na/me~', 'ID', '$where']) {
        const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        const body = JSON.stringify({ ...fitting(operation), [name]: 1 })
        expectProblem(await send(operation, body), 400, 'validation-error', pointer)
      }
    })

    test(`${operation.name} refuses every member of a wrong kind or out of range, and points at it`, async () => {
      for (const [name, found] of Object.entries(operation.body!.properties!)) {
        const schema = resolveSchema(found)
        for (const value of wrongFor(schema)) {
          if (value === null && schema['nullable']) continue
          const reply = await send(operation, JSON.stringify({ ...fitting(operation), [name]: value }))
          expectProblem(reply, 400, 'validation-error')
          assert.ok(
            reply.body.errors.some(({ pointer }: { pointer: string }) => pointer.startsWith(`/${name}`)),
            `${name} ${JSON.stringify(value)}: ${reply.text}`,
          )
        }
      }
    })

    test(`${operation.name} takes no id that is unknown or of another organization`, async () => {
      for (const [name, found] of Object.entries(operation.body!.properties!)) {
        if (resolveSchema(found).format !== 'uuid') continue
        const [unknown, foreign] = await Promise.all(
          [unknownId, onslaught.foreignIds[inSnakeCase(name)]].map((id) =>
            send(operation, JSON.stringify({ ...withoutOptionalIds(operation), [name]: id })),
          ),
        )
        if (unknown!.status === 404) expectProblem(unknown!, 404, 'not-found')
        else expectProblem(unknown!, 422, unknown!.body.code, `/${name}`)
        assert.deepEqual(
          likeness(foreign!),
          likeness(unknown!),
          `${name}: a foreign id looks like an unknown one`,
        )
      }
    })
  }
})

/** A refusal without the ids in it, to compare two of them. */
const likeness = ({ status, body }: Reply) => [status, body.code, body.errors]
