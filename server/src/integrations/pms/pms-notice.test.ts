import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseTime } from './pms-notice.ts'

suite('times that a PMS tells', () => {
  for (const [value, kept] of [
    ['2030-07-01T10:00:00', '2030-07-01T10:00:00.000Z'],
    ['2030-07-01 10:00:00.5', '2030-07-01T10:00:00.500Z'],
    ['2030-07-01T10:00:00.123456', '2030-07-01T10:00:00.123456Z'],
    ['2030-07-01T10:00:00.999999Z', '2030-07-01T10:00:00.999999Z'],
    ['2030-07-01T12:00:00.123457+02:00', '2030-07-01T10:00:00.123457Z'],
    ['2030-07-01 12:00:00.1234567+02:00', '2030-07-01T10:00:00.1234567Z'],
    ['2030-07-01T10:00:00.123456789Z', '2030-07-01T10:00:00.123456789Z'],
    ['Mon, 01 Jul 2030 10:00:00 GMT', '2030-07-01T10:00:00.000Z'],
  ] as const)
    test(`${value} is ${kept}`, () => assert.equal(parseTime(value), kept))

  test('what is no time, or none that can be kept, is none', () => {
    for (const value of [
      null,
      7,
      '',
      'soon',
      '1969-12-31',
      '2200-01-01',
      '2030-02-31x',
      '2030-07-01T10:00:00.x',
    ])
      assert.equal(parseTime(value), null, String(value))
  })
})
