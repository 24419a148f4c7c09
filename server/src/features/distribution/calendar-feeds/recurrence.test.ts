import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nightOf } from '#schema/nights.ts'
import { calendar, event, nightsOf } from '#test/calendar-reading.ts'
import { longPeriodExamples } from '#test/rfc-5545-long-periods.ts'
import { shortPeriodExamples } from '#test/rfc-5545-short-periods.ts'
import { expandDates } from '#test/rule-example.ts'
import { readCalendar } from './read-calendar.ts'

const timezone = 'America/New_York'

suite('recurrence rules: the examples of RFC 5545', () => {
  for (const { name, start, rules, exceptions, dates } of [...shortPeriodExamples, ...longPeriodExamples])
    for (const rule of rules)
      test(`${name} (${rule})`, () => {
        const expected = expandDates(dates)
        const [first, last] = [expected.dates[0]!, expected.dates.at(-1)!]
        const lines = [`DTSTART;TZID=${timezone}:${start}`, 'DURATION:PT1H', `RRULE:${rule}`]
        if (exceptions) lines.push(`EXDATE;TZID=${timezone}:${exceptions}`)
        const { nights: covered } = readCalendar(calendar(...event(...lines)), {
          timezone,
          from: first,
          // A list that is complete has no occurrence in the next year.
          nights: nightOf(last) - nightOf(first) + (expected.goesOn ? 1 : 366),
          ownUidSuffix: '.unit@vacancy',
        })
        assert.deepEqual(
          covered.map(([date]) => date),
          expected.dates,
        )
      })
})

suite('recurrence rules: dates that do not exist', () => {
  const cases: [string, string[], string][] = [
    [
      'the 31st of each month',
      ['DTSTART;VALUE=DATE:20260531', 'RRULE:FREQ=MONTHLY;COUNT=4'],
      '05-31 07-31 08-31 10-31',
    ],
    [
      'the 30th, in February',
      ['DTSTART;VALUE=DATE:20261230', 'RRULE:FREQ=MONTHLY;COUNT=3'],
      '12-30 01-30 03-30',
    ],
    [
      'the 30th of February each year, which never comes',
      ['DTSTART;VALUE=DATE:20260601', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'],
      '06-01',
    ],
    [
      'the 30th of February each second, which never comes',
      ['DTSTART:20260601T000000Z', 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30'],
      '06-01',
    ],
    ['the 29th of February in a year without one', ['DTSTART;VALUE=DATE:20240229', 'RRULE:FREQ=YEARLY'], ''],
    [
      'a fifth Friday where there are four',
      ['DTSTART;VALUE=DATE:20260529', 'RRULE:FREQ=MONTHLY;BYDAY=5FR;COUNT=3'],
      '05-29 07-31 10-30',
    ],
    [
      'the fifth Monday from the end where there are four',
      ['DTSTART;VALUE=DATE:20260601', 'RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-5;COUNT=2'],
      '06-01 08-03',
    ],
    [
      'hours of what has none are ignored',
      ['DTSTART;VALUE=DATE:20260510', 'RRULE:FREQ=DAILY;BYHOUR=9,10;COUNT=2'],
      '05-10 05-11',
    ],
    [
      'an exception on 30 February is not one on 2 March',
      ['DTSTART;VALUE=DATE:20270301', 'RRULE:FREQ=DAILY;COUNT=2', 'EXDATE;VALUE=DATE:20270230'],
      '03-01 03-02',
    ],
    [
      'an additional 30 February adds nothing',
      ['DTSTART;VALUE=DATE:20270301', 'RDATE;VALUE=DATE:20270230,20270305'],
      '03-01 03-05',
    ],
  ]
  for (const [name, lines, expected] of cases) test(name, () => assert.equal(nightsOf(lines), expected))

  test('repeats 29 February in leap years', () => {
    const lines = ['DTSTART;VALUE=DATE:20240229', 'RRULE:FREQ=YEARLY;COUNT=2']
    assert.equal(nightsOf(lines, { from: '2027-02-01' }), '02-29')
  })

  test('rejects an event whose dates are written in another format, and not its nights', () => {
    for (const date of ['2026-05-10', ' 20260510', '10.05.2026', '202605'])
      for (const lines of [
        [`DTSTART;VALUE=DATE:${date}`],
        ['DTSTART;VALUE=DATE:20260510', `DTEND;VALUE=DATE:${date}`],
      ])
        assert.throws(() => nightsOf(lines), { name: 'UnreadableCalendar' }, lines.join(' '))
  })

  test('rejects an event on 30 February', () => {
    for (const lines of [
      ['DTSTART;VALUE=DATE:20270230'],
      ['DTSTART;VALUE=DATE:20270201', 'DTEND;VALUE=DATE:20270230'],
      ['DTSTART:20260431T150000', 'DURATION:P1D'],
    ])
      assert.throws(() => nightsOf(lines), { name: 'UnreadableCalendar', message: /does not exist/ })
  })
})

suite('recurrence rules: changes of clocks', () => {
  test('skips times that do not exist, without counting them', () => {
    const lines = [
      'DTSTART;TZID=America/New_York:20270313T023000',
      'RRULE:FREQ=DAILY;COUNT=3',
      'DURATION:PT1H',
    ]
    assert.equal(nightsOf(lines, { timezone, from: '2027-03-01' }), '03-13 03-15 03-16')
  })

  test('uses the first of two equal local times', () => {
    const lines = ['DTSTART;TZID=Europe/Berlin:20261024T023000', 'RRULE:FREQ=DAILY;COUNT=3', 'DURATION:PT1H']
    assert.equal(
      nightsOf([...lines, 'EXDATE:20261025T003000Z'], { timezone: 'Europe/Berlin' }),
      '10-24 10-26',
    )
  })

  test('keeps the local time across clock changes', () => {
    const lines = [
      'DTSTART;TZID=America/New_York:20261030T233000',
      'RRULE:FREQ=DAILY;COUNT=3',
      'DURATION:PT15M',
    ]
    assert.equal(nightsOf(lines, { timezone }), '10-30 10-31 11-01')
    assert.equal(nightsOf(lines, { timezone: 'UTC' }), '10-31 11-01 11-02')
  })

  test('reads UNTIL without a zone in the zone of the event', () => {
    const lines = ['DTSTART;TZID=Asia/Tokyo:20260511T080000', 'RRULE:FREQ=DAILY;UNTIL=20260513T080000']
    assert.equal(nightsOf(lines, { timezone: 'Asia/Tokyo' }), '05-11 05-12 05-13')
  })
})
