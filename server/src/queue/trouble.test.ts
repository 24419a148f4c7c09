import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { seldom } from './trouble.ts'

suite('trouble of the queue', () => {
  const told: Error[] = []
  let now = 0
  const hear = seldom(
    (error) => told.push(error),
    () => now,
  )

  test('is told once in half a minute for the same words, and each time for others', () => {
    for (now = 0; now < 60_000; now += 100) hear(new Error('The connection is gone.'))
    hear(new Error('Another thing.'))
    assert.deepEqual(
      told.splice(0).map(({ message }) => message),
      ['The connection is gone.', 'The connection is gone.', 'Another thing.'],
    )
  })

  test('is an error, however it was said', () => {
    for (const said of [
      { message: 'refused', code: 'ECONNREFUSED', queue: 'sync' },
      { code: '57P01' },
      null,
      'x',
    ])
      hear(said)
    assert.deepEqual(
      told
        .splice(0)
        .map((error) => [error instanceof Error, error.message, (error as { code?: string }).code]),
      [
        [true, 'refused', 'ECONNREFUSED'],
        [true, '57P01', '57P01'],
        [true, 'no reason given', undefined],
      ],
    )
  })

  test('of ever new kinds does not fill the memory', () => {
    for (let kind = 0; kind < 1_000; kind++) hear(new Error(`kind ${kind}`))
    assert.equal(told.splice(0).length, 1_000)
    now += 1
    hear(new Error('kind 999'))
    assert.equal(told.length, 0)
  })
})
