import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { addUnit, systemScope } from '#test/records.ts'
import { atomically, rows } from '#db/scope.ts'
import { sql } from '#db/sql.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })

const statusOf = async (id: string): Promise<string> =>
  expectStatus(await owner.get(`/api/v1/file-imports/${id}`), 200).file_import.status
const reaches = (id: string, wanted: string) =>
  until(
    () => statusOf(id),
    (status) => status === wanted,
  )
async function upload(file: object[], kind = 'bookings'): Promise<string> {
  const options = { body: JSON.stringify(file), headers: { 'content-type': 'application/octet-stream' } }
  const sent = await owner.send('POST', `/api/v1/file-imports?kind=${kind}`, options)
  return expectStatus(sent, 201).file_import.id
}
async function plan(file: object[]): Promise<string> {
  const id = await upload(file)
  await reaches(id, 'planned')
  return id
}
async function run(id: string): Promise<void> {
  expectStatus(await owner.post(`/api/v1/file-imports/${id}/run`), 200)
  await reaches(id, 'completed')
}
const bookingsOf = async (unitId: string) =>
  expectStatus(await owner.get(`/api/v1/bookings?unit_id=${unitId}&limit=100`), 200).bookings

const stay = { arrival: '2031-07-01', departure: '2031-07-04' }

suite('bookings from a file', () => {
  test('that are pending keep their rooms until somebody decides', async () => {
    const unit = await addUnit(owner)
    await run(await plan([{ unit: unit.id, guest_name: 'Ada', status: 'pending', ...stay }]))
    const [booking] = await bookingsOf(unit.id)
    assert.deepEqual([booking.status, booking.holdExpiresAt], ['pending', null])
  })

  test('may cost more than the highest price of a night', async () => {
    const unit = await addUnit(owner)
    await run(await plan([{ unit: unit.id, guest_name: 'Ada', total: '25000000.50', ...stay }]))
    const [booking] = await bookingsOf(unit.id)
    assert.equal(booking?.totalCents, 2_500_000_050)
  })

  test('are made once by two imports of the same file that run at the same time', async () => {
    const units = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => addUnit(owner, { quantity: 2 })))
    const file = units.map(({ id }) => ({ unit: id, guest_name: 'Ada', ...stay }))
    const plans = [await plan(file), await plan(file)]
    await Promise.all(plans.map(run))
    const counts = await Promise.all(units.map(async ({ id }) => (await bookingsOf(id)).length as number))
    assert.deepEqual(
      counts,
      units.map(() => 1),
    )
  })

  for (const kind of ['bookings', 'rates'])
    test(`lock units in the order of a change of many units, when ${kind} are planned`, async () => {
      const ids = [(await addUnit(owner)).id, (await addUnit(owner)).id].toSorted()
      const file = ids
        .toReversed()
        .map((unit) => ({ unit, guest_name: 'Ada', ...stay, from: '2031-07-01', price: 90 }))
      const lock = (at: number, mode = '') =>
        sql`select 1 from units where id = ${ids[at]} for no key update ${sql.raw(mode)}`
      const id = await atomically(systemScope(world, world.home), async (transaction) => {
        await rows(transaction, lock(0))
        const id = await upload(file, kind)
        await until(
          () => rows(transaction, sql`select 1 from pg_locks where not granted`),
          ({ length }) => length > 0,
        )
        await rows(transaction, lock(1, 'nowait'))
        return id
      })
      await reaches(id, 'planned')
    })

  test('that were exported here are found by their id, and not made again', async () => {
    const unit = await addUnit(owner, { quantity: 3 })
    await run(await plan([{ unit: unit.id, guest_name: 'Ada', ...stay }]))
    const { text: csv } = await owner.get(`/api/v1/bookings.csv?unit_id=${unit.id}`)
    const headers = { 'content-type': 'application/octet-stream' }
    const sent = await owner.send('POST', '/api/v1/file-imports?kind=bookings', { body: csv, headers })
    const { id } = expectStatus(sent, 201).file_import
    await reaches(id, 'planned')
    const { counts } = expectStatus(await owner.get(`/api/v1/file-imports/${id}`), 200).file_import
    assert.deepEqual(
      counts.map(({ action, total }: { action: string; total: number }) => [action, total]),
      [['match', 1]],
    )
  })
})
