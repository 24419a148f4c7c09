import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFile, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectStatus } from '#test/expect.ts'
import { ada, pmsMessage } from '#test/guest-stays.ts'
import { runCommand } from '#test/run-command.ts'
import { addBooking } from '#test/records.ts'
import { addLinkedUnit, until, type LinkedUnit } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { erasedName } from './guest.ts'
import { appendToJournal, erasureJournalPath, readJournal, type JournalEntry } from './erasure-journal.ts'

/** A restored database in which guests are not erased yet. */

const key = `kept:${Buffer.alloc(32, 7).toString('base64')}`
const { world, owner } = shareWorld({ workers: true, env: { SECRET_KEYS: key } })
let linked: LinkedUnit
let env: Record<string, string>

before(async () => {
  linked = await addLinkedUnit(owner)
  const { database, identity, home } = world.config
  env = {
    ...{ DATABASE_URL: database.url, VACANCY_HOME: home, SECRET_KEYS: key },
    ...{ OIDC_ISSUER: identity.issuer, OIDC_AUDIENCE: identity.audience },
    ...{ VACANCY_URL: world.url, VACANCY_TOKEN: owner.token! },
  }
})

async function asOwner(...statements: ReturnType<typeof sql>[]): Promise<void> {
  const database = openOwner(world.databaseUrl)
  await database.pipelined({ orgId: null }, statements)
  await database.close()
}

const tell = async (fields: object = {}) =>
  expectStatus(
    await world.caller(null).post(`/webhooks/pms/${linked.targetId}`, pmsMessage(linked, 'PMS-R', fields)),
    200,
  )
const nameOf = async (id: string) =>
  (await owner.get(`/api/v1/bookings/${id}`)).body.booking.guestName as string

suite('guests after a restore', () => {
  test('the command line exports and erases a guest, and repeats the erasure after a restore', async () => {
    const direct = await addBooking(owner, {
      ...{ unitId: linked.unitId, checkIn: '2031-01-01', checkOut: '2031-01-03' },
      ...{ guestName: ada.name, guestEmail: ada.email },
    })
    await tell()
    await world.settled()
    const exported = await runCommand(['guest', 'export', '--email', ada.email], env)
    assert.equal(exported.code, 0, exported.output)
    assert.equal(JSON.parse(exported.output).bookings.length, 2)
    await asOwner(
      sql`create table kept as select id, guest_name, guest_email, guest_phone, notes from bookings`,
    )
    const done = await runCommand(['guest', 'erase', '--email', ada.email], env)
    assert.equal(done.code, 0, done.output)
    assert.match(done.output, /^Erasure .* completed: found 2 bookings, erased .*2 bookings/)
    assert.equal(await nameOf(direct.id), erasedName)

    await asOwner(
      sql`update bookings b set guest_name = k.guest_name, guest_email = k.guest_email, guest_phone = k.guest_phone,
        notes = k.notes, guest_erased_at = null from kept k where k.id = b.id`,
      sql`drop table kept`,
      sql`delete from erased_bookings`,
      sql`delete from guest_erasures`,
    )
    assert.equal(await nameOf(direct.id), ada.name, 'the restored database knows the guest')
    const replayed = await runCommand(['guest', 'replay-erasures', '--json'], env)
    assert.deepEqual(JSON.parse(replayed.output), { erasures: 1, asked: 1 })
    await until(
      () => nameOf(direct.id),
      (name) => name === erasedName,
    )
    await tell({ check_out: '2031-08-09' })
    const { bookings } = await until(
      async () => (await owner.get(`/api/v1/bookings?unit_id=${linked.unitId}&source=pms`)).body,
      (body) => body.bookings[0].departure === '2031-08-09',
    )
    assert.deepEqual([bookings[0].guestName, bookings[0].guestEmail], [erasedName, null])
  })

  test('a booking unknown to the restored database does not restore its guest', async () => {
    await asOwner(
      sql`delete from erased_bookings`,
      sql`delete from guest_erasures`,
      sql`delete from pms_bookings`,
      sql`delete from bookings where source = 'pms'`,
    )
    const again = await runCommand(['guest', 'replay-erasures'], env)
    assert.equal(again.code, 0, again.output)
    await world.settled()
    await tell()
    const { bookings } = await until(
      async () => (await owner.get(`/api/v1/bookings?unit_id=${linked.unitId}&source=pms`)).body,
      (body) => body.bookings.length === 1,
    )
    assert.deepEqual(
      [bookings[0].guestName, bookings[0].guestEmail, bookings[0].notes],
      ['Guest', null, null],
    )
  })

  test('an entry that a full disk cut off hides neither its repetition nor other entries', async () => {
    const folder = join(world.config.home, 'full')
    const path = erasureJournalPath(folder)
    const entries = [1, 2, 3].map((): JournalEntry => {
      const bookings = [{ booking_id: randomUUID(), channel_target_id: null, pms_booking_id: null }]
      const requested_at = new Date().toISOString()
      return {
        ...{ id: randomUUID(), org_id: world.home.id, subject: 'email', subject_hash: 'kept:0' },
        ...{ requested_at, bookings },
      }
    })
    await appendToJournal(folder, entries[0]!)
    await appendToJournal(folder, entries[1]!)
    await truncate(path, (await readFile(path)).length - 40)
    await assert.rejects(readJournal(path), /Line \d+ of .* is not an erasure/)
    await appendToJournal(folder, entries[1]!)
    await appendToJournal(folder, entries[2]!)
    assert.deepEqual(await readJournal(path), entries)
  })

  test('rejects an invalid journal without changes', async () => {
    const path = erasureJournalPath(world.config.home)
    assert.ok(!(await readFile(path, 'utf8')).includes('uax'), 'the journal contains no guest')
    await appendFile(path, '{"id":"x"}\n')
    const { code, output } = await runCommand(['guest', 'replay-erasures'], env)
    assert.deepEqual([code, /Line \d+ of .* is not an erasure/.test(output)], [1, true], output)
    const missing = await runCommand(['guest', 'replay-erasures', '--journal', '/nowhere'], env)
    assert.deepEqual([missing.code, /There is no journal \/nowhere/.test(missing.output)], [1, true])
    assert.equal((await runCommand(['guest', 'export'], env)).code, 2)
  })
})
