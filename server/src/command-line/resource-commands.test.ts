import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { runCommand } from '#test/run-command.ts'
import { shareWorld } from '#test/share-world.ts'
import { readContract } from './contract.ts'

const { world, owner } = shareWorld()
const home = mkdtempSync(join(tmpdir(), 'vacancy-resources-'))
after(() => rmSync(home, { recursive: true, force: true }))

const vacancy = (...args: string[]) =>
  runCommand(args, { VACANCY_HOME: home, VACANCY_URL: world.url, VACANCY_TOKEN: owner.token! })

async function create(...args: string[]): Promise<string> {
  const { code, out, err } = await vacancy(...args, '--json')
  assert.equal(code, 0, err)
  const [record] = Object.values(JSON.parse(out) as Record<string, { id: string }>)
  return record!.id
}

let spaceId: string
const unitIds: string[] = []

before(async () => {
  spaceId = await create('spaces', 'create', 'name=Casa', 'city=Porto')
  for (const name of ['101', '102', '103'])
    unitIds.push(
      await create('units', 'create', `space_id=${spaceId}`, `name=${name}`, 'base_price_cents=9000'),
    )
})

suite('the commands of resources', () => {
  test('list records as a table, with the columns that are asked for', async () => {
    const { out } = await vacancy('units', 'list', '--space-id', spaceId, '--sort', 'name')
    const [head = '', ...lines] = out.trimEnd().split('\n')
    assert.match(head, /^id +name +space\.name +type +base_price_cents +currency +status$/)
    assert.match(lines[0]!, new RegExp(`^${unitIds[0]} +101 +Casa +\\w+ +9000 +\\w{3} +active$`))
    assert.equal(lines.length, 3)
    const chosen = await vacancy('units', 'list', '--sort', 'name', '--columns', 'name,space.city')
    assert.match(chosen.out, /^name +space\.city\n *101 +Porto\n/)
  })

  test('list one page, or all of them', async () => {
    const page = await vacancy('units', 'list', '--limit', '2')
    assert.equal(page.out.trimEnd().split('\n').length, 3)
    const [, cursor = ''] = /--cursor (\S+)/.exec(page.err) ?? []
    const next = await vacancy('units', 'list', '--limit', '2', '--cursor', cursor, '--json')
    assert.equal((JSON.parse(next.out) as { units: [] }).units.length, 1)
    const all = await vacancy('units', 'list', '--limit', '2', '--all', '--json')
    assert.equal((JSON.parse(all.out) as { units: [] }).units.length, 3)
    assert.equal((await vacancy('units', 'list', '--status', 'archived')).out, 'There are none.\n')
  })

  test('read, change and delete a record', async () => {
    const id = unitIds[2]!
    const shown = await vacancy('units', 'get', id)
    assert.match(shown.out, /^name +103$/m)
    assert.match(shown.out, /^space:\n {2}id +/m)
    assert.equal((await vacancy('units', 'update', id, 'name=Attic')).code, 0)
    const stale = await vacancy('units', 'update', id, 'name=Loft', '--if-match', '"old"')
    assert.equal(stale.code, 6)
    assert.deepEqual((await vacancy('units', 'delete', id)).output, 'Done.\n')
    assert.equal((await vacancy('units', 'get', id)).code, 5)
  })

  test('cover quotes, bookings, rates, the calendar, targets and listings', async () => {
    const [unit = ''] = unitIds
    const rate = await create('rates', 'create', `unit_id=${unit}`, 'name=Flexible')
    assert.equal((await vacancy('rate-plans', 'get', rate)).code, 0)
    const night = { unit_id: unit, date_from: '2031-07-01', date_to: '2031-07-03', price_cents: 15_000 }
    const nights = await vacancy('calendar', 'change', `values:=${JSON.stringify([night])}`)
    assert.equal(nights.code, 0, nights.err)
    const stay = ['2031-07-01', '2031-07-03']
    const quote = await create(
      'quotes',
      'create',
      `unit_id=${unit}`,
      `check_in=${stay[0]}`,
      `check_out=${stay[1]}`,
      'guests=2',
    )
    const booking = await create(
      ...['bookings', 'create', `unitId=${unit}`, `quoteId=${quote}`, `checkIn=${stay[0]}`],
      ...[`checkOut=${stay[1]}`, 'guests=2', 'guestName=Ada'],
    )
    assert.match((await vacancy('bookings', 'list')).out, new RegExp(`^${booking} +Ada +2031-07-01`, 'm'))
    const file = join(home, 'bookings.csv')
    assert.equal((await vacancy('bookings', 'export', '--output', file)).output, '')
    assert.ok(readFileSync(file, 'utf8').includes(booking))
    const target = await create('targets', 'create', 'channel_type=pms', 'name=Main')
    await create('listings', 'create', `unit_id=${unit}`, `channel_target_id=${target}`, 'external_id=R1')
    assert.match((await vacancy('listings', 'list')).out, /101 +Main +R1/)
    assert.equal((await vacancy('events', 'list', '--types', 'booking.created')).code, 0)
    assert.equal((await vacancy('imports', 'list')).code, 0)
  })

  test('refuse what is missing or unknown', async () => {
    for (const args of [
      ['units', 'list', '--colour', 'red'],
      ['units', 'get'],
      ['units', 'fly'],
      ['unit', 'list'],
      ['calendar', 'list'],
    ]) {
      const { code, out, err } = await vacancy(...args)
      assert.deepEqual([code, out], [2, ''], args.join(' '))
      assert.match(err, /^error: /, args.join(' '))
    }
    assert.match((await vacancy('unti', 'list')).err, /Did you mean unit/)
  })

  test('exist for every resource of the contract, with help', async () => {
    const { operations } = readContract(resolve(import.meta.dirname, '../../..'))
    const { out } = await vacancy('--help')
    const names = [...out.slice(out.indexOf('Resources of the API:')).matchAll(/^ {2}([a-z][\w-]*)/gm)]
    assert.ok(names.length > 25)
    for (const [, name = ''] of names) {
      const help = await vacancy(name, '--help')
      assert.equal(help.code, 0, name)
      assert.match(help.out, /^ {2}(list|get|create|query)\b/m, name)
    }
    assert.ok(operations.length > 130)
  })
})
