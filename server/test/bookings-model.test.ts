import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { channexWorld, decide, openProperty, plansOf, shownBy, type Property } from './channex-live.ts'
import { untilInSync } from './linked-units.ts'
import {
  bookingsOf,
  conflictsOf,
  poll,
  roomLine,
  sendBooking,
  subscribeToBookings,
  waitForEmptyFeed,
} from './pms-bookings.ts'
import { addUnit } from './records.ts'

/** Bookings made here and at channels at the same time, with troubles: no night is sold twice, and none is lost. */

const setup = channexWorld({ limited: false })
const lastDay = 12

interface Stay {
  readonly room: number
  readonly from: number
  readonly nights: number
}
type Action = Stay & {
  readonly kind: 'book' | 'move' | 'cancel' | 'reserve' | 'revise' | 'withdraw' | 'block' | 'relink' | 'fault'
  /** Which of those that there are. */
  readonly which: number
}

const action: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom(
    'book',
    'book',
    'move',
    'cancel',
    'reserve',
    'reserve',
    'revise',
    'withdraw',
    'block',
    'relink',
    'fault',
  ),
  room: fc.nat(1),
  from: fc.nat(7),
  nights: fc.integer({ min: 1, max: 4 }),
  which: fc.nat(),
})

/** After which revisions Channex counts its rooms again by itself. */
const counting = fc.record({
  allow_availability_autoupdate_on_confirmation: fc.boolean(),
  allow_availability_autoupdate_on_modification: fc.boolean(),
  allow_availability_autoupdate_on_cancellation: fc.boolean(),
})

const faults = [
  { mode: 'lose_reply', times: 1 },
  { mode: 'refuse', status: 503, times: 1 },
  { mode: 'garbage', times: 1 },
  { mode: 'slow', delay_ms: 200, times: 2 },
]

const revisions = { reserve: 'new', revise: 'modified', withdraw: 'cancelled' }

class Story {
  readonly property: Property
  /** The unit that each room at the PMS is linked to, and after them one that no room is linked to. */
  readonly units: string[]
  /** Bookings here, by id. */
  readonly ours: string[] = []
  /** What the channels have sold, by the id at the PMS; null was withdrawn. */
  readonly reservations = new Map<string, Stay | null>()
  /** Nights of units. */
  readonly blocked = new Set<string>()

  constructor(property: Property, spareUnit: string) {
    this.property = property
    this.units = [...property.rooms.map(({ unitId }) => unitId), spareUnit]
  }

  async take({ kind, which, ...stay }: Action): Promise<void> {
    const { owner } = setup
    const { property, ours } = this
    const { room, from, nights } = stay
    const unitId = this.units[room]!
    const dates = { checkIn: property.day(from), checkOut: property.day(from + nights) }
    const booking = ours[which % ours.length]
    if (kind === 'book') {
      const reply = await owner.post('/api/v1/bookings', { unitId, guestName: 'Ada', ...dates })
      if (reply.status === 201) ours.push(reply.body.booking.id)
    } else if (kind === 'move' && booking)
      await owner.patch(`/api/v1/bookings/${booking}`, { unitId, ...dates })
    else if (kind === 'cancel' && booking)
      await owner.patch(`/api/v1/bookings/${booking}`, { status: 'cancelled' })
    else if (kind === 'reserve' || kind === 'revise' || kind === 'withdraw')
      await (this.sent = this.sent.then(() => this.sell(kind, which, stay)))
    else if (kind === 'block') {
      this.blocked.add(`${unitId} ${from}`)
      await decide(setup, {
        unit_id: unitId,
        date_from: property.day(from),
        date_to: property.day(from),
        blocked: 1,
      })
    } else if (kind === 'relink') await this.relink(room)
    else if (kind === 'fault')
      await setup.control('PUT', 'faults', {
        ...faults[which % faults.length],
        property: property.propertyId,
      })
  }

  /** Links the room to the unit that has none. */
  private async relink(room: number): Promise<void> {
    const { owner } = setup
    const { property, units } = this
    const { listingId, roomTypeId, plans } = property.rooms[room]!
    const [unitId, spare] = [units[room]!, units.at(-1)!]
    const [plan] = await plansOf(owner, spare)
    const { status } = await owner.put(`/api/v1/channel-listings/${listingId}`, {
      unit_id: spare,
      channel_target_id: property.targetId,
      external_id: roomTypeId,
      rate_plans: [{ rate_plan_id: plan!.id, external_id: plans[0]!.externalId }],
    })
    if (status === 200) [units[room], units[units.length - 1]] = [spare, unitId]
  }

  /** One after the other, so that it is known which revision is the last one. */
  private sent = Promise.resolve()
  private async sell(kind: keyof typeof revisions, which: number, stay: Stay): Promise<void> {
    const sold = [...this.reservations].filter(([, one]) => one !== null)
    const booking_id = kind === 'reserve' ? undefined : sold[which % sold.length]?.[0]
    if (kind !== 'reserve' && booking_id === undefined) return
    const status = revisions[kind]
    const { roomTypeId, plans } = this.property.rooms[stay.room]!
    const place = { roomTypeId, planId: plans[0]!.externalId, from: stay.from, to: stay.from + stay.nights }
    const { attributes } = await sendBooking(setup, this.property, {
      ...(booking_id !== undefined && { booking_id }),
      status,
      rooms: [roomLine(this.property, place)],
    })
    this.reservations.set(attributes.booking_id, status === 'cancelled' ? null : stay)
  }
}

/** Until everything is known here and there. A difference is read again for a minute before it is repaired. */
async function settle({ property }: Story): Promise<void> {
  await setup.control('DELETE', `faults?property=${property.propertyId}`)
  await poll(setup.world)
  await waitForEmptyFeed(setup, property)
  await untilInSync(setup.world, setup.owner, property.rooms, 150)
}

async function expectNothingSoldTwice({ property, units, reservations, blocked }: Story): Promise<void> {
  const { owner } = setup
  const shown = await shownBy(setup, property, property.day(0), property.day(lastDay))
  const conflicts = await conflictsOf(owner, property.targetId, '&status=open')
  const found = new Map(conflicts.map(({ external_id }) => [external_id, 'open conflict']))
  const booked = new Set<string>()
  for (const [room, unitId] of units.entries()) {
    const roomTypeId = property.rooms[room]?.roomTypeId
    const taking = (await bookingsOf(owner, unitId)).filter(({ status }) => status !== 'cancelled')
    for (const { externalId, source, arrival, departure } of taking)
      if (source === 'pms') {
        assert.ok(!booked.has(externalId), `${externalId} has two bookings`)
        booked.add(externalId)
        // A booking whose revision does not fit keeps its room, and has a conflict.
        if (!found.has(externalId)) found.set(externalId, `${room} ${arrival} ${departure}`)
      }
    for (let day = 0; day <= lastDay; day++) {
      const date = property.day(day)
      const stays = taking.filter(({ arrival, departure }) => arrival <= date && date < departure)
      assert.ok(stays.length <= 1, `room ${room} has ${stays.length} stays on ${date}`)
      const isWaitedFor = conflicts.some(
        ({ external_id, unit_id }) =>
          unit_id === unitId && isNightOf(reservations.get(external_id.split('#')[0]!)!, day),
      )
      const isFree = stays.length === 0 && !isWaitedFor && !blocked.has(`${unitId} ${day}`)
      if (roomTypeId) assert.equal(shown.rooms[roomTypeId]![date], isFree ? 1 : 0, `room ${room} on ${date}`)
    }
  }
  for (const [id, stay] of reservations) {
    const [, here] = [...found].find(([externalId]) => externalId.split('#')[0] === id) ?? []
    const sold = stay && `${stay.room} ${property.day(stay.from)} ${property.day(stay.from + stay.nights)}`
    assert.ok(
      here === (sold ?? undefined) || (sold && here === 'open conflict'),
      `${id}: ${sold}, here ${here}`,
    )
  }
}

const isNightOf = ({ from, nights }: Stay, day: number) => from <= day && day < from + nights

suite('bookings from everywhere', () => {
  test('no night is sold twice, and every reservation is a booking or an open conflict', async () => {
    await fc.assert(
      fc.asyncProperty(
        counting,
        fc.array(fc.tuple(action, action), { minLength: 8, maxLength: 12 }),
        async (settings, pairs) => {
          const config = { debounce_ms: 0 }
          const property = await openProperty(setup, { rooms: 2, quantity: 1, config })
          await setup.api('PUT', `/properties/${property.propertyId}`, { property: { settings } })
          await subscribeToBookings(setup, property)
          const spare = await addUnit(setup.owner, { space_id: property.spaceId, base_price_cents: 9_000 })
          const story = new Story(property, spare.id)
          for (const pair of pairs) await Promise.all(pair.map((one) => story.take(one)))
          await settle(story)
          await expectNothingSoldTwice(story)
        },
      ),
      { numRuns: 4, endOnFailure: true },
    )
  })
})
