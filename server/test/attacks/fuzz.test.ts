import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { suite, test } from 'node:test'
import { fuzz } from './fuzzing.ts'

// The long form, with thirty thousand requests for each seed, is chaos/fuzz.ts.

const fixed = { seed: 20_260_501, requests: 1_000 }
const random = { seed: randomInt(2 ** 31), requests: 500 }

suite('requests drawn from the contract', () => {
  const statuses = new Set<number>()
  for (const { seed, requests } of [fixed, random])
    test(`${requests} requests, seed ${seed}: no answer that is not as stated, and all can be read afterwards`, async () => {
      const fuzzed = await fuzz({ seed, requests })
      for (const status of fuzzed.statuses.keys()) statuses.add(status)
      assert.ok(fuzzed.readAgain > 0)
    })

  test('the draw is neither too tame nor too wild', () => {
    for (const status of [200, 201, 204, 304, 400, 401, 403, 404, 409, 412, 415, 422])
      assert.ok(statuses.has(status), `no ${status} among ${[...statuses].join(' ')}`)
  })
})
