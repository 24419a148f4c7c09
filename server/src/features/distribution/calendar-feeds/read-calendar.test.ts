import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { dateOf, nightOf } from '#schema/nights.ts'
import { calendar, event, nights, nightsOf, window } from '#test/calendar-reading.ts'
import { readCalendar } from './read-calendar.ts'

suite('reading a calendar: days', () => {
  const cases: [string, string[], string][] = [
    [
      'from arrival to departure',
      ['DTSTART;VALUE=DATE:20260510', 'DTEND;VALUE=DATE:20260513'],
      '05-10 05-11 05-12',
    ],
    ['without an end, one night', ['DTSTART;VALUE=DATE:20260510'], '05-10'],
    ['an end on the day of arrival', ['DTSTART;VALUE=DATE:20260510', 'DTEND;VALUE=DATE:20260510'], '05-10'],
    ['an end before the beginning', ['DTSTART;VALUE=DATE:20260510', 'DTEND;VALUE=DATE:20260501'], '05-10'],
    ['a duration', ['DTSTART;VALUE=DATE:20260510', 'DURATION:P2D'], '05-10 05-11'],
    ['a duration in weeks', ['DTSTART;VALUE=DATE:20260510', 'DURATION:P1W'], nightsFrom('05-10', 7)],
    ['days that do not say so', ['DTSTART:20260510', 'DTEND:20260512'], '05-10 05-11'],
    ['days that do not say so, folded', ['DTSTART:2026\r\n 0510', 'DTEND:20260\r\n\t512'], '05-10 05-11'],
    ['times that are folded after the day', ['DTSTART:20260510\r\n T233000Z', 'DURATION:PT9H'], '05-11'],
    ['begun before today', ['DTSTART;VALUE=DATE:20200101', 'DTEND;VALUE=DATE:20260503'], '05-01 05-02'],
    ['past', ['DTSTART;VALUE=DATE:20260401', 'DTEND;VALUE=DATE:20260501'], ''],
    ['far ahead', ['DTSTART;VALUE=DATE:20300101', 'DTEND;VALUE=DATE:20300105'], ''],
    ['cancelled', ['DTSTART;VALUE=DATE:20260510', 'STATUS:CANCELLED'], ''],
    ['tentative', ['DTSTART;VALUE=DATE:20260510', 'STATUS:TENTATIVE'], '05-10'],
    ['taking no time', ['DTSTART;VALUE=DATE:20260510', 'TRANSP:TRANSPARENT'], ''],
    ['our own, come back', ['UID:2026-05-10.unit@vacancy', 'DTSTART;VALUE=DATE:20260510'], ''],
    ['of another unit of ours', ['UID:2026-05-10.other@vacancy', 'DTSTART;VALUE=DATE:20260510'], '05-10'],
    ['without a beginning', ['SUMMARY:Idea'], ''],
    [
      'a text with a line separator before the name of a property',
      ['DESCRIPTION:Late\u2028Contact: Ada', 'DTSTART;VALUE=DATE:20260510', 'DTEND;VALUE=DATE:20260512'],
      '05-10 05-11',
    ],
    [
      'an alarm inside',
      ['DTSTART;VALUE=DATE:20260510', 'BEGIN:VALARM', 'TRIGGER:-PT15M', 'END:VALARM'],
      '05-10',
    ],
  ]
  for (const [name, lines, expected] of cases) test(name, () => assert.equal(nightsOf(lines), expected))

  test('covers every night of an event from year 1 to 9999', () => {
    const { nights: covered } = readCalendar(
      calendar(...event('DTSTART;VALUE=DATE:00010101', 'DTEND;VALUE=DATE:99991231')),
      window,
    )
    assert.equal(covered.length, 500)
    assert.deepEqual(
      [covered[0], covered.at(-1)],
      [
        ['2026-05-01', 1],
        ['2027-09-12', 1],
      ],
    )
    assert.equal(
      nightsOf(['DTSTART;VALUE=DATE:20260510', 'DURATION:P99999999999999W'], { nights: 12 }),
      '05-10 05-11 05-12',
    )
    assert.equal(nightsOf(['DTSTART;VALUE=DATE:99991231', 'DURATION:P99999999W']), '')
  })
})

function nightsFrom(first: string, count: number): string {
  const from = nightOf(`2026-${first}`)
  return Array.from({ length: count }, (_, at) => dateOf(from + at).slice(5)).join(' ')
}

suite('reading a calendar: times and zones', () => {
  const berlin = [
    'BEGIN:VTIMEZONE',
    'TZID:W. Europe Standard Time',
    'BEGIN:STANDARD',
    'DTSTART:16010101T030000',
    'TZOFFSETFROM:+0200',
    'TZOFFSETTO:+0100',
    'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10',
    'END:STANDARD',
    'BEGIN:DAYLIGHT',
    'DTSTART:16010101T020000',
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3',
    'END:DAYLIGHT',
    'END:VTIMEZONE',
  ]
  test('reads floating times in the time zone of the space', () => {
    assert.equal(nightsOf(['DTSTART:20260510T150000', 'DTEND:20260512T110000']), '05-10 05-11')
    assert.equal(nightsOf(['DTSTART:20260510T150000', 'DURATION:P1DT20H']), '05-10 05-11')
    assert.equal(nightsOf(['DTSTART:20260510T150000']), '05-10')
    assert.equal(nightsOf(['DTSTART:20260510T090000', 'DTEND:20260510T110000']), '05-10')
    assert.equal(nightsOf(['DTSTART:20260510T000000', 'DTEND:20260512T000000']), '05-10 05-11')
  })

  test('converts UTC to the local day of the space', () => {
    const stay = ['DTSTART:20260510T233000Z', 'DTEND:20260512T090000Z']
    assert.equal(nightsOf(stay), '05-11')
    assert.equal(nightsOf(stay, { timezone: 'America/New_York' }), '05-10 05-11')
    assert.equal(nightsOf(stay, { timezone: 'Pacific/Kiritimati' }), '05-11')
    assert.equal(
      nightsOf(['DTSTART:20260510T100000Z', 'DTEND:20260512T100000Z'], { timezone: 'Pacific/Kiritimati' }),
      '05-11 05-12',
    )
  })

  test('converts named zones to the local day of the space', () => {
    const tokyo = ['DTSTART;TZID=Asia/Tokyo:20260511T060000', 'DTEND;TZID=Asia/Tokyo:20260512T200000']
    assert.equal(nightsOf(tokyo), '05-10 05-11')
    const spelled = ['DTSTART;TZID=/freeassociation.example/Asia/Tokyo:20260511T060000', 'DURATION:P1D']
    assert.equal(nightsOf(spelled), '05-10')
    const lines = event(
      'DTSTART;TZID=W. Europe Standard Time:20260511T003000',
      'DTEND;TZID=W. Europe Standard Time:20260512T120000',
    )
    assert.equal(nights(calendar(...berlin, ...lines)), '05-10 05-11')
    assert.equal(nights(calendar(...lines)), '05-11')
    assert.equal(
      nightsOf(['DTSTART;TZID=Asia/Tokyo:20260511T060000', 'DTEND:20260512T090000Z']),
      '05-10 05-11',
    )
  })

  test('keeps the last night of a time that ends with a day', () => {
    for (const start of [':20260510T150000', ';TZID=America/New_York:20260510T150000', ':20260510T190000Z'])
      for (const end of [';VALUE=DATE:20260513', ':20260513']) {
        const lines = [`DTSTART${start}`, `DTEND${end}`]
        assert.equal(nightsOf(lines, { timezone: 'America/New_York' }), '05-10 05-11 05-12', lines.join(' '))
      }
  })

  test('reads nights with clock changes', () => {
    const lisbon = (from: string, to: string) => [
      `DTSTART;TZID=Europe/Lisbon:${from}`,
      `DTEND;TZID=Europe/Lisbon:${to}`,
    ]
    const inMarch = { from: '2027-03-01' }
    assert.equal(nightsOf(lisbon('20270327T150000', '20270329T110000'), inMarch), '03-27 03-28')
    assert.equal(nightsOf(lisbon('20270328T013000', '20270329T003000'), inMarch), '03-28')
    assert.equal(nightsOf(lisbon('20261024T233000', '20261025T013000')), '10-24')
    const away = ['DTSTART:20261025T003000Z', 'DTEND:20261026T003000Z']
    assert.equal(nightsOf(away, { timezone: 'America/Sao_Paulo' }), '10-24')
    // 23:30 UTC is 00:30 in Lisbon in summer time, and 23:30 a week later in winter time.
    assert.equal(nightsOf(['DTSTART:20261023T233000Z', 'DURATION:PT1H']), '10-24')
    assert.equal(nightsOf(['DTSTART:20261030T233000Z', 'DURATION:PT1H']), '10-30')
  })

  test('covers the nights between the local days of a stay in any zone', () => {
    const zones = [
      'Europe/Lisbon',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'UTC',
    ]
    const start = Date.UTC(2026, 4, 2)
    const stamp = (ms: number) => new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')
    const localDay = (ms: number, timeZone: string) =>
      nightOf(new Date(ms).toLocaleDateString('sv-SE', { timeZone }))
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 400 * 1_440 }),
        fc.integer({ min: 0, max: 30 * 1_440 }),
        fc.constantFrom(...zones),
        (minutes, length, timezone) => {
          const from = start + minutes * 60_000
          const to = from + length * 60_000
          const first = localDay(from, timezone)
          const { nights: covered } = readCalendar(
            calendar(...event(`DTSTART:${stamp(from)}`, `DTEND:${stamp(to)}`)),
            {
              ...window,
              timezone,
            },
          )
          const expected = Math.max(1, localDay(to, timezone) - first)
          assert.deepEqual(
            covered,
            Array.from({ length: expected }, (_, at) => [dateOf(first + at), 1]),
          )
        },
      ),
      { numRuns: 300 },
    )
  })
})
