import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld({ workers: true })

interface TestFileImport {
  id: string
  status: string
  columns: string[]
  mapping: { field: string; column: string }[]
  row_count: number
  planned_count: number
  counts: { action: string; total: number; done: number }[]
  error_message: string | null
}

const send = (kind: string, body: string | Buffer<ArrayBuffer>, by: TestCaller = owner) =>
  by.send('POST', `/api/v1/file-imports?kind=${kind}&file_name=portfolio.csv`, {
    body,
    headers: { 'content-type': 'text/csv' },
  })
const read = async (path: string) => expectStatus(await owner.get(`/api/v1/${path}`), 200)
const ended = (id: string) =>
  until(
    async () => (await read(`file-imports/${id}`)).file_import as TestFileImport,
    ({ status }) => !['planning', 'running'].includes(status),
  )
const plan = async (kind: string, body: string | Buffer<ArrayBuffer>) =>
  await ended(expectStatus(await send(kind, body), 201).file_import.id)
async function run(id: string): Promise<TestFileImport> {
  expectStatus(await owner.post(`/api/v1/file-imports/${id}/run`), 200)
  return await ended(id)
}
const countsOf = ({ counts }: TestFileImport) =>
  counts.map(({ action, total, done }) => [action, total, done].join(' '))
const errorsOf = async (id: string) => {
  const { file_import_rows } = await read(`file-imports/${id}/rows?action=error`)
  return file_import_rows.map(
    ({ position, errors: [error] }: { position: number; errors: Record<string, unknown>[] }) =>
      [position, error!['column'], error!['code'], error!['value']] as const,
  )
}
const lines = (...rows: string[]) => `${rows.join('\r\n')}\r\n`

suite('units from a file', () => {
  const file = lines(
    'Objektnummer;Bezeichnung;Anlage;Objektart;Preis pro Nacht;Währung;Badezimmer;Ort;Farbe',
    'A1;"Suite ""Süd"";";Haus Meer;Ferienwohnung;1.234,50 €;EUR;1,5;Köln;rot',
    ';;;;;;;;',
    'A2;Zimmer 2;Haus Meer;Zimmer;80;EUR;1;Köln;',
    'A3;Zimmer 3;Haus Meer;Raumschiff;90;EUR;1;Köln;',
    'A4;Zimmer 4;Haus Meer;Zimmer;viel;EUR;1;Köln;',
    'A2;Zimmer 5;Haus Meer;Zimmer;70;EUR;1;Köln;',
    '=1+1;"=HYPERLINK(""http://x"")";Haus Meer;Zimmer;70;EUR;1;Köln;',
  )

  test('as a spreadsheet program exports them: planned, made once, errors by row and column', async () => {
    const planned = await plan('units', Buffer.from(file, 'latin1'))
    assert.equal(planned.error_message, null)
    assert.deepEqual([planned.status, planned.row_count, planned.planned_count], ['planned', 6, 6])
    assert.deepEqual(planned.mapping.map(({ field, column }) => `${field}: ${column}`).sort(), [
      'base_price: Preis pro Nacht',
      'bathrooms: Badezimmer',
      'city: Ort',
      'currency: Währung',
      'name: Bezeichnung',
      'reference: Objektnummer',
      'space: Anlage',
      'type: Objektart',
    ])
    assert.deepEqual(countsOf(planned), ['create 3 0', 'error 3 0'])
    assert.deepEqual(await errorsOf(planned.id), [
      [5, 'Objektart', 'unknown_value', 'Raumschiff'],
      [6, 'Preis pro Nacht', 'not_amount', 'viel'],
      [7, null, 'duplicate', null],
    ])
    assert.equal((await read('units?limit=100')).units.length, 0, 'a plan makes nothing')

    const done = await run(planned.id)
    assert.deepEqual([done.status, ...countsOf(done)], ['completed', 'create 3 3', 'error 3 0'])
    const { units } = await read('units?limit=100&sort=-name')
    assert.deepEqual(
      units.map((unit: Record<string, unknown>) => [
        unit['name'],
        unit['base_price_cents'],
        unit['bathrooms'],
      ]),
      [
        ['Zimmer 2', 8_000, 1],
        ['Suite "Süd";', 123_450, 1.5],
        ['=HYPERLINK("http://x")', 7_000, 1],
      ],
    )
    const { spaces } = await read('spaces?limit=100')
    assert.deepEqual(
      spaces.map((space: Record<string, unknown>) => [space['name'], space['city'], space['currency']]),
      [['Haus Meer', 'Köln', 'eur']],
    )

    const again = await run((await plan('units', file)).id)
    assert.deepEqual(countsOf(again), ['error 3 0', 'match 3 3'])
    assert.equal((await read('units?limit=100')).units.length, 3)
    expectProblem(await owner.post(`/api/v1/file-imports/${again.id}/run`), 409, 'invalid-status-transition')
  })

  test('another mapping plans again', async () => {
    const failed = await plan('units', '﻿What\tPer night\nLoft\t120\n')
    assert.deepEqual(
      [failed.status, failed.error_message, failed.columns],
      ['failed', 'No column is mapped to name, base_price.', ['What', 'Per night']],
    )
    const path = `/api/v1/file-imports/${failed.id}`
    expectProblem(await owner.post(`${path}/run`), 409, 'invalid-status-transition')
    const mapping = [
      { field: 'name', column: 'What' },
      { field: 'base_price', column: 'Per night' },
    ]
    for (const wrong of [
      { field: 'name', column: 'Else' },
      { field: 'guest_name', column: 'What' },
    ])
      expectProblem(await owner.patch(path, { mapping: [wrong] }), 422, 'semantic-error')
    expectStatus(await owner.patch(path, { mapping }), 200)
    const planned = await ended(failed.id)
    assert.deepEqual([planned.status, ...countsOf(planned)], ['planned', 'create 1 0'])
    const key = { 'idempotency-key': 'cancelled-once' }
    for (const isRepeated of [null, 'true']) {
      const cancelled = await owner.post(`${path}/cancel`, undefined, key)
      assert.equal(expectStatus(cancelled, 200).file_import.status, 'cancelled')
      assert.equal(cancelled.headers.get('idempotent-replayed'), isRepeated)
    }
    expectStatus(await stranger.get(path), 404)
  })

  test('refuses what is no table', async () => {
    for (const [body, status, code] of [
      ['', 400, 'unsupported-media'],
      ['{"units": [1]}', 422, 'semantic-error'],
      ['[{', 422, 'semantic-error'],
      ['name,price\n', 422, 'semantic-error'],
      ['name,price\n"Loft', 422, 'semantic-error'],
      [`name\n"${'x'.repeat(2_000_000)}`, 422, 'semantic-error'],
      [Buffer.from([0x4d, 0x5a, 0, 0, 1, 2]), 422, 'semantic-error'],
      ['x'.repeat(21 * 1_048_576), 400, 'file-too-large'],
    ] as const)
      expectProblem(await send('units', body), status, code)
    const elsewhere = `units&account_id=${world.away.accountId}`
    expectProblem(await send(elsewhere, 'name\nx'), 422, 'reference-not-found')
    expectStatus(await send('units', 'name\nx', await world.home.as('staff')), 403)
  })
})

suite('rates and bookings from a file', () => {
  const year = new Date().getFullYear() + 1

  test('rates set nights of units that are named by their reference', async () => {
    await run((await plan('units', 'id,name,price,currency\nR1,Cabin,100,eur\nR2,Hut,100,eur\n')).id)
    const rates = lines(
      'unit id,date,to,price,min nights,cta',
      `R1,01.07.${year},03.07.${year},150.5,3,yes`,
      `R1,04.07.${year},,160,,no`,
      `R2,2020-01-01,,90,,`,
      `R9,01.07.${year},,90,,`,
      `R2,31.06.${year},,90,,`,
    )
    const planned = await plan('rates', rates)
    assert.deepEqual(countsOf(planned), ['error 2 0', 'skip 1 0', 'update 2 0'])
    assert.deepEqual(await errorsOf(planned.id), [
      [5, 'unit id', 'reference_not_found', 'R9'],
      [6, 'date', 'not_date', `31.06.${year}`],
    ])
    assert.equal((await run(planned.id)).status, 'completed')
    const { units } = await read('units?q=Cabin')
    const { calendar } = await read(`calendar?unit_id=${units[0].id}&from=${year}-06-30&to=${year}-07-05`)
    assert.deepEqual(
      calendar[0].plans[0].days.map((days: Record<string, unknown>) => [
        days['date_to'],
        days['price_cents'],
        days['min_stay_arrival'],
        days['closed_to_arrival'],
      ]),
      [
        [`${year}-06-30`, 10_000, 1, false],
        [`${year}-07-03`, 15_050, 3, true],
        [`${year}-07-04`, 16_000, 1, false],
        [`${year}-07-05`, 10_000, 1, false],
      ],
    )
  })

  test('bookings are made once, in JSON too, and their guests are not notified', async () => {
    const bookings = [
      {
        booking_id: 'B1',
        unit: 'Hut',
        guest_name: 'Ada',
        guest_email: 'ada@example.com',
        arrival: `${year}-08-01`,
        departure: `${year}-08-04`,
        total: 300.5,
      },
      {
        booking_id: 'B2',
        unit: 'Hut',
        guest_name: 'Bo',
        arrival: `${year}-08-03`,
        departure: `${year}-08-05`,
      },
      { booking_id: 'B3', unit: 'Hut', guest_name: 'Cy', arrival: '2024-03-01', departure: '2024-03-02' },
      {
        booking_id: 'B4',
        unit: 'Hut',
        guest_name: 'Di',
        arrival: `${year}-09-01`,
        departure: `${year}-09-02`,
        status: 'cancelled',
      },
    ]
    const planned = await plan('bookings', JSON.stringify({ bookings }))
    assert.deepEqual(countsOf(planned), ['create 2 0', 'error 1 0', 'skip 1 0'])
    assert.deepEqual(await errorsOf(planned.id), [[2, null, 'booking-conflict', null]])
    const done = await run(planned.id)
    assert.deepEqual(countsOf(done), ['create 2 2', 'error 1 0', 'skip 1 0'])
    const again = await run((await plan('bookings', JSON.stringify(bookings))).id)
    assert.deepEqual(countsOf(again), ['error 1 0', 'match 2 2', 'skip 1 0'])
    const { bookings: made } = await read('bookings?limit=100')
    assert.deepEqual(
      made
        .map(({ guestName, totalCents, externalId, source }: Record<string, unknown>) => [
          guestName,
          totalCents,
          externalId,
          source,
        ])
        .sort(),
      [
        ['Ada', 30_050, 'B1', 'manual'],
        ['Cy', 10_000, 'B3', 'manual'],
      ],
    )
    await world.settled()
    const { notifications } = await read('notifications?limit=100')
    assert.deepEqual(notifications, [])
  })
})
