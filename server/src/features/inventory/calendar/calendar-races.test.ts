import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectStatus } from '#test/expect.ts'
import { addListing, addSpace, addTarget, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { owner } = shareWorld({ env: { DATABASE_POOL_SIZE: '30' } })

const path = '/api/v1/calendar'
const nights = { date_from: '2030-07-01', date_to: '2030-07-31' }

suite('calendar: concurrent changes', () => {
  // With listings, their rows hold the others off as well: without, the units alone must.
  for (const listed of [6, 0])
    test(`of 24 concurrent changes of the same nights of units, ${listed} of them listed, each is complete and one is the last`, async () => {
      const space = await addSpace(owner)
      const target = await addTarget(owner)
      const unitIds: string[] = []
      for (let number = 0; number < 6; number++) {
        const { id } = await addUnit(owner, { space_id: space.id, quantity: 24 })
        if (number < listed) await addListing(owner, { unit_id: id, channel_target_id: target.id })
        unitIds.push(id)
      }
      const replies = await Promise.all(
        Array.from({ length: 24 }, (_, at) => {
          const turned = [...unitIds.slice(at % 6), ...unitIds.slice(0, at % 6)]
          const ids = at % 2 ? turned.reverse() : turned
          const values = ids.map((unit_id) => ({ unit_id, ...nights, price_cents: at, blocked: at + 1 }))
          return owner.post(path, { values })
        }),
      )
      const ids = new Set<string>()
      for (const reply of replies) {
        const { calendar_change: made } = expectStatus(reply, 201)
        assert.deepEqual([made.nights, made.listings], [31 * 6 * 2, listed])
        ids.add(made.id)
      }
      assert.equal(ids.size, 24)
      const reply = await owner.get(
        `${path}?space_id=${space.id}&from=${nights.date_from}&to=${nights.date_to}`,
      )
      const shown = expectStatus(reply, 200).calendar.map(
        ({
          availability,
          plans,
        }: {
          availability: { blocked: number }[]
          plans: { days: { price_cents: number }[] }[]
        }) => [
          availability.length,
          plans[0]!.days.length,
          availability[0]!.blocked,
          plans[0]!.days[0]!.price_cents,
        ],
      )
      const [[, , blocked, price]] = shown
      assert.equal(blocked, price + 1)
      for (const one of shown) assert.deepEqual(one, [1, 1, blocked, price])
    })
})
