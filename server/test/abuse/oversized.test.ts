import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Reply } from '../caller.ts'
import { expectProblem } from '../expect.ts'
import { openPopulatedWorld, type PopulatedWorld } from '../populated-world.ts'
import { operations } from '../operations.ts'

// Oversized bodies are refused in the same way by every operation that takes a body.

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

const nested = (depth: number) => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`
const members = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, 1])))

const bodies: [string, () => string, number[]][] = [
  ['33 levels', () => nested(32), [400]],
  ['100,000 levels', () => nested(100_000), [400]],
  ['a million open brackets', () => '['.repeat(1_000_000), [400]],
  ['1,001 members', () => members(1_001), [400]],
  ['20,001 elements', () => JSON.stringify({ values: Array.from({ length: 20_001 }, () => 0) }), [400]],
  ['a text of 900 KB', () => JSON.stringify({ name: 'x'.repeat(900_000) }), [400, 413]],
  ['2 MB', () => JSON.stringify({ name: 'x'.repeat(2_000_000) }), [413]],
  ['a number of 100,000 digits', () => `{"base_price_cents":${'9'.repeat(100_000)}}`, [400]],
  ['a member whose name has 100,000 letters', () => JSON.stringify({ ['x'.repeat(100_000)]: 1 }), [400]],
]

const withBodies = operations.filter(
  ({ body, path }) => body && path.startsWith('/api/v1/') && !path.endsWith('/media'),
)

suite('oversized bodies', () => {
  for (const [what, body, statuses] of bodies)
    test(`${what}: rejected by every operation`, async () => {
      const text = body()
      for (const operation of withBodies) {
        const reply = await onslaught.send(operation, text)
        expectRefusal(reply, statuses, operation.name)
        assert.ok(reply.text.length < 300_000, `${operation.name} answers ${reply.text.length} characters`)
      }
    })
})

suite('oversized URLs and headers', () => {
  const huge = 'a'.repeat(5_000)
  const asked: [string, string, number[]][] = [
    [
      'a thousand parameters',
      `/api/v1/spaces?${Array.from({ length: 1_000 }, (_, n) => `p${n}=1`).join('&')}`,
      [400],
    ],
    ['one parameter a thousand times', `/api/v1/spaces?${'status=active&'.repeat(1_000)}`, [400]],
    ['an id of 5,000 letters', `/api/v1/spaces/${huge}`, [400, 404]],
    ['an id of 256 digits', `/api/v1/spaces/${'1'.repeat(256)}`, [400, 404]],
    ['a cursor of 5,000 letters', `/api/v1/spaces?cursor=${huge}`, [400]],
    ['a search of 5,000 letters', `/api/v1/spaces?q=${huge}`, [400]],
    ['a limit of 5,000 digits', `/api/v1/spaces?limit=${'9'.repeat(5_000)}`, [400]],
    ['a path of 1,000 steps', `/api/v1${'/x'.repeat(1_000)}`, [404]],
    ['a path of 1,000 dots', `/api/v1/spaces/${'%2e%2e%2f'.repeat(100)}`, [400, 404]],
  ]
  for (const [what, path, statuses] of asked)
    test(what, async () => {
      const reply = await onslaught.owner.get(path)
      // Any number of unknown parameters is ignored.
      if (statuses.includes(200)) assert.equal(reply.status, 200, reply.text)
      else expectRefusal(reply, statuses, what)
    })

  test('many and long headers do no harm', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`x-h${n}`, 'a']))
    assert.equal((await onslaught.owner.get('/api/v1/spaces', many)).status, 200)
    const etags = { 'if-none-match': `"a"${' '.repeat(12_000)}x` }
    assert.equal(
      (await onslaught.owner.get(`/api/v1/spaces/${onslaught.ids['space_id']}`, etags)).status,
      200,
    )
    const key = await onslaught.owner.post(
      '/api/v1/spaces',
      { name: 'A' },
      { 'idempotency-key': 'k'.repeat(256) },
    )
    expectProblem(key, 400, 'validation-error')
  })
})

function expectRefusal(reply: Reply, statuses: readonly number[], what: string): void {
  assert.ok(statuses.includes(reply.status), `${what}: ${reply.status} ${reply.text.slice(0, 300)}`)
  expectProblem(reply, reply.status, reply.body.code)
}
