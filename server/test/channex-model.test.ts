import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { channexWorld, decide, openProperty, shownBy, type Property } from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { untilInSync } from './linked-units.ts'

const setup = channexWorld({ limited: false })

/** The same numbers for the same seed, so that what failed fails again. */
function dice(seed: number) {
  let state = seed
  const below = (most: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
  return { below, pick: <T>(from: readonly T[]): T => from[below(from.length)]! }
}
type Dice = ReturnType<typeof dice>

/** What an operator may do at any moment. */
const actions: ((property: Property, dice: Dice) => Promise<unknown>)[] = [
  (property, dice) => decide(setup, { ...stretch(property, dice), price_cents: 5_000 + dice.below(20_000) }),
  (property, dice) =>
    decide(setup, {
      ...stretch(property, dice),
      min_stay_arrival: 1 + dice.below(3),
      max_stay: dice.pick([null, 7, 14]),
      closed_to_arrival: dice.pick([true, false, null]),
      stop_sell: dice.pick([true, false, null]),
    }),
  (property, dice) => {
    const { rate_plan_id: _, ...nights } = stretch(property, dice)
    return decide(setup, { ...nights, blocked: dice.below(3) })
  },
  ({ rooms }, dice) =>
    setup.owner.patch(`/api/v1/units/${dice.pick(rooms).unitId}`, {
      status: dice.pick(['active', 'inactive']),
    }),
  ({ rooms }, dice) =>
    setup.owner.patch(`/api/v1/units/${dice.pick(rooms).unitId}`, {
      base_price_cents: 8_000 + dice.below(4_000),
    }),
  async ({ spaceId }) => {
    const { sales_stop } = (await setup.owner.post('/api/v1/sales-stops', { space_id: spaceId })).body
    await new Promise((resolve) => setTimeout(resolve, 50))
    await setup.owner.delete(`/api/v1/sales-stops/${sales_stop.id}`)
  },
  ({ rooms }, dice) =>
    setup.owner.post('/api/v1/sync/trigger', {
      channel_listing_id: dice.pick(rooms).listingId,
      mode: dice.pick(['delta', 'full']),
    }),
]

/** What may go wrong over there meanwhile. */
const faults = [
  { mode: 'lose_reply', times: 1 },
  { mode: 'refuse', status: 503, times: 1 },
  { mode: 'garbage', times: 1 },
  { mode: 'slow', delay_ms: 200, times: 2 },
  { mode: 'refuse', status: 422, times: 1 },
]

function stretch({ rooms, day }: Property, { below, pick }: Dice) {
  const room = pick(rooms)
  const from = below(40)
  return {
    unit_id: room.unitId,
    rate_plan_id: pick(room.plans).id,
    date_from: day(from),
    date_to: day(from + below(20)),
  }
}

/** As many calls as there are changes, so that troubles meet many of them. */
const config = { debounce_ms: 0 }

suite('Channex certification: model', { concurrency: true }, () => {
  for (const seed of [1, 2, 3])
    test(`Channex finally shows the desired values after failures: ${seed}`, async () => {
      const property = await openProperty(setup, { rooms: 3, plans: 2, config })
      const { below, pick } = dice(seed)
      const step = async (some: typeof actions) => {
        if (below(3) === 0)
          await setup.control('PUT', 'faults', { ...pick(faults), property: property.propertyId })
        await pick(some)(property, { below, pick })
        if (below(3) === 0) await new Promise((resolve) => setTimeout(resolve, below(300)))
      }
      for (let n = 0; n < 25; n++) await step(actions)
      for (const { unitId } of property.rooms)
        expectStatus(await setup.owner.patch(`/api/v1/units/${unitId}`, { status: 'active' }), 200)
      // In the end nothing concerns all nights, which would cover up what was forgotten before.
      for (let n = 0; n < 20; n++) await step(actions.slice(0, 3))
      await setup.control('DELETE', `faults?property=${property.propertyId}`)
      await untilInSync(setup.world, setup.owner, property.rooms)
      assert.deepEqual(await shown(property), await decided(property))
    })
})

type Days = Record<string, Record<string, unknown>>

/** Every night of every room and plan, as Channex shows it. */
async function shown(property: Property): Promise<Days> {
  const { rooms, plans } = await shownBy(setup, property, property.day(0), property.day(99))
  const days: Days = {}
  for (const { roomTypeId, plans: linked } of property.rooms) {
    days[roomTypeId] = rooms[roomTypeId]!
    for (const { externalId } of linked)
      days[externalId] = Object.fromEntries(
        Object.entries(plans[externalId]!).map(([date, night]) => [
          date,
          [
            Math.round(Number(night['rate']) * 100),
            night['min_stay_arrival'],
            night['max_stay'] || null,
            night['closed_to_arrival'],
            night['stop_sell'],
          ],
        ]),
      )
  }
  return days
}

/** The same, as our own calendar says it was decided. */
async function decided(property: Property): Promise<Days> {
  const query = `space_id=${property.spaceId}&from=${property.day(0)}&to=${property.day(99)}`
  const { calendar } = expectStatus(await setup.owner.get(`/api/v1/calendar?${query}`), 200)
  const days: Days = {}
  for (const { unit_id, availability, plans } of calendar) {
    const { roomTypeId, plans: linked } = property.rooms.find(({ unitId }) => unitId === unit_id)!
    days[roomTypeId] = nightly(availability, ({ available }) => available)
    for (const { id, externalId } of linked)
      days[externalId] = nightly(
        plans.find(({ rate_plan_id }: { rate_plan_id: string }) => rate_plan_id === id).days,
        (night) => [
          night['price_cents'],
          night['min_stay_arrival'],
          night['max_stay'],
          night['closed_to_arrival'],
          night['stop_sell'],
        ],
      )
  }
  return days
}

function nightly(
  runs: ({ date_from: string; date_to: string } & Record<string, unknown>)[],
  valueOf: (run: Record<string, unknown>) => unknown,
) {
  const nights: Record<string, unknown> = {}
  for (const run of runs)
    for (let at = Date.parse(run.date_from); at <= Date.parse(run.date_to); at += 86_400_000)
      nights[new Date(at).toISOString().slice(0, 10)] = valueOf(run)
  return nights
}
