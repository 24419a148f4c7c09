import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { oddVariants } from '#test/odd-variants.ts'
import { assertFailure, day, pmsControl, type FixtureBooking, type PmsFixture } from '#test/pms-fixture.ts'
import { pmsFixtures } from '#test/pms-fixtures.ts'
import { openReceiver, type Receiver } from '#test/webhook-receiver.ts'
import type { CallContext } from './pms-call.ts'
import type { PmsBooking, PmsBookings } from './pms-booking.ts'
import type { NoticeBody, NoticeReader } from './pms-notice.ts'

/** What every provider that reads bookings must do: no booking, change or cancellation may be missed. */

for (const [name, open] of Object.entries(pmsFixtures))
  suite(name, () => {
    let fixture: PmsFixture
    let bookings: PmsBookings
    let control: ReturnType<typeof pmsControl>
    let receiver: Receiver
    before(async () => {
      fixture = await open()
      bookings = fixture.connect().bookings
      assert.equal(!fixture.saveBooking, !bookings.polling, 'a fixture makes bookings where they are polled')
      control = pmsControl(fixture.url)
      receiver = await openReceiver()
    })
    after(async () => {
      await fixture[Symbol.asyncDispose]()
      await receiver.close()
    })

    const stay = (fields: Partial<FixtureBooking> = {}): FixtureBooking => ({
      unit: fixture.units[0]!,
      arrival: day(20),
      departure: day(23),
      guestName: 'Ada Lovelace',
      totalCents: 24_050,
      ...fields,
    })
    const save = (booking: FixtureBooking, id?: string) => fixture.saveBooking!(booking, id)
    const find = async (id: string, call: CallContext = {}) => {
      const found = await bookings.fetch({ id, revision: null }, null, call)
      assert.ok(found, `the booking ${id} is not found`)
      return found
    }
    const summaryOf = ({ id, status, guestName, currency, lines }: PmsBooking) => ({
      ...{ id, status, guestName, currency },
      lines: lines.map(({ listing, arrival, departure, rooms, guests, totalCents }) => ({
        ...{ listing, arrival, departure, rooms, guests, totalCents },
      })),
    })
    const readSince = async (
      time: Date,
      eachPage?: (page: readonly PmsBooking[]) => Promise<void>,
      call: CallContext = {},
    ) => {
      const found: PmsBooking[] = []
      for await (const page of bookings.polling!.changedSince(time, call)) {
        found.push(...page)
        await eachPage?.(page)
      }
      return found
    }

    test('a booking is read as it was made, changed and cancelled', async (t) => {
      if (!fixture.saveBooking) return t.diagnostic('bookings arrive in messages')
      const id = await save(stay())
      const made = await find(id)
      const line = { listing: fixture.units[0]!.externalId, arrival: day(20), departure: day(23) }
      assert.deepEqual(summaryOf(made), {
        ...{ id, status: 'confirmed', guestName: 'Ada Lovelace', currency: 'eur' },
        lines: [{ ...line, rooms: 1, guests: 2, totalCents: 24_050 }],
      })
      await save(stay({ arrival: day(21), departure: day(25), totalCents: 30_000 }), id)
      const changed = await find(id)
      assert.deepEqual(summaryOf(changed).lines, [
        { ...line, arrival: day(21), departure: day(25), rooms: 1, guests: 2, totalCents: 30_000 },
      ])
      assert.ok(changed.revisedAt! >= made.revisedAt!, 'a change has no earlier time')
      await save(stay({ isCancelled: true }), id)
      assert.equal((await find(id)).status, 'cancelled')
      const listed = (await readSince(new Date(0))).filter((booking) => booking.id === id)
      assert.equal(listed.at(-1)?.status, 'cancelled', 'a cancelled booking is among the changed ones')
    })

    test('a booking that it does not have is null', async (t) => {
      if (!fixture.saveBooking) return t.diagnostic('bookings arrive in messages')
      for (const id of ['999999999', 'no such/booking?'])
        assert.equal(await bookings.fetch({ id, revision: null }, null, {}), null)
    })

    test('bookings of the second in which the time lies are read, also by a later poll', async (t) => {
      if (!fixture.saveBooking) return t.diagnostic('bookings arrive in messages')
      const first = await save(stay())
      const { revisedAt } = await find(first)
      const time = new Date(Math.floor(Date.parse(revisedAt!) / 1_000) * 1_000)
      assert.ok((await readSince(time)).some(({ id }) => id === first))
      const second = await save(stay({ unit: fixture.units[1]! }))
      const later = (await readSince(time)).map(({ id }) => id)
      for (const id of [first, second]) assert.ok(later.includes(id), `a later poll misses ${id}`)
    })

    test('of many bookings none is missed, although some change while they are read', async (t) => {
      if (!fixture.saveBooking) return t.diagnostic('bookings arrive in messages')
      const ids: string[] = []
      for (let n = 0; n < 230; n += 1) ids.push(await save(stay({ unit: fixture.units[n % 8]! })))
      const startedAt = new Date()
      const changed: string[] = []
      let pages = 0
      const found = await readSince(new Date(0), async (page) => {
        if (pages++ > 0) return
        changed.push(...page.slice(0, 5).map(({ id }) => id))
        for (const id of changed) await save(stay({ totalCents: 1 }), id)
      })
      assert.ok(pages > 1, 'more than one page is read')
      const missing = (wanted: string[], read: PmsBooking[]) =>
        wanted.filter((id) => !read.some((booking) => booking.id === id))
      const unchanged = ids.filter((id) => !changed.includes(id))
      assert.deepEqual(missing(unchanged, found), [], 'these did not change, and no later poll reads them')
      assert.deepEqual(
        missing(changed, await readSince(startedAt)),
        [],
        'these changed, and the next poll misses them',
      )
    })

    test('a revision is listed until it is acknowledged', async (t) => {
      if (!bookings.polling?.feed) return t.diagnostic('revisions are not acknowledged')
      const id = await save(stay())
      const listed = async () => {
        const found: PmsBooking[] = []
        for await (const page of bookings.polling!.feed!.unacknowledged({})) found.push(...page)
        return found.find((booking) => booking.id === id)
      }
      const { revision } = (await listed())!
      await bookings.polling.feed.acknowledge(revision!, {})
      assert.equal(await listed(), undefined)
    })

    test('its webhook is registered once, and names the booking and its sender', async (t) => {
      if (!fixture.saveBooking) return t.diagnostic('bookings arrive in messages')
      const url = `${receiver.url}/${name}`
      const messages = async (booking: FixtureBooking, id?: string) => {
        const before = receiver.received.length
        const saved = await save(booking, id)
        return { id: saved, received: receiver.received.slice(before) }
      }
      await bookings.polling!.subscribe(url, 'first secret', {})
      const { received: once } = await messages(stay())
      await bookings.polling!.subscribe(url, 'the secret', {})
      const { id, received } = await messages(stay())
      assert.ok(received.length > 0 && received.length === once.length, 'each message is sent once')
      const { noticeReader } = fixture.provider
      const kinds = new Set<string>()
      // The readers of all providers look at each message: one that throws would lose those of the others.
      for (const odd of oddVariants(JSON.parse(received[0]!.body)))
        assert.doesNotThrow(
          () => readNotice(fixture.provider.noticeReader, bookings, odd),
          `the reader throws for ${JSON.stringify(odd)}`,
        )
      for (const { headers, body } of received) {
        const notice = JSON.parse(body) as NoticeBody
        assert.deepEqual(await matchingReaders(notice), [name])
        kinds.add(noticeReader.parse(notice).kind)
        const ref = bookings.parseRef(notice)
        assert.equal(ref?.id, id)
        const { verify } = noticeReader
        // Those of Standard Webhooks are verified for all providers.
        if (!verify || headers['webhook-signature']) continue
        const isFrom = (secret: string, text = body) => verify(headers, secret, Buffer.from(text))
        assert.deepEqual([isFrom('the secret'), isFrom('first secret'), isFrom('')], [true, false, false])
        const read = await bookings.fetch(ref, { body: notice, occurredAt: new Date().toISOString() }, {})
        assert.equal(read?.id, id)
      }
      assert.ok(kinds.has('booking.created') || kinds.has('booking.updated'), [...kinds].join())
    })

    test('every call about bookings passes the rate limiter, and fails with the right code', async (t) => {
      if (!fixture.saveBooking) return t.diagnostic('bookings arrive in messages')
      const id = await save(stay())
      const calls = {
        fetch: (call: CallContext) => find(id, call),
        changedSince: (call: CallContext) => readSince(new Date(0), undefined, call),
        subscribe: (call: CallContext) =>
          bookings.polling!.subscribe(`${receiver.url}/${name}`, 'a secret', call),
      }
      for (const [method, run] of Object.entries(calls)) {
        let permitted = 0
        const rateLimiter = {
          acquire: () => Promise.resolve(void (permitted += 1)),
          recordResponse() {},
          recordFailure() {},
        }
        const arrived = await control.arriving(() => run({ rateLimiter }))
        assert.ok(arrived > 0)
        assert.equal(permitted, arrived, `${method}: calls that did not pass the rate limiter`)
        for (const [rule, code] of [
          [{ mode: 'refuse', status: 429, retry_after: 5 }, 'rate_limited'],
          [{ mode: 'refuse', status: 500 }, 'pms_unavailable'],
          [{ mode: 'garbage' }, 'pms_unavailable'],
          [{ mode: 'garbage', code: 'shape' }, 'pms_unavailable'],
          [{ mode: 'down' }, 'network'],
        ] as const) {
          await control.fault(rule)
          const failure = await run({}).then(
            () => `${method} accepted the response to ${JSON.stringify(rule)}`,
            (error: unknown) => error,
          )
          assertFailure(fixture, failure, code)
          await control.noFaults()
        }
      }
    })
  })

function readNotice(reader: NoticeReader, bookings: PmsBookings, odd: unknown) {
  // Only objects are accepted.
  if (odd === null || typeof odd !== 'object' || Array.isArray(odd)) return
  const notice = odd as NoticeBody
  reader.matches(notice)
  reader.parse(notice)
  bookings.parseRef(notice)
  reader.verify?.({}, 'secret', Buffer.from(JSON.stringify(odd)))
}

/** The providers that take a message without a target for theirs. */
async function matchingReaders(notice: NoticeBody): Promise<string[]> {
  const matching: string[] = []
  for (const [name, open] of Object.entries(pmsFixtures)) {
    await using fixture = await open()
    const { matches }: NoticeReader = fixture.provider.noticeReader
    if (name !== 'generic' && matches(notice)) matching.push(name)
  }
  return matching
}
