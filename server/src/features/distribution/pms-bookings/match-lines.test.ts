import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { PmsBookingLine } from '#integrations/pms/pms-booking.ts'
import { matchLines, newExternalId, type KnownLine } from './match-lines.ts'

const day = (number: number) => `2030-07-${String(number + 1).padStart(2, '0')}`

/** `A 0 2 1` is a room of the type A for the nights 0 and 1 and one guest; `#x` is the id of the line at the PMS. */
function read(text: string): PmsBookingLine {
  const [, listing, from, to, guests, id] = /^(\w|-) (\d+) (\d+) (\d+)(?: #(\w+))?$/.exec(text)!
  return {
    ...(id !== undefined && { id }),
    key: listing!,
    listing: listing === '-' ? null : listing!,
    plan: null,
    arrival: day(Number(from)),
    departure: day(Number(to)),
    rooms: 1,
    guests: Number(guests),
    totalCents: null,
  }
}
const known = (lines: readonly PmsBookingLine[], isRemoved = false): KnownLine[] =>
  lines.map(({ id, listing, arrival, departure, guests }, at) => ({
    external_id: `booking ${at}`,
    ...(id !== undefined && { id }),
    ...{ listing, arrival, departure, guests },
    is_removed: isRemoved,
  }))
/** For each line of the second revision, the index of the line in the first one that it continues. */
const places = (before: string[], after: string[], isRemoved = false) => {
  const lines = known(before.map(read), isRemoved)
  return matchLines(lines, after.map(read)).map((one) => (one ? lines.indexOf(one) : null))
}

suite('lines of a revision', () => {
  for (const [what, before, after, expected] of [
    ['the only room changes its type', ['A 0 2 1'], ['B 0 2 1'], [0]],
    ['the only room changes altogether', ['A 0 2 1'], ['B 5 9 3'], [0]],
    ['the order changes', ['A 0 2 1', 'B 0 2 1'], ['B 0 2 1', 'A 0 2 1'], [1, 0]],
    ['one of two changes its type', ['A 0 2 1', 'B 0 2 1'], ['C 0 2 1', 'A 0 2 1'], [1, 0]],
    ['two stays swap their types', ['A 0 2 1', 'B 5 7 1'], ['B 0 2 1', 'A 5 7 1'], [0, 1]],
    ['a stay is longer, another one ends sooner', ['A 0 2 1', 'A 4 8 1'], ['A 4 6 1', 'A 0 3 1'], [1, 0]],
    ['a room is added', ['A 0 2 1'], ['B 0 2 1', 'A 0 2 1'], [null, 0]],
    ['a room is taken out', ['A 0 2 1', 'A 1 3 1'], ['A 1 3 1'], [1]],
    ['one goes and one changes', ['A 0 2 1', 'B 0 2 2'], ['C 0 2 2'], [1]],
    ['the id counts more than all else', ['A 0 2 1 #x', 'B 0 2 1 #y'], ['A 0 2 1 #y', 'B 0 2 1 #x'], [1, 0]],
    ['an id that all have says nothing', ['A 0 2 1 #x', 'B 0 2 1 #x'], ['B 0 2 1 #x', 'A 0 2 1 #x'], [1, 0]],
    ['ids that are new do not make new lines', ['A 0 2 1 #x'], ['B 0 2 1 #y'], [0]],
    ['the room is unknown', ['A 0 2 1', 'B 5 7 1'], ['- 5 7 1', 'A 0 2 1'], [1, 0]],
  ] as const)
    test(`${what}: each is found`, () => assert.deepEqual(places([...before], [...after]), expected))

  test('matches a removed line only when it comes back unchanged', () => {
    assert.deepEqual(places(['A 0 2 1'], ['A 0 2 3'], true), [0])
    assert.deepEqual(places(['A 0 2 1'], ['A 1 2 1'], true), [null])
    assert.deepEqual(places(['A 0 2 1 #x'], ['B 4 5 1 #x'], true), [0])
  })

  const line = fc
    .record({ type: fc.constantFrom('A', 'B', 'C'), from: fc.nat(4), nights: fc.integer({ min: 1, max: 3 }) })
    .chain(({ type, from, nights }) =>
      fc.integer({ min: 1, max: 2 }).map((guests) => `${type} ${from} ${from + nights} ${guests}`),
    )
  const revision = fc.array(line, { maxLength: 6 })

  test('matches every line at most once, as many as possible, unchanged ones first', () => {
    fc.assert(
      fc.property(revision, revision, (before, after) => {
        const found = places(before, after)
        const matched = found.filter((at) => at !== null)
        assert.equal(new Set(matched).size, matched.length)
        assert.equal(matched.length, Math.min(before.length, after.length))
        for (const same of new Set(before)) {
          const count = (lines: string[]) => lines.filter((one) => one === same).length
          const kept = found.filter((at, n) => at !== null && before[at] === same && after[n] === same)
          assert.equal(kept.length, Math.min(count(before), count(after)), same)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

test('gives a new line a unique id, however long the id of the reservation is', () => {
  const taken = new Set<string>()
  for (const id of ['R', 'R', 'x'.repeat(255), 'x'.repeat(255)]) taken.add(newExternalId(id, 'A', taken))
  assert.deepEqual([...taken].slice(0, 2), ['R#A', 'R#A.2'])
  assert.equal(taken.size, 4)
  assert.ok([...taken].every(({ length }) => length <= 255))
})
