import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { expectProblem } from './expect.ts'
import { openPopulatedWorld, type PopulatedWorld } from './populated-world.ts'
import { operations } from './operations.ts'

// Undeclared parameters are refused under /api/v1, and ignored by operations without a token.

let onslaught: PopulatedWorld
let listsBefore: Record<string, string>

before(async () => {
  onslaught = await openPopulatedWorld()
  listsBefore = await onslaught.everyList()
})
after(() => onslaught[Symbol.asyncDispose]())

const allNames = [...new Set(operations.flatMap((one) => one.queryParameters.map(({ name }) => name)))]
const withToken = operations.filter(({ permission }) => permission !== 'none')
const open = operations.filter(({ permission }) => permission === 'none')
const send = (method: string, path: string) => onslaught.owner.send(method, path, {})

suite('query parameters', () => {
  for (const operation of withToken)
    test(`${operation.name} refuses the parameters of other operations`, async () => {
      const declared = new Set(operation.queryParameters.map(({ name }) => name))
      const undeclared = allNames.filter((name) => !declared.has(name))
      const names = [...undeclared, 'nobody_knows', '__proto__', 'toString']
      for (let at = 0; at < names.length; at += 40) {
        const sent = names.slice(at, at + 40)
        const path = `${onslaught.pathOf(operation)}?${sent.map((name) => `${name}=x`).join('&')}`
        const reply = await send(operation.method, path)
        expectProblem(reply, 400, 'validation-error')
        const faults = reply.body.errors as { pointer: string; code: string }[]
        assert.deepEqual(
          faults.map(({ pointer, code }) => [pointer, code]),
          sent.map((name) => [`/${name}`, 'unknown_parameter']),
        )
      }
    })

  test('what was refused had no effect', async () => {
    const listsAfter = await onslaught.everyList()
    for (const [path, text] of Object.entries(listsBefore))
      assert.ok(listsAfter[path] === text, `${path} has changed`)
  })

  for (const operation of open)
    test(`${operation.name} ignores what others add to its address`, async () => {
      const path = onslaught.pathOf(operation)
      const [plain, added] = [
        await send(operation.method, path),
        await send(operation.method, `${path}?utm_source=x&q=x&_=1&updated_since=x`),
      ]
      assert.equal(added.status, plain.status, added.text.slice(0, 500))
    })

  for (const [path, given, meant] of [
    ['/api/v1/bookings', 'chek_in_from', 'check_in_from'],
    ['/api/v1/units', 'spaceId', 'space_id'],
    ['/api/v1/units', 'STATUS', 'status'],
    ['/api/v1/units', 'status[]', 'status'],
    ['/api/v1/spaces', 'page_size', null],
    ['/api/v1/spaces', 'lmit', 'limit'],
    ['/api/v1/auth/session', 'limit', null],
  ] as const)
    test(`${path}?${given} ${meant ? `suggests ${meant}` : 'suggests nothing that it does not resemble'}`, async () => {
      const reply = await send('GET', `${path}?${encodeURIComponent(given)}=1`)
      expectProblem(reply, 400, 'validation-error', `/${given}`)
      const [{ message }] = reply.body.errors as [{ message: string }]
      assert.ok(message.includes(`\`${given}\``), message)
      if (meant) assert.match(message, new RegExp(`Did you mean \`${meant}\``))
      else assert.doesNotMatch(message, /Did you mean/)
    })

  test('an error lists the known names when none is similar', async () => {
    const reply = await send('GET', '/api/v1/spaces?nobody_knows=1')
    for (const { name } of operations.find(({ name }) => name === 'GET /api/v1/spaces')!.queryParameters)
      assert.ok(reply.body.detail.includes(`\`${name}\``), reply.body.detail)
  })

  test('HEAD is refused as GET is', async () => {
    assert.equal((await send('HEAD', '/api/v1/units?nobody_knows=1')).status, 400)
  })

  test('a caller without permission does not learn the parameters', async () => {
    const anonymous = onslaught.world.caller(null)
    expectProblem(await anonymous.get('/api/v1/units?nobody_knows=1'), 401, 'unauthorized')
  })

  test('lists know org_id, and stay within the organization of the caller', async () => {
    const { home, away } = onslaught.world
    for (const [id, isOwn] of [
      [home.id, true],
      [away.id, false],
    ] as const) {
      const { body } = await send('GET', `/api/v1/spaces?org_id=${id}`)
      assert.equal(body.spaces.length > 0, isOwn)
    }
  })
})
