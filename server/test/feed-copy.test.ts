import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { Reply } from './caller.ts'
import { readFeed } from './events.ts'
import { expectStatus } from './expect.ts'
import { pmsMessage } from './guest-stays.ts'
import { addLinkedUnit, type LinkedUnit } from './linked-units.ts'
import { readList } from './read-list.ts'
import { addSpace } from './records.ts'
import { shareWorld } from './share-world.ts'

/** A program that follows the event feed has a copy of all records, whatever is changed at the same time. */

const { world, owner } = shareWorld({ workers: true })

/** By the first part of the type of their events: the name of the record in `data`, and its path. */
const kinds = {
  space: ['space', 'spaces'],
  unit: ['unit', 'units'],
  rate_plan: ['rate_plan', 'rate-plans'],
  booking: ['booking', 'bookings'],
  target: ['channel_target', 'channel-targets'],
  listing: ['channel_listing', 'channel-listings'],
  conflict: ['booking_conflict', 'booking-conflicts'],
  alert: ['alert', 'alerts'],
} as const
type Kind = keyof typeof kinds
const kindNames = Object.keys(kinds) as Kind[]
const pathOf = (kind: Kind, id = '') => `/api/v1/${kinds[kind][1]}${id && `/${id}`}`

/** Members that change without an event, because another record or a push changes them (docs/guides/receive-webhooks.md). */
const derived: Partial<Record<Kind, readonly string[]>> = {
  unit: ['space'],
  booking: ['spaceId', 'ratePlanId', 'channelTargetId', 'checkIn', 'checkOut', 'updatedAt'],
  listing: ['unit', 'channel_target', 'last_synced_at', 'error_message', 'updated_at'],
}

type TestRecord = { id: string; status?: string } & Record<string, unknown>

const action = fc.record({
  kind: fc.constantFrom(
    ...(['make', 'make', 'change', 'change', 'change', 'delete'] as const),
    ...(['revise', 'revise', 'decide', 'pause'] as const),
  ),
  of: fc.constantFrom<Kind>('space', 'unit', 'unit', 'rate_plan', 'booking', 'booking', 'target', 'listing'),
  which: fc.nat(),
  value: fc.nat(40),
})
type Action = typeof action extends fc.Arbitrary<infer One> ? One : never

let made = 0

class Story {
  readonly linked: LinkedUnit
  readonly email = `guest-${++made}@example.com`
  readonly ids = Object.fromEntries(kindNames.map((kind) => [kind, [] as string[]])) as Record<Kind, string[]>

  constructor(linked: LinkedUnit) {
    this.linked = linked
    this.ids.unit.push(linked.unitId)
    this.ids.target.push(linked.targetId)
    this.ids.listing.push(linked.listingId)
  }

  async take({ kind, of, which, value }: Action): Promise<void> {
    const pick = (from: Kind) => this.ids[from][which % this.ids[from].length]
    const id = pick(of)
    const stay = { checkIn: day(value), checkOut: day(value + 1 + (which % 3)) }
    if (kind === 'make') {
      const reply = await owner.post(pathOf(of), this.input(of, pick, value, stay))
      if (expectNoFault(reply).status === 201) this.ids[of].push(reply.body[kinds[of][0]].id)
    } else if (kind === 'change' && id) {
      const changes = changesOf(of, value, stay, pick)
      expectNoFault(await owner.patch(pathOf(of, id), changes[which % changes.length]))
    } else if (kind === 'delete' && id) expectNoFault(await owner.delete(pathOf(of, id)))
    else if (kind === 'revise') await this.revise(which, value)
    else if (kind === 'decide') await this.decide(which, pick('unit')!)
    else if (kind === 'pause' && (of === 'target' || of === 'listing') && id)
      expectNoFault(
        await (which % 2 ? owner.post(`${pathOf(of, id)}/pause`) : owner.delete(`${pathOf(of, id)}/pause`)),
      )
  }

  private input(of: Kind, pick: (from: Kind) => string | undefined, value: number, stay: object): object {
    const name = `${of} ${++made}`
    const [unit_id, unitId] = [pick('unit'), pick('unit')]
    const space_id = pick('space') ?? this.linked.spaceId
    const guest = { guestName: name, guestEmail: value % 2 ? this.email : null }
    const inputs: Partial<Record<Kind, object>> = {
      space: { name },
      unit: { name, space_id, base_price_cents: 7_000, quantity: 1 + (value % 2) },
      rate_plan: { name, unit_id, is_default: value % 2 === 0 },
      booking: { unitId, ...guest, ...stay, totalCents: 9_000, status: value % 3 ? 'confirmed' : 'pending' },
      target: { channel_type: 'pms', name },
      listing: { unit_id, channel_target_id: pick('target'), external_id: name },
    }
    return inputs[of]!
  }

  /** A message of the PMS, of one of a few bookings, sometimes for a room that is not linked. */
  private async revise(which: number, value: number): Promise<void> {
    const { targetId } = this.linked
    const room = value % 8 === 0 ? { externalId: 'unknown' } : this.linked
    const fields = {
      ...{ check_in: day(value), check_out: day(value + 2), guest_email: this.email },
      revised_at: new Date().toISOString(),
    }
    const type = ['booking.created', 'booking.updated', 'booking.cancelled'][which % 3]
    const message = { ...pmsMessage(room, `${this.linked.externalId} ${which % 5}`, fields), type }
    expectStatus(await world.caller(null).post(`/webhooks/pms/${targetId}`, message), 200)
  }

  private async decide(which: number, unit_id: string): Promise<void> {
    const list = expectStatus(await owner.get('/api/v1/booking-conflicts?status=open'), 200).booking_conflicts
    const path = list.length > 0 ? pathOf('conflict', list[which % list.length].id) : null
    if (path === null) return
    expectNoFault(
      which % 2
        ? await owner.post(`${path}/dismissal`, { reason: 'A test.' })
        : await owner.post(`${path}/acceptance`, { unit_id }),
    )
  }
}

const day = (n: number) => new Date(Date.UTC(2031, 5, 1 + n)).toISOString().slice(0, 10)

/** What cannot be done at the moment is a problem, and changes nothing. */
function expectNoFault(reply: Reply): Reply {
  assert.ok(reply.status < 500, reply.text)
  return reply
}

function changesOf(
  of: Kind,
  value: number,
  stay: object,
  pick: (from: Kind) => string | undefined,
): readonly object[] {
  const name = `${of} ${++made}`
  const changes: Partial<Record<Kind, readonly object[]>> = {
    space: [{ name }, { status: value % 2 ? 'inactive' : 'active' }, { city: name }],
    unit: [
      ...[{ name }, { base_price_cents: 8_000 + value }, { quantity: 1 + (value % 3) }],
      ...[{ status: value % 2 ? 'active' : 'archived' }, { currency: value % 2 ? 'eur' : 'usd' }],
      { space_id: pick('space') },
    ],
    rate_plan: [{ name }, { is_default: true }, { status: value % 2 ? 'active' : 'archived' }],
    booking: [
      ...[{ guestName: name }, { notes: name }, { totalCents: 9_000 + value }, stay],
      ...[{ status: 'confirmed' }, { status: 'cancelled' }, { unitId: pick('unit') }],
    ],
    target: [{ name }],
    listing: [{ external_id: name }],
  }
  return changes[of]!
}

const readRecords = (kind: Kind, filter = '') => readList<TestRecord>(owner, `${pathOf(kind)}?${filter}`)

/** The records that a reader of the feed has, by kind and id. */
async function copyFeed(): Promise<Record<Kind, Map<string, TestRecord>>> {
  const copy = Object.fromEntries(kindNames.map((kind) => [kind, new Map<string, TestRecord>()]))
  for (const { type, subject_id, data } of await readFeed(world, owner)) {
    const [kind, what] = data.alert ? ['alert'] : type.split('.')
    const record = data[kinds[kind as Kind]?.[0]]
    if (what === 'deleted') copy[kind]!.delete(subject_id)
    else if (record) copy[kind]!.set(subject_id, record)
    // Its conflicts are deleted with a target.
    if (type === 'target.deleted')
      for (const [id, conflict] of copy['conflict']!)
        if (conflict['channel_target_id'] === subject_id) copy['conflict']!.delete(id)
  }
  return copy as Record<Kind, Map<string, TestRecord>>
}

const idsOf = (records: Iterable<TestRecord>) => [...records].map(({ id }) => id).toSorted()

async function expectCopy(): Promise<void> {
  const copy = await copyFeed()
  for (const kind of ['conflict', 'alert'] as const) {
    const open = [...copy[kind].values()].filter(({ status }) => status === 'open')
    assert.deepEqual(idsOf(open), idsOf(await readRecords(kind, 'status=open')), kind)
  }
  for (const kind of kindNames) {
    if (kind === 'conflict' || kind === 'alert') continue
    const own = ({ ...record }: TestRecord) => {
      for (const name of derived[kind] ?? []) delete record[name]
      return [record.id, record] as const
    }
    const copied = Object.fromEntries([...copy[kind].values()].map(own))
    assert.deepEqual(copied, Object.fromEntries((await readRecords(kind)).map(own)), kind)
  }
}

suite('a copy of the feed', () => {
  test('equals the records after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(action, action, action), { minLength: 25, maxLength: 30 }),
        async (rounds) => {
          await addSpace(owner)
          const story = new Story(await addLinkedUnit(owner))
          for (const round of rounds) await Promise.all(round.map((one) => story.take(one)))
          await world.settled()
          expectStatus(await owner.post('/api/v1/guest-erasures', { email: story.email }), 201)
          await world.settled()
          await expectCopy()
        },
      ),
      { numRuns: 4, endOnFailure: true },
    )
  })
})
