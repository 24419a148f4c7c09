import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  collections,
  idIn,
  openTwoOrganizations,
  type TwoOrganizations,
} from './attacks/two-organizations.ts'
import { expectProblem, expectStatus } from './expect.ts'
import { queryUrl, inSnakeCase, type Operation, type Schema } from './operations.ts'
import { unknownId } from './records.ts'

// Every filter of every list takes several values, and every sort of every list pages through them.

let organizations: TwoOrganizations

before(async () => {
  organizations = await openTwoOrganizations()
})
after(() => organizations[Symbol.asyncDispose]())

type Item = Record<string, unknown>

const schemaOf = (operation: Operation, name: string) =>
  operation.queryParameters.find((one) => one.name === name)!.schema
const filtersOf = (operation: Operation) =>
  operation.queryParameters.filter(({ schema }) => schema.type === 'array').map(({ name }) => name)
/** Its elements are kinds of events or fields, not values of a field. */
const lists = collections.filter(({ path }) => path !== '/api/v1/events')

async function read(path: string, query: string) {
  const body = expectStatus(await organizations.there.get(queryUrl(path, query)), 200) as Record<
    string,
    unknown
  >
  return { records: Object.values(body)[0] as Item[], cursor: body['next_cursor'] as string | null }
}

/** All records of a list, page by page. */
async function readAll(path: string, query: string, limit = 100): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const from: string = cursor && `&cursor=${cursor}`
    const page = await read(path, `limit=${limit}${query}${from}`)
    found.push(...page.records.map(stable))
    cursor = page.cursor
  }
  return found
}

/** How long ago something was differs from one call to the next. */
const stable = (record: Item) =>
  JSON.stringify(record).replace(/"(generated_at|oldest_pending_seconds|age_seconds)":[^,}]+/g, '')

/** The member of a record that a filter is about, if it is shown. */
const memberOf = (record: Item, name: string) =>
  Object.entries(record).find(([member]) => inSnakeCase(member) === inSnakeCase(name))?.[1]

/** Two values of a filter: of records that are there, where two differ. */
async function twoValues(operation: Operation, name: string): Promise<[string, string]> {
  const { records } = await read(operation.path, 'limit=100')
  const shown = records.map((record) => memberOf(record, name)).filter((value) => typeof value === 'string')
  const { enum: allowed, format } = schemaOf(operation, name)['items'] as Schema
  const spare = format === 'uuid' ? [idOr(operation, name), unknownId] : (spares[format ?? 'text'] ?? [])
  const values = [...new Set([...shown, ...(allowed ?? spare)])]
  return [values[0]!, values[1] ?? values[0]!]
}
const spares: Record<string, string[]> = { date: ['2031-01-01', '2031-01-02'], text: ['es', 'pt'] }

const idOr = ({ path }: Operation, name: string) =>
  inSnakeCase(name) === 'org_id' ? organizations.world.away.id : idIn(organizations.theirs, name, path)

for (const operation of lists)
  suite(`${operation.path}: filters`, () => {
    for (const name of filtersOf(operation))
      test(`${name} finds the records that have any of two values`, async () => {
        const { path } = operation
        const values = await twoValues(operation, name)
        const query = values.map((value) => `&${name}=${encodeURIComponent(value)}`)
        const [whole, one, other] = [
          await readAll(path, ''),
          await readAll(path, query[0]!),
          await readAll(path, query[1]!),
        ]
        const wanted = whole.filter((record) => one.includes(record) || other.includes(record))
        assert.deepEqual(await readAll(path, query.join('')), wanted)
        assert.deepEqual(await readAll(path, query.toReversed().join(''), 1), wanted, 'page by page')
        const twice = `${query[0]!}${query[0]!}`
        assert.deepEqual(await readAll(path, twice), one, 'the same value twice')
        const { records } = await read(path, 'limit=100')
        if (records.some((record) => memberOf(record, name) !== undefined))
          assert.deepEqual(
            one,
            records.filter((record) => memberOf(record, name) === values[0]).map(stable),
            'one value',
          )
      })

    // The tile of the calendar has no such filter; its own tests go through its sorts.
    const [name] = filtersOf(operation).filter((one) => /account_id|org_id/.test(one))
    if (name)
      test('sorts page through several values of a filter', async () => {
        const { path } = operation
        const query = `&${name}=${idOr(operation, name)}&${name}=${unknownId}`
        const one = await readAll(path, `&${name}=${idOr(operation, name)}`)
        const sorts = operation.queryParameters.find((one) => one.name === 'sort')?.schema.enum ?? []
        for (const sort of sorts) {
          const all = await readAll(path, `&sort=${sort}`)
          assert.ok(all.length > 0)
          assert.deepEqual(
            await readAll(path, `${query}&sort=${sort}`, 1),
            all.filter((record) => one.includes(record)),
            sort,
          )
        }
      })

    test('more than a hundred values of a filter are refused', async () => {
      const [name] = filtersOf(operation)
      const query = Array.from({ length: 101 }, () => `${name}=${unknownId}`).join('&')
      expectProblem(
        await organizations.there.get(queryUrl(operation.path, query)),
        400,
        'validation-error',
        `/${name}`,
      )
    })
  })
