import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { expectProblem } from '#test/expect.ts'
import { addBooking, addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let unitId: string
before(async () => {
  const space = await addSpace(owner, { name: 'Casa "Azul", Évora' })
  unitId = (await addUnit(owner, { space_id: space.id, name: 'Room 1', quantity: 2_000 })).id
})

async function exported(query = '', caller = owner) {
  const { status, text, headers } = await caller.get(`/api/v1/bookings.csv${query}`)
  assert.equal(status, 200, text)
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
  const [header, ...lines] = text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n')
  return { header: header!, lines }
}

suite('bookings as CSV', () => {
  test('quotes fields where needed, and prevents formulas', async () => {
    const guest = { guestName: '=HYPERLINK("x")', guestPhone: '+351 912', notes: 'Two\nlines' }
    const { id } = await addBooking(owner, { unitId, ...guest, totalCents: 12_345 })
    const { header, lines } = await exported()
    assert.ok(header.startsWith('id,status,guest_name,guest_email,guest_phone,space,unit,arrival,departure,'))
    const name = '"\'=HYPERLINK(""x"")"'
    const start = `${id},confirmed,${name},,+351 912,"Casa ""Azul"", Évora",Room 1,2030-07-01,2030-07-04,3,1,1,12345,`
    assert.ok(lines[0]!.startsWith(start), lines[0])
    assert.ok(lines[0]!.includes(',"Two\nlines",'))
  })

  test('exports several pages, each booking once, in the requested order', async () => {
    for (let at = 0; at < 520; at += 10)
      await Promise.all(Array.from({ length: 10 }, () => addBooking(owner, { unitId, guestName: 'Many' })))
    const { lines } = await exported('?q=Many&sort=-check_in')
    assert.equal(lines.length, 520)
    assert.equal(new Set(lines.map((line) => line.slice(0, 36))).size, 520)
    assert.equal((await exported('?status=cancelled')).lines.length, 0)
    assert.equal((await exported(`?unitId=${unitId}`)).lines.length, 521)
  })

  test('omits contact data for callers who may not see it', async () => {
    const { header, lines } = await exported('', await world.home.as('viewer'))
    assert.doesNotMatch(header, /email|phone|notes/)
    assert.ok(!lines.some((line) => /\+351|Two/.test(line)))
    const filtered = await (await world.home.as('viewer')).get('/api/v1/bookings.csv?guest_phone=912')
    expectProblem(filtered, 403, 'forbidden')
  })

  test('shows another organization nothing, and rejects unknown parameters', async () => {
    assert.deepEqual((await exported('', await world.away.as('owner'))).lines, [])
    expectProblem(await owner.get('/api/v1/bookings.csv?limit=5'), 400, 'validation-error', '/limit')
    expectProblem(await owner.get('/api/v1/bookings.csv?status=new'), 400, 'validation-error', '/status')
  })
})
