import assert from 'node:assert/strict'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { addBooking, addNotification } from './records.ts'
import { askFor } from './payments.ts'
import { addLinkedUnit, until, type LinkedUnit } from './linked-units.ts'
import { addEndpoint, openReceiver } from './webhook-receiver.ts'
import type { World } from './world.ts'

/** A guest with unique words in all stored data. */

export const ada = {
  name: 'Adalinde Quaxfield',
  email: 'Adalinde.Quax@guest.example',
  phone: '+351 912 777 333',
  notes: 'Wants the blue quaxroom',
}

/** Matches texts that identify the guest. */
const guestPattern = /quax|adalinde|912\s*777\s*333|912777333/i

export const findGuest = (text: string): string | null => {
  const at = text.search(guestPattern)
  return at < 0 ? null : text.slice(Math.max(0, at - 160), at + 60)
}

export interface Stays {
  readonly linked: LinkedUnit
  readonly direct: { id: string; version?: number }
  readonly atPms: { id: string; externalId: string }
  readonly receiver: Awaited<ReturnType<typeof openReceiver>>
}

let messageCount = 0

/** The message of the sandbox PMS for a booking of the guest. */
export const pmsMessage = (
  { externalId: unit_external_id }: Pick<LinkedUnit, 'externalId'>,
  id: string,
  fields: object = {},
) => ({
  id: `evt_guest_${++messageCount}`,
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

/** Adds direct and PMS bookings, mails, payments, webhook deliveries, conflicts and notes of the guest. */
export async function stay(world: World, owner: TestCaller): Promise<Stays> {
  const receiver = await openReceiver()
  receiver.answer('/hook', { status: 200, body: JSON.stringify(ada) })
  await addEndpoint(owner, `${receiver.url}/hook`)
  const linked = await addLinkedUnit(owner)
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
      await world.caller(null).post(`/webhooks/pms/${linked.targetId}`, pmsMessage(linked, id, fields)),
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
  const season = {
    name: `Friends of ${ada.email}`,
    values: [{ date_from: '2033-01-01', date_to: '2033-01-02', max_stay: 7 }],
  }
  const { id } = expectStatus(await owner.post('/api/v1/seasons', season), 201).season
  expectStatus(await owner.put(`/api/v1/seasons/${id}`, { ...season, name: 'Friends' }), 200)
  await addNotification(owner, { to: ada.email, subject: `Dear ${ada.name}`, body: ada.notes })
  await world.settled()
  const { bookings } = expectStatus(
    await owner.get(`/api/v1/bookings?unit_id=${linked.unitId}&source=pms`),
    200,
  )
  // The front desk has replaced the contact data; only the PMS still has those of the guest.
  const desk = { guestEmail: 'desk@casa.example', guestPhone: '+351 210 000 000' }
  expectStatus(await owner.patch(`/api/v1/bookings/${bookings[0].id}`, desk), 200)
  await until(
    async () => receiver.at('/hook').length,
    (count) => count >= 5,
  )
  receiver.answer('/hook', { status: 200 })
  return { linked, direct, atPms: bookings[0], receiver }
}

/** All rows of all tables, with the queue. */
export async function readRows(world: World): Promise<{ table: string; text: string }[]> {
  const database = openOwner(world.databaseUrl)
  const run = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
    (await database.pipelined({ orgId: null }, [statement]))[0]
  try {
    const tables = await run<{ name: string }>(
      sql`select table_schema || '.' || table_name as name from information_schema.tables
        where table_schema in ('public', 'queue') and table_type = 'BASE TABLE' order by 1`,
    )
    const found: { table: string; text: string }[] = []
    for (const { name } of tables)
      for (const { text } of await run<{ text: string }>(sql`select t::text as text from ${sql.ref(name)} t`))
        found.push({ table: name.replace('public.', ''), text })
    return found
  } finally {
    await database.close()
  }
}

/** The tables that contain the guest. */
export const tablesWithGuest = async (world: World) => [
  ...new Set((await readRows(world)).filter(({ text }) => findGuest(text)).map(({ table }) => table)),
]

/** Resolves with the erasure when it is completed. */
export const untilErased = (owner: TestCaller, id: string) =>
  until(
    async () => expectStatus(await owner.get(`/api/v1/guest-erasures/${id}`), 200).guest_erasure,
    ({ status }) => status === 'completed',
  )
