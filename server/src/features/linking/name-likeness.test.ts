import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nameLikeness } from './name-likeness.ts'

const named = (...names: string[]) => names.map((name) => ({ thing: name, names: [name] }))

/** The likeliest first. */
const ranked = (names: string[], asked: string) =>
  [...nameLikeness(named(...names))(asked)].sort(([, one], [, other]) => other - one).map(([name]) => name)

suite('how alike names are', () => {
  test('the same letters are alike, whatever their case, accents and marks between them', () => {
    for (const [ours, theirs] of [
      ['Casa Azul', 'CASA AZUL'],
      ['Café Suite', 'cafe – suite'],
      ['Loft (harbour)', 'Loft, Harbour'],
      ['Zimmer 07', 'zimmer 7'],
      ['東京 ロフト', '東京ロフト'],
    ] as const)
      assert.ok((nameLikeness(named(ours))(theirs).get(ours) ?? 0) >= 0.5, `${ours} and ${theirs}`)
    assert.equal(nameLikeness(named('Café Suite'))('CAFE suite').get('Café Suite'), 1)
  })

  test('another number is another room', () => {
    assert.equal(ranked(['Apartment 12', 'Apartment 13', 'Apartment'], 'Apartment 13')[0], 'Apartment 13')
    const likeness = nameLikeness(named('Apartment 12'))
    assert.ok(likeness('Apartment 13').get('Apartment 12')! < 0.5)
  })

  test('words in another order and words left out are still alike', () => {
    assert.equal(
      ranked(['Family Room Sea View', 'Double Room'], 'Sea view family room')[0],
      'Family Room Sea View',
    )
    assert.equal(ranked(['Deluxe Double', 'Twin'], 'Double')[0], 'Deluxe Double')
  })

  test('a thing is as alike as the likeliest of its names', () => {
    const likeness = nameLikeness([{ thing: 1, names: ['Double', 'Harbour House Double'] }])
    assert.equal(likeness('Harbour House – Double').get(1), 1)
  })

  test('names without letters and names that nothing resembles find nothing', () => {
    const likeness = nameLikeness(named('Double', '—', ''))
    for (const name of ['', '—', 'Xylophon', '\u0000']) assert.deepEqual([...likeness(name)], [])
  })

  test('of ten thousand rooms the right one is found', () => {
    const names = Array.from({ length: 10_000 }, (_, n) => `Room ${n}`)
    const likeness = nameLikeness(named(...names))
    for (const name of ['Room 7', 'Room 9999', 'room 0123'])
      assert.equal(likeness(name).get(`Room ${Number(/\d+/.exec(name)![0])}`), 1, name)
    const same = nameLikeness(Array.from({ length: 10_000 }, (_, n) => ({ thing: n, names: ['Room'] })))
    assert.equal(same('Room').get(0), 1)
  })
})
