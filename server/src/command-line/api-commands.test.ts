import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { runCommand } from '#test/run-command.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
const home = mkdtempSync(join(tmpdir(), 'vacancy-api-commands-'))
after(() => rmSync(home, { recursive: true, force: true }))

const vacancy = (args: string[], env: Record<string, string> = {}) =>
  runCommand(args, { VACANCY_HOME: home, VACANCY_URL: world.url, VACANCY_TOKEN: owner.token!, ...env })

async function json<Body>(args: string[]): Promise<Body> {
  const { code, out, err } = await vacancy([...args, '--json'])
  assert.equal(code, 0, err)
  return JSON.parse(out) as Body
}

const unknownId = '00000000-0000-4000-8000-000000000000'

suite('vacancy whoami', () => {
  test('shows the person, the organization and the role', async () => {
    const { code, out } = await vacancy(['whoami'])
    assert.equal(code, 0)
    assert.match(
      out,
      new RegExp(`^Organization +Home \\(${world.home.id}\\)\nRole +owner\nAPI +${world.url}$`, 'm'),
    )
  })

  test('acts for the organization of --org, and refuses another', async () => {
    const away = ['--org', world.away.id]
    const { code, err } = await vacancy(['whoami', ...away])
    assert.equal(code, 4, err)
    assert.equal((await vacancy(['whoami', '--org', world.home.id])).code, 0)
    assert.equal((await vacancy(['whoami'], { VACANCY_ORG: world.away.id })).code, 4)
  })
})

suite('vacancy get, post, put, patch and delete', () => {
  test('send any request, with fields of the types of the contract', async () => {
    const { space } = await json<{ space: { id: string } }>(['post', 'spaces', 'name=Casa do Mar'])
    const { unit } = await json<{ unit: { id: string; name: string; base_price_cents: number } }>([
      ...['post', '/api/v1/units', `space_id=${space.id}`, 'name=101', 'base_price_cents=12900'],
      ...['bathrooms=1.5', 'free_of_charge=false'],
    ])
    assert.deepEqual([unit.name, unit.base_price_cents], ['101', 12_900])
    const path = `units/${unit.id}`
    await json(['patch', path, 'name:="Sea view"', 'base_price_cents=14000'])
    const { units } = await json<{ units: { name: string }[] }>([
      'get',
      'units',
      `space_id=${space.id}`,
      'q=sea',
    ])
    assert.deepEqual(
      units.map(({ name }) => name),
      ['Sea view'],
    )
    const { code, output } = await vacancy(['delete', path])
    assert.deepEqual([code, output], [0, ''])
    assert.equal((await vacancy(['get', path])).code, 5)
  })

  test('read the body from --data and from a file, and add fields to it', async () => {
    const file = join(home, 'space.json')
    writeFileSync(file, '{"name":"From a file","city":"Porto"}')
    const whole = await json<{ space: { id: string } }>(['post', 'spaces', `@${file}`])
    const { space } = await json<{ space: object }>([
      ...['put', `spaces/${whole.space.id}`, '--data', `@${file}`, 'name=Renamed', 'amenities=wifi, pool'],
    ])
    const expected = { name: 'Renamed', city: 'Porto', amenities: ['wifi', 'pool'] }
    assert.partialDeepStrictEqual(space, expected)
    const { channel_target } = await json<{ channel_target: { config: object } }>([
      ...['post', 'channel-targets', 'channel_type=pms', 'name=Main', 'config.provider=generic'],
    ])
    assert.partialDeepStrictEqual(channel_target.config, { provider: 'generic' })
  })

  test('print files as they are', async () => {
    const { code, out } = await vacancy(['get', 'bookings.csv'])
    assert.equal(code, 0)
    assert.match(out, /^\uFEFF?id,/)
  })

  test('explain what is refused, field by field, with the id of the request', async () => {
    const { code, out, err } = await vacancy(['post', 'units', 'name=', 'base_price_cents=cheap'])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^ {2}base_price_cents +\S.*$/m)
    assert.match(err, /^ {2}space_id +\S.*$/m)
    assert.match(err, /^Request [\w-]+$/m)
    assert.ok(!err.includes('    at '), err)
    const asJson = await vacancy(['get', `units/${unknownId}`, '--json'])
    assert.equal(asJson.code, 5)
    assert.partialDeepStrictEqual(JSON.parse(asJson.err), { status: 404, code: 'not-found' })
  })

  test('refuse what cannot be a request', async () => {
    for (const args of [
      ['post', 'units', 'name'],
      ['post', 'units', 'name:=Sea'],
      ['post', 'units', '--data', '{'],
      ['post', 'units', '@/no/such/file'],
      ['post', 'units', '--data', '[]', 'name=x'],
      ['get', 'units', 'limit'],
      ['get', 'units', '--org', 'somewhere'],
    ]) {
      const { code, out, err } = await vacancy(args)
      assert.deepEqual([code, out], [2, ''], args.join(' '))
      assert.ok(err.trim(), args.join(' '))
    }
  })
})
