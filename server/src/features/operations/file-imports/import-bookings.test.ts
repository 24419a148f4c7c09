import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { owner } = shareWorld({ workers: true })

const statusOf = async (id: string): Promise<string> =>
  expectStatus(await owner.get(`/api/v1/file-imports/${id}`), 200).file_import.status
const reaches = (id: string, wanted: string) =>
  until(
    () => statusOf(id),
    (status) => status === wanted,
  )
async function plan(rows: object[]): Promise<string> {
  const options = { body: JSON.stringify(rows), headers: { 'content-type': 'application/octet-stream' } }
  const sent = await owner.send('POST', '/api/v1/file-imports?kind=bookings', options)
  const { id } = expectStatus(sent, 201).file_import
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
    const rows = units.map(({ id }) => ({ unit: id, guest_name: 'Ada', ...stay }))
    const plans = [await plan(rows), await plan(rows)]
    await Promise.all(plans.map(run))
    const counts = await Promise.all(units.map(async ({ id }) => (await bookingsOf(id)).length as number))
    assert.deepEqual(
      counts,
      units.map(() => 1),
    )
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
