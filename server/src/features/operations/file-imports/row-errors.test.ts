import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import type { RowError } from './file-import.ts'

const { owner } = shareWorld({ workers: true })

/** The errors of the only row. */
async function readErrors(kind: string, body: string): Promise<RowError[]> {
  const sent = await owner.send('POST', `/api/v1/file-imports?kind=${kind}`, {
    ...{ body, headers: { 'content-type': 'text/csv' } },
  })
  const path = `/api/v1/file-imports/${expectStatus(sent, 201).file_import.id}`
  await until(
    async () => expectStatus(await owner.get(path), 200).file_import.status as string,
    (status) => status === 'planned',
  )
  const { file_import_rows } = expectStatus(await owner.get(`${path}/rows?action=error`), 200)
  return (file_import_rows as [{ errors: RowError[] }])[0].errors
}
const errorsOf = async (kind: string, body: string) =>
  Object.fromEntries((await readErrors(kind, body)).map(({ column, code }) => [column, code]))

suite('a row without a required field', () => {
  test('of units names its other errors too', async () => {
    assert.deepEqual(await errorsOf('units', 'name,price,max guests\n,much,none\n'), {
      ...{ name: 'required', price: 'not_amount', 'max guests': 'not_integer' },
    })
  })

  test('of rates names its other errors too', async () => {
    assert.deepEqual(await errorsOf('rates', 'unit,date,min nights\n,tomorrow,some\n'), {
      ...{ unit: 'required', date: 'not_date', 'min nights': 'not_integer' },
    })
  })

  test('of bookings names its other errors too', async () => {
    const file = 'unit,guest name,arrival,departure,guests\n,,soon,2031-01-01,all\n'
    assert.deepEqual(await errorsOf('bookings', file), {
      ...{ unit: 'required', 'guest name': 'required', arrival: 'not_date', guests: 'not_integer' },
    })
  })
})

test('a row with more cells than the header is not imported, because its values have moved', async () => {
  assert.deepEqual(await errorsOf('units', 'name,price\nCabin,89,50\n'), { null: 'too_many_cells' })
  assert.deepEqual(await errorsOf('units', 'name,price\nCabin,89,,\nHut,much\n'), { price: 'not_amount' })
})

test('an error about a code says what the code is, not how long', async () => {
  const file = 'name,price,currency,country,timezone\nCabin,89,Dollar,Atlantis,Berlin\n'
  const errors = await readErrors('units', file)
  assert.deepEqual(Object.fromEntries(errors.map(({ column, message }) => [column, message])), {
    currency: 'This must be an ISO 4217 code, such as eur.',
    country: 'This must be a country or its ISO 3166-1 code, such as PT.',
    timezone: 'This must be an IANA time zone, such as Europe/Lisbon.',
  })
})

test('an error of a rule of the records has the value of its column', async () => {
  const { name } = await addUnit(owner, { name: 'Mail Cabin' })
  const file = `unit,guest,arrival,departure,email\n${name},Ada,2031-07-01,2031-07-02,n/a\n`
  const errors = await readErrors('bookings', file)
  assert.deepEqual(
    errors.map(({ column, value }) => [column, value]),
    [['email', 'n/a']],
  )
})

test('a price of 0 is not imported, because nights would be sold for nothing', async () => {
  assert.deepEqual(await errorsOf('units', 'name,price\nCabin,"0,00 €"\n'), { price: 'no_price' })
  const { name } = await addUnit(owner, { name: 'Priced Cabin' })
  assert.deepEqual(await errorsOf('rates', `unit,date,price\n${name},2031-07-01,0\n`), { price: 'no_price' })
})

test('an unknown status of a booking is answered with those that can be in a file', async () => {
  const file = 'unit,guest,arrival,departure,status\nCabin,Ada,2031-07-01,2031-07-02,ended\n'
  const status = (await readErrors('bookings', file)).find(({ column }) => column === 'status')
  assert.equal(status?.message, 'This must be one of: confirmed, pending, cancelled.')
})
