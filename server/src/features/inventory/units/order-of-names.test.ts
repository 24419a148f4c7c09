import assert from 'node:assert/strict'
import { createHmac, createSecretKey, hash, randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { pageRequest } from '#http/paging.ts'
import { expectStatus } from '#test/expect.ts'
import { addAccount, addSeason, addSpace, addTarget, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
const ordered = [
  'Águas',
  'apartment 2',
  'Apartment 10',
  'Room 2 bed 9',
  'Room 2 bed 10',
  'Room 010 bed 1',
  'Zebra',
]
const houses = ['house 9', 'House 10']

before(async () => {
  for (const name of houses.toReversed()) {
    const { id: space_id } = await addSpace(owner, { name, account_id: world.home.accountId })
    for (const unit of ordered.toReversed()) await addUnit(owner, { space_id, name: unit })
  }
  for (const name of ordered.toReversed()) {
    await addSeason(owner, { name })
    await addTarget(owner, { name })
    await addAccount(world, world.home.id, name)
  }
})

/** The names of all units, page after page. */
async function listNames(list: string, query: string): Promise<string[]> {
  const found: string[] = []
  for (let cursor = ''; ;) {
    const page = expectStatus(await owner.get(`/api/v1/${list}?limit=3&${query}${cursor}`), 200)
    found.push(...page[list.replace('-', '_')].map(({ name }: { name: string }) => name))
    if (!page.has_more) return found
    cursor = `&cursor=${page.next_cursor}`
  }
}

const nights = 'from=2030-07-01&to=2030-07-04'
const ofBoth = ordered.flatMap((name) => [name, name])
const bySpace = [...ordered, ...ordered]

for (const [list, query, expected] of [
  ['units', 'sort=name', ofBoth],
  ['units', 'q=e&sort=name', ofBoth.filter((name) => /e/i.test(name))],
  ['availability', `${nights}&sort=name`, ofBoth],
  ['seasons', 'sort=name', ordered],
  ['channel-targets', 'sort=name', ordered],
  ['accounts', 'sort=name', ordered.toSpliced(4 - 1, 0, 'Home')],
  ['calendar', nights, ofBoth],
  ['calendar', `${nights}&sort=space`, bySpace],
] as const)
  test(`${list}?${query} has numbers in their order, ignoring case and accents`, async () => {
    assert.deepEqual(await listNames(list, query), expected)
    const reversed = query.includes('sort=') ? query.replace('sort=', 'sort=-') : `${query}&sort=-name`
    assert.deepEqual(await listNames(list, reversed), expected.toReversed())
  })

test('the calendar has spaces in the order of their names', async () => {
  const { calendar } = expectStatus(await owner.get(`/api/v1/calendar?${nights}&sort=space`), 200)
  const spaces = calendar.map(({ space_name }: { space_name: string }) => space_name)
  assert.deepEqual([...new Set(spaces)], houses)
})

test('a cursor by name from before names had their present order is not valid', () => {
  const key = createSecretKey(Buffer.alloc(32, 1))
  const orgId = randomUUID()
  const url = '/api/v1/units'
  const open = (sort: string) => {
    const context = hash('sha256', JSON.stringify([orgId, url, sort, []]), 'buffer')
    const payload = Buffer.from(JSON.stringify(['Room 2', randomUUID()]))
    const signature = createHmac('sha256', key).update(context).update(payload).digest().subarray(0, 16)
    const cursor = Buffer.concat([signature, payload]).toString('base64url')
    return pageRequest({ query: { sort, cursor }, scope: { orgId }, routeOptions: { url } }, [key]).after
  }
  for (const sort of ['name', '-name', 'space']) assert.throws(() => open(sort), { code: 'invalid-cursor' })
  assert.equal(open('created_at')?.value, 'Room 2')
})
