import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { openOwner } from '#features/provisioning/provision.ts'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { addBooking } from './records.ts'
import { addNotification } from './records.ts'
import { askFor } from './payments.ts'
import { link, until, type Linked } from './stock.ts'
import { addEndpoint, openReceiver } from './webhook-receiver.ts'
import type { World } from './world.ts'

/** A guest who has left traces in everything that is kept, by words that nobody else would use. */

export const ada = {
  name: 'Adalinde Quaxfield',
  email: 'Adalinde.Quax@guest.example',
  phone: '+351 912 777 333',
  notes: 'Wants the blue quaxroom',
}

/** Every text that gives the guest away; the digits as somebody else would write them. */
const marks = /quax|adalinde|912\s*777\s*333|912777333/i

export const guestIn = (text: string): string | null => {
  const at = text.search(marks)
  return at < 0 ? null : text.slice(Math.max(0, at - 160), at + 60)
}

export interface Stays {
  readonly linked: Linked
  readonly direct: { id: string; version?: number }
  readonly atPms: { id: string; externalId: string }
  readonly receiver: Awaited<ReturnType<typeof openReceiver>>
}

let told = 0

/** What the stand-in PMS says of a booking of the guest. */
export const pmsWord = (
  { externalId: unit_external_id }: Pick<Linked, 'externalId'>,
  id: string,
  fields: object = {},
) => ({
  id: `evt_guest_${++told}`,
  type: 'booking.created',
  timestamp: new Date().toISOString(),
  data: {
    external_id: id,
    unit_external_id,
    check_in: '2031-08-01',
    check_out: '2031-08-04',
    total_cents: 30_000,
    guest_name: ada.name,
    guest_email: ada.email,
    guest_phone: ada.phone,
    notes: ada.notes,
    passport: 'QUAX-4711',
    ...fields,
  },
})

/** Bookings by both ways, mails, payments, webhooks whose receiver repeats them, conflicts, notes about the guest. */
export async function stay(world: World, owner: TestCaller): Promise<Stays> {
  const receiver = await openReceiver()
  receiver.answer('/hook', { status: 200, body: JSON.stringify(ada) })
  await addEndpoint(owner, `${receiver.url}/hook`)
  const linked = await link(owner)
  const guest = { guestName: ada.name, guestEmail: ada.email, guestPhone: ada.phone, notes: ada.notes }
  const direct = expectStatus(
    await owner.post(
      '/api/v1/bookings',
      { unitId: linked.unitId, checkIn: '2031-07-01', checkOut: '2031-07-04', totalCents: 20_000, ...guest },
      { 'idempotency-key': 'guest' },
    ),
    201,
  ).booking
  await owner.patch(`/api/v1/bookings/${direct.id}`, { guestEmail: ada.email.toLowerCase() })
  await askFor(owner, direct)
  const tell = async (id: string, fields: object = {}) =>
    expectStatus(
      await world.caller(null).post(`/webhooks/pms/${linked.targetId}`, pmsWord(linked, id, fields)),
      200,
    )
  await tell('PMS-QX-1')
  await tell('PMS-QX-2', { unit_external_id: 'unheard of' })
  const other = await addBooking(owner, {
    unitId: linked.unitId,
    checkIn: '2032-07-01',
    checkOut: '2032-07-03',
    notes: `Friend of ${ada.email}`,
  })
  assert.ok(other.id)
  const values = [
    {
      unit_id: linked.unitId,
      date_from: '2033-01-01',
      date_to: '2033-01-02',
      blocked: 1,
      reason: `for ${ada.email}`,
    },
  ]
  expectStatus(await owner.post('/api/v1/calendar', { values }), 201)
  await addNotification(owner, { to: ada.email, subject: `Dear ${ada.name}`, body: ada.notes })
  await world.settled()
  const { bookings } = expectStatus(
    await owner.get(`/api/v1/bookings?unit_id=${linked.unitId}&source=pms`),
    200,
  )
  // Only the PMS still has the guest's own address and number; the desk has put its own in their place.
  const desk = { guestEmail: 'desk@casa.example', guestPhone: '+351 210 000 000' }
  expectStatus(await owner.patch(`/api/v1/bookings/${bookings[0].id}`, desk), 200)
  await until(
    async () => receiver.at('/hook').length,
    (count) => count >= 5,
  )
  receiver.answer('/hook', { status: 200 })
  return { linked, direct, atPms: bookings[0], receiver }
}

/** Every row of every table, queue included, as the owner of the database sees it. */
export async function everyRow(world: World): Promise<{ table: string; text: string }[]> {
  const database = openOwner(world.databaseUrl)
  const run = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
    (await database.pipelined({ orgId: null }, [statement]))[0] as Row[]
  try {
    const tables = await run<{ name: string }>(
      sql`select table_schema || '.' || table_name as name from information_schema.tables
        where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE' order by 1`,
    )
    const found: { table: string; text: string }[] = []
    for (const { name } of tables)
      for (const { text } of await run<{ text: string }>(
        sql`select t::text as text from ${sql.table(name)} t`,
      ))
        found.push({ table: name.replace('public.', ''), text })
    return found
  } finally {
    await database.close()
  }
}

/** The tables in which the guest stands. */
export const tablesWithGuest = async (world: World) => [
  ...new Set((await everyRow(world)).filter(({ text }) => guestIn(text)).map(({ table }) => table)),
]
