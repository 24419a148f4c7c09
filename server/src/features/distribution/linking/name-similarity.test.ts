import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { indexNames } from './name-similarity.ts'

const named = (...names: string[]) => names.map((name) => ({ item: name, names: [name] }))

/** The most similar first. */
const ranked = (names: string[], name: string) =>
  [...indexNames(named(...names))(name)].sort(([, one], [, other]) => other - one).map(([found]) => found)

suite('name similarity', () => {
  test('ignores case, accents and punctuation', () => {
    for (const [ours, theirs] of [
      ['Casa Azul', 'CASA AZUL'],
      ['Café Suite', 'cafe – suite'],
      ['Loft (harbour)', 'Loft, Harbour'],
      ['Zimmer 07', 'zimmer 7'],
      ['東京 ロフト', '東京ロフト'],
    ] as const)
      assert.ok((indexNames(named(ours))(theirs).get(ours) ?? 0) >= 0.5, `${ours} and ${theirs}`)
    for (const [ours, theirs] of [
      ['Café Suite', 'CAFE suite'],
      ['Haus Straße', 'HAUS STRASSE'],
      ['ŁÓDŹ Øst Đurđevac', 'lodz ost durdevac'],
      ['Sæter Œuvre Þór Ðið', 'saeter oeuvre thor did'],
      ['Kadıköy Ħamrun', 'KADIKÖY HAMRUN'],
    ] as const)
      assert.equal(indexNames(named(ours))(theirs).get(ours), 1, ours)
  })

  test('ranks a name with a different number lower', () => {
    assert.equal(ranked(['Apartment 12', 'Apartment 13', 'Apartment'], 'Apartment 13')[0], 'Apartment 13')
    const search = indexNames(named('Apartment 12'))
    assert.ok(search('Apartment 13').get('Apartment 12')! < 0.5)
  })

  test('finds names with reordered or missing words', () => {
    assert.equal(
      ranked(['Family Room Sea View', 'Double Room'], 'Sea view family room')[0],
      'Family Room Sea View',
    )
    assert.equal(ranked(['Deluxe Double', 'Twin'], 'Double')[0], 'Deluxe Double')
  })

  test('uses the most similar name of an item', () => {
    const search = indexNames([{ item: 1, names: ['Double', 'Harbour House Double'] }])
    assert.equal(search('Harbour House – Double').get(1), 1)
  })

  test('names without letters and names that noitem resembles find noitem', () => {
    const search = indexNames(named('Double', '—', ''))
    for (const name of ['', '—', 'Xylophon', '\u0000']) assert.deepEqual([...search(name)], [])
  })

  test('finds the right one of 10,000 rooms', () => {
    const names = Array.from({ length: 10_000 }, (_, n) => `Room ${n}`)
    const search = indexNames(named(...names))
    for (const name of ['Room 7', 'Room 9999', 'room 0123'])
      assert.equal(search(name).get(`Room ${Number(/\d+/.exec(name)![0])}`), 1, name)
    const same = indexNames(Array.from({ length: 10_000 }, (_, n) => ({ item: n, names: ['Room'] })))
    assert.equal(same('Room').get(0), 1)
  })
})
