import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { calendar, event, nights, nightsOf } from '#test/calendar-reading.ts'

suite('reading a calendar: repetition', () => {
  const cases: [string, string[], string][] = [
    ['a count', ['DTSTART;VALUE=DATE:20260510', 'RRULE:FREQ=WEEKLY;COUNT=3'], '05-10 05-17 05-24'],
    ['a last day', ['DTSTART;VALUE=DATE:20260510', 'RRULE:FREQ=DAILY;UNTIL=20260512'], '05-10 05-11 05-12'],
    [
      'days of the week',
      ['DTSTART;VALUE=DATE:20260508', 'DTEND;VALUE=DATE:20260510', 'RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=2'],
      '05-08 05-09 05-15 05-16',
    ],
    [
      'except a day',
      ['DTSTART;VALUE=DATE:20260510', 'RRULE:FREQ=DAILY;COUNT=4', 'EXDATE;VALUE=DATE:20260511,20260513'],
      '05-10 05-12',
    ],
    [
      'except days that do not say so',
      ['DTSTART:20260510', 'RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20260511,20260513'],
      '05-10 05-12',
    ],
    ['also on a day', ['DTSTART;VALUE=DATE:20260510', 'RDATE;VALUE=DATE:20260515'], '05-10 05-15'],
    [
      'also for a period',
      ['DTSTART:20260510T150000', 'DURATION:PT1H', 'RDATE;VALUE=PERIOD:20260520T150000/20260522T100000'],
      '05-10 05-20 05-21',
    ],
    [
      'an exception by the clock of another zone',
      [
        'DTSTART;TZID=Asia/Tokyo:20260511T060000',
        'DURATION:P1D',
        'RRULE:FREQ=DAILY;COUNT=3',
        'EXDATE:20260511T210000Z',
      ],
      '05-10 05-12',
    ],
    [
      'an exception by day of what has a time',
      ['DTSTART:20260510T150000', 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;VALUE=DATE:20260511'],
      '05-10 05-12',
    ],
    [
      'a limit in UTC of what begins in the east',
      ['DTSTART;TZID=Asia/Tokyo:20260511T080000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20260512T230000Z'],
      '05-11 05-12 05-13',
    ],
    ['by the hour, one guest', ['DTSTART:20260510T000000', 'RRULE:FREQ=HOURLY;COUNT=30'], '05-10 05-11'],
    [
      'a first day off the rule',
      ['DTSTART;VALUE=DATE:20260510', 'RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=1'],
      '05-10 05-12',
    ],
    [
      'the last of each month that has it',
      ['DTSTART;VALUE=DATE:20260531', 'RRULE:FREQ=MONTHLY;COUNT=2'],
      '05-31 07-31',
    ],
  ]
  const inTokyo = new Set(['a limit in UTC of what begins in the east'])
  for (const [name, lines, expected] of cases)
    test(name, () =>
      assert.equal(nightsOf(lines, inTokyo.has(name) ? { timezone: 'Asia/Tokyo' } : {}), expected),
    )

  test('replaces a changed occurrence, and removes a cancelled one', () => {
    const series = event('UID:s', 'DTSTART;VALUE=DATE:20260510', 'RRULE:FREQ=DAILY;COUNT=4')
    const moved = event('UID:s', 'RECURRENCE-ID;VALUE=DATE:20260511', 'DTSTART;VALUE=DATE:20260520')
    const gone = event(
      'UID:s',
      'RECURRENCE-ID;VALUE=DATE:20260512',
      'DTSTART;VALUE=DATE:20260512',
      'STATUS:CANCELLED',
    )
    const kept = event('UID:s', 'RECURRENCE-ID;VALUE=DATE:20260513', 'DTSTART;VALUE=DATE:20260513')
    assert.equal(nights(calendar(...series, ...moved, ...gone, ...kept)), '05-10 05-13 05-20')
    assert.equal(nights(calendar(...moved, ...kept)), '05-13 05-20')
  })

  test('uses the latest version of a changed occurrence', () => {
    const series = event('UID:s', 'DTSTART;VALUE=DATE:20260510', 'RRULE:FREQ=DAILY;COUNT=2')
    const changed = (sequence: number, ...lines: string[]) =>
      event('UID:s', `SEQUENCE:${sequence}`, 'RECURRENCE-ID;VALUE=DATE:20260511', ...lines)
    const moved = changed(1, 'DTSTART;VALUE=DATE:20260520')
    const movedAgain = changed(2, 'DTSTART;VALUE=DATE:20260522')
    const cancelled = changed(2, 'DTSTART;VALUE=DATE:20260511', 'STATUS:CANCELLED')
    assert.equal(nights(calendar(...series, ...moved, ...movedAgain)), '05-10 05-22')
    assert.equal(nights(calendar(...series, ...cancelled, ...moved)), '05-10')
  })

  test('uses the latest version of a UID, and ignores duplicates', () => {
    const stay = (sequence: number, day: string) =>
      event('UID:s', `SEQUENCE:${sequence}`, `DTSTART;VALUE=DATE:${day}`)
    assert.equal(nights(calendar(...stay(1, '20260512'), ...stay(0, '20260510'))), '05-12')
    assert.equal(nights(calendar(...stay(0, '20260510'), ...stay(0, '20260510'))), '05-10')
    assert.equal(nights(calendar(...stay(0, '20260510'), ...stay(0, '20260512'))), '05-10 05-12')
  })

  test('adds up events with different UIDs', () => {
    const first = event('DTSTART;VALUE=DATE:20260510', 'DTEND;VALUE=DATE:20260513')
    const second = event('DTSTART;VALUE=DATE:20260512', 'DTEND;VALUE=DATE:20260514')
    assert.equal(nights(calendar(...first, ...second)), '05-10 05-11 05-12×2 05-13')
  })
})
