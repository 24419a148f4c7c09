import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { owner } = shareWorld({ workers: true })

/** How the dates of a file of bookings of one unit are read, and what is planned for its rows. */
async function plan(stays: readonly string[]) {
  const { id: unit } = await addUnit(owner, { quantity: 5 })
  const body = ['unit,guest,check in,check out', ...stays.map((stay, at) => `${unit},Guest ${at},${stay}`)]
  const sent = await owner.send('POST', '/api/v1/file-imports?kind=bookings', {
    ...{ body: body.join('\n'), headers: { 'content-type': 'text/csv' } },
  })
  const path = `/api/v1/file-imports/${expectStatus(sent, 201).file_import.id}`
  const { date_order, counts } = await until(
    async () => expectStatus(await owner.get(path), 200).file_import,
    ({ status }) => status === 'planned',
  )
  return [
    date_order,
    ...counts.map(({ action, total }: { action: string; total: number }) => `${action} ${total}`),
  ]
}

test('a file with a day after the 12th in second place has the month first', async () => {
  assert.deepEqual(await plan(['07/05/2031,07/12/2031', '07/12/2031,07/14/2031']), ['mdy', 'create 2'])
})

test('otherwise the day is first, also where both orders occur', async () => {
  assert.deepEqual(await plan(['03/04/2031,05/04/2031']), ['dmy', 'create 1'])
  assert.deepEqual(await plan(['2031-04-13,2031-04-14']), ['dmy', 'create 1'])
  assert.deepEqual(await plan(['07/05/2031,07/14/2031', '14/07/2031,15/07/2031']), [
    'dmy',
    'create 1',
    'error 1',
  ])
})
