import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { expectStatus } from '#test/expect.ts'
import {
  addBooking,
  addCharge,
  addListing,
  addPlan,
  addSeason,
  addSpace,
  addTarget,
  addUnit,
} from './records.ts'
import { shareWorld } from './share-world.ts'

const { owner } = shareWorld()
const name = 'São Øystein Straße'
const night = { checkIn: '2030-05-01', checkOut: '2030-05-03' }
const ids: Record<string, string> = {}

before(async () => {
  const space = await addSpace(owner, { name })
  const unit = await addUnit(owner, { space_id: space.id, name })
  const other = await addUnit(owner, { space_id: space.id, name: 'Loft' })
  const target = await addTarget(owner, { name })
  const listing = await addListing(owner, { unit_id: unit.id, channel_target_id: target.id })
  const plan = await addPlan(owner, { unit_id: unit.id, name })
  const charge = await addCharge(owner, { unit_id: unit.id, name })
  const season = await addSeason(owner, { name })
  const booking = await addBooking(owner, { unitId: other.id, guestName: name, ...night })
  const records = { units: unit, spaces: space, bookings: booking, 'channel-targets': target }
  const others = { 'channel-listings': listing, 'rate-plans': plan, charges: charge, seasons: season }
  for (const [list, { id }] of Object.entries({ ...records, ...others })) ids[list] = id
  ids['calendar'] = unit.id
})

const lists = ['units', 'spaces', 'bookings', 'calendar', 'channel-targets', 'channel-listings', 'rate-plans']
for (const list of [...lists, 'charges', 'seasons'])
  test(`${list} are found by a part of the name, ignoring case and accents`, async () => {
    const idsOf = async (part: string) => {
      const period = list === 'calendar' ? '&from=2030-07-01&to=2030-07-02' : ''
      const body = expectStatus(
        await owner.get(`/api/v1/${list}?q=${encodeURIComponent(part)}${period}`),
        200,
      )
      const records = body[list.replaceAll('-', '_')] as { id?: string; unit_id: string }[]
      return records.map((record) => record.id ?? record.unit_id)
    }
    for (const part of ['SAO OYST', 'são ø', 'strass', 'ao', 'ß'])
      assert.ok((await idsOf(part)).includes(ids[list]!), part)
    assert.deepEqual(await idsOf('sao strasse'), [])
    assert.deepEqual(await idsOf('s%e'), [])
  })
