import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { openHostaway } from '../../../sandbox/test/hostaway-caller.ts'
import { connection } from '#test/hostaway-live.ts'
import { day } from '#test/imports.ts'
import { unlimitedCalls } from '#test/linked-units.ts'
import { addTarget } from '#test/records.ts'
import { runCommand } from '#test/run-command.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
const vacancy = (...args: string[]) =>
  runCommand(args, { VACANCY_URL: world.url, VACANCY_TOKEN: owner.token! })

suite('vacancy import pms', () => {
  test('shows the plan, imports when it may, and reports', async () => {
    const hostaway = await openHostaway()
    world.defer(() => hostaway.close())
    const place = { address: 'Via Cavour 4', city: 'Lucca' }
    const loft = await hostaway.addListing({ ...place, name: 'Loft' })
    await hostaway.addListing({ ...place, name: 'Old', specialStatus: 'archived' })
    await hostaway.reserve(loft, day(10), day(13))
    const { id } = await addTarget(owner, {
      config: { ...connection(hostaway.url), ...unlimitedCalls },
    })

    const planned = await vacancy('import', 'pms', '--target', id)
    assert.equal(planned.code, 0, planned.err)
    assert.match(planned.err, /^unit +create +1$/m)
    assert.match(planned.err, /^unit +Old +not active$/m)
    const [, importId = ''] = /vacancy import run (\S+)\.$/m.exec(planned.out) ?? []
    assert.equal(
      (await vacancy('units', 'list')).out,
      'There are none.\n',
      'nothing is made before it is run',
    )

    const refused = await vacancy('import', 'pms', '--target', id)
    assert.equal(refused.code, 6)
    assert.ok(refused.err.includes(`not finished: ${importId}. Run or cancel that one.`), refused.err)

    const done = await vacancy('import', 'run', importId)
    assert.equal(done.code, 0, done.err)
    assert.match(done.out, /^unit +create +1\/1$/m)
    assert.match(done.out, /^Imported, with 1 bookings\./m)
    assert.ok(done.out.endsWith(`vacancy imports live ${importId}.\n`), done.out)
    assert.match((await vacancy('units', 'list')).out, /Loft/)

    const again = await vacancy('import', 'pms', '--target', id, '--yes', '--json')
    assert.equal(again.code, 0, again.err)
    assert.partialDeepStrictEqual(JSON.parse(again.out), { status: 'completed' })
    const { units } = JSON.parse((await vacancy('units', 'list', '--json')).out) as { units: object[] }
    assert.equal(units.length, 1, 'a second import makes nothing twice')
  })

  test('of an account without listings imports nothing, and leaves nothing unfinished', async () => {
    const hostaway = await openHostaway()
    world.defer(() => hostaway.close())
    const { id } = await addTarget(owner, { config: { ...connection(hostaway.url), ...unlimitedCalls } })
    for (const option of ['--plan-only', '--yes']) {
      const { code, out, err } = await vacancy('import', 'pms', '--target', id, option)
      assert.deepEqual([code, err], [0, ''])
      assert.match(out, /^There is nothing to import/)
      assert.doesNotMatch(out, /imported/i)
    }
    const { imports } = (await owner.get(`/api/v1/imports?channel_target_id=${id}`)).body
    assert.deepEqual(
      imports.map(({ status }: { status: string }) => status),
      ['cancelled', 'cancelled'],
    )
  })

  test('completes a plan that failed, and says that nothing was imported', async () => {
    const hostaway = await openHostaway()
    world.defer(() => hostaway.close())
    await hostaway.addListing({ name: 'Late loft' })
    await hostaway.control('PUT', 'faults', { mode: 'refuse', status: 403 })
    const { id } = await addTarget(owner, { config: { ...connection(hostaway.url), ...unlimitedCalls } })
    const failed = await vacancy('import', 'pms', '--target', id)
    assert.equal(failed.code, 1, failed.err)
    const [, importId = ''] = /vacancy import run (\S+)\.$/m.exec(failed.out) ?? []
    await hostaway.control('DELETE', 'faults')
    const planned = await vacancy('import', 'run', importId)
    assert.equal(planned.code, 1, planned.err)
    assert.match(planned.out, /^unit +create +0\/1$/m)
    assert.ok(planned.out.includes('Nothing was imported'), planned.out)
    const done = await vacancy('import', 'run', importId)
    assert.deepEqual([done.code, done.err], [0, ''])
  })

  test('explains why it cannot begin', async () => {
    const unknown = await vacancy('import', 'pms', '--target', '00000000-0000-4000-8000-000000000000')
    assert.ok([2, 5].includes(unknown.code!), unknown.err)
    assert.equal((await vacancy('import', 'pms')).code, 2)
  })
})
