import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { feedsPath, openImports, roomOn, type Feed } from '#test/calendar-imports.ts'
import { calendarOf, openCalendarServer } from '#test/calendars.ts'
import { inDays } from '#test/local-days.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
let elsewhere: Awaited<ReturnType<typeof openCalendarServer>>
let imports: ReturnType<typeof openImports>

before(async () => {
  elsewhere = await openCalendarServer()
  imports = openImports(world, owner)
  world.defer(() => elsewhere.close())
})

suite('calendar import: our own calendars', () => {
  const exportOf = async (unit_id: string): Promise<Feed> =>
    expectStatus(await owner.post(feedsPath, { unit_id, direction: 'export', name: 'For others' }), 201)
      .calendar_feed
  /** The address of an export as the worker of the tests reaches it. */
  const here = ({ url }: Feed) => `${world.url}${new URL(url).pathname}`

  test('blocks exactly the nights of an imported export', async () => {
    const [one, two] = [await addUnit(owner), await addUnit(owner)]
    const source = elsewhere.serve(
      '/source.ics',
      calendarOf([inDays(3), inDays(6)], [inDays(40), inDays(41)]),
    )
    await imports.fetched(await imports.add({ unit_id: one.id, url: source }))
    await imports.fetched(await imports.add({ unit_id: two.id, url: here(await exportOf(one.id)) }))
    assert.deepEqual(await imports.blocked(two.id), roomOn(3, 4, 5, 40))
    assert.deepEqual(await imports.blocked(two.id), await imports.blocked(one.id))
  })

  test('rejects an import of the nights of the unit itself, directly or through other units', async () => {
    const units = await Promise.all([addUnit(owner), addUnit(owner), addUnit(owner)])
    const exports = await Promise.all(units.map(({ id }) => exportOf(id)))
    const importing = (into: number, from: number) =>
      owner.post(feedsPath, {
        unit_id: units[into]!.id,
        direction: 'import',
        name: 'Ours',
        url: here(exports[from]!),
      })
    expectProblem(await importing(0, 0), 422, 'semantic-error', '/url')
    expectStatus(await importing(1, 0), 201)
    expectStatus(await importing(2, 1), 201)
    expectProblem(await importing(0, 2), 422, 'semantic-error', '/url')
    const other = expectStatus(await importing(0, 0).then(() => importing(2, 0)), 201).calendar_feed
    const turned = await owner.patch(`${feedsPath}/${other.id}`, { url: here(exports[2]!) })
    expectProblem(turned, 422, 'semantic-error', '/url')
  })

  test('ignores our own events that are imported back', async () => {
    const unit = await addUnit(owner)
    const source = elsewhere.serve('/own.ics', calendarOf([inDays(3), inDays(6)]))
    const feed = await imports.fetched(await imports.add({ unit_id: unit.id, url: source }))
    const text = await (await fetch(here(await exportOf(unit.id)))).text()
    assert.match(text, /BEGIN:VEVENT/)
    const back = await imports.fetched(
      await imports.add({ unit_id: unit.id, url: elsewhere.serve('/relayed.ics', text) }),
    )
    assert.deepEqual([back.status, back.blocks], ['active', 0])
    assert.equal((await owner.delete(`${feedsPath}/${feed.id}`)).status, 204)
    assert.deepEqual(await imports.blocked(unit.id), {})
  })
})
