import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { layOutBars } from '../src/pages/calendar/bars.ts'
import { boxOf, hasLanes, heightOf, layoutOf } from '../src/pages/calendar/grid-layout.ts'
import type { CalendarRow } from '../src/pages/calendar/rows.ts'
import type { Stay } from '../src/pages/calendar/tile.ts'

const stayOf = (from: number, to: number): Stay => ({
  ...{ id: `${from}-${to}`, bookingId: null, kind: 'confirmed', guestName: 'Ada', from, to },
  ...{ rooms: 1, channelTargetId: null },
})

const rowOf = (quantity: number) =>
  ({ kind: 'unit', key: 'u', unit: { quantity }, unitIndex: 0, isExpanded: true }) as unknown as CalendarRow

suite('bars of the calendar', () => {
  for (const density of ['comfortable', 'compact'] as const)
    test(`those that overlap lie below each other, inside their row, in ${density} rows`, () => {
      // Ten bookings of one night, more of several nights across it, and one that begins when another ends.
      const stays = Array.from({ length: 10 }, (_, at) => stayOf(100 - at, 102 + (at % 3)))
      const bars = layOutBars([...stays, stayOf(102, 104), stayOf(95, 96)])
      const layout = layoutOf(density, false)
      for (const quantity of [1, 12]) {
        const isInLanes = hasLanes(quantity, true, bars)
        assert.ok(isInLanes)
        const height = heightOf(rowOf(quantity), { bars }, layout)
        const boxes = bars.map((bar) => boxOf(bar, 0, isInLanes, layout))
        for (const [at, box] of boxes.entries()) {
          assert.ok(box.top >= 0 && box.top + box.height <= height, `bar ${at} is inside the row`)
          for (const other of boxes.slice(at + 1)) {
            const isBeside = box.left + box.width <= other.left || other.left + other.width <= box.left
            const isBelow = box.top + box.height <= other.top || other.top + other.height <= box.top
            assert.ok(isBeside || isBelow, `${JSON.stringify(box)} and ${JSON.stringify(other)}`)
          }
        }
      }
    })

  test('guests who arrive when others leave share a line', () => {
    const bars = layOutBars([stayOf(10, 12), stayOf(12, 15)])
    assert.deepEqual(
      bars.map(({ lane }) => lane),
      [0, 0],
    )
    assert.equal(hasLanes(1, false, bars), false)
  })
})
