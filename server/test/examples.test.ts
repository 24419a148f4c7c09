import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { matchesRequestSchema } from './contract-conformance.ts'
import { openPopulatedWorld, type PopulatedWorld } from './populated-world.ts'
import { operations, type Operation } from './operations.ts'

/** The examples of the contract are bodies that the running service takes, and so are those of the README. */

let populated: PopulatedWorld

before(async () => {
  populated = await openPopulatedWorld()
})
after(() => populated[Symbol.asyncDispose]())

const writes = operations.filter(({ body }) => body)

suite('examples of bodies', () => {
  for (const operation of writes)
    test(operation.name, async () => {
      const example = operation.body!['example']
      assert.ok(example, 'it has none')
      assert.ok(matchesRequestSchema(operation, example), 'its own schema refuses it')
      const reply = await populated.send(operation, JSON.stringify(populated.fitting(operation)))
      // What the record is like may stand against it; the body itself must not. Nothing is imported from a generic PMS.
      const refusals = operation.name === 'POST /api/v1/imports' ? [409, 422] : [409]
      assert.ok(reply.status < 400 || refusals.includes(reply.status), `${reply.status}: ${reply.text}`)
    })
})

test('the bodies of the README are what the contract states', () => {
  const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const found = [
    ...text.matchAll(/call (?:-X (\w+) )?"\$API(\/[^"?]+)" -d (?:'([^']*)'|"((?:[^"\\]|\\.)*)")/g),
  ]
  assert.ok(found.length >= 4, `only ${found.length} bodies were found`)
  for (const [line, method = 'POST', path = '', plain, quoted] of found)
    assert.ok(matchesRequestSchema(operationAt(method, path), bodyOf(plain ?? quoted!)), line)
})

const operationAt = (method: string, path: string): Operation => {
  const template = `/api/v1${path.replace(/\$\w+/g, '{id}')}`
  const found = operations.find((one) => one.method === method && one.path === template)
  assert.ok(found, `${method} ${template} is not in the contract`)
  return found
}

/** What the shell would put in the place of its variables, by the form of their values. */
const bodyOf = (text: string): unknown =>
  JSON.parse(
    text
      .replace(/\\"/g, '"')
      .replace('$STAY', '"check_in":"2030-07-01","check_out":"2030-07-04","guests":2')
      .replace(/\$\(\([^)]*\)\)/g, '12900')
      .replace(/\$\(day \d+\)/g, '2030-07-01')
      .replace(/"\$\w+"/g, '"f3f1a6d0-4c5f-4a0e-9a55-0d1a2c3b4e5f"')
      .replace(/\$\w+/g, '12900'),
  ) as unknown
