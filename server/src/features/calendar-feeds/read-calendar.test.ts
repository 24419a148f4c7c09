import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { dateOf, nightOf } from '#nights.ts'
import { readAside } from './read-aside.ts'
import { readCalendar, UnreadableCalendar, type Window } from './read-calendar.ts'

const window: Window = {
  timezone: 'Europe/Lisbon',
  from: '2026-05-01',
  nights: 500,
  ownUidEnding: '.unit@vacancy',
}
const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n')
let made = 0
const event = (...lines: string[]) => [
  'BEGIN:VEVENT',
  ...(lines.some((line) => line.startsWith('UID')) ? [] : [`UID:${++made}@elsewhere`]),
  ...lines,
  'END:VEVENT',
]
/** The nights in short: `05-10 05-11`, with the number of events where there is more than one. */
const nights = (text: string, more: Partial<Window> = {}) =>
  readCalendar(text, { ...window, ...more })
    .map(([date, events]) => date.slice(5) + (events > 1 ? `×${events}` : ''))
    .join(' ')
const nightsOf = (lines: string[], more: Partial<Window> = {}) => nights(calendar(...event(...lines)), more)
const unreadable = (text: string, message: RegExp) =>
  assert.throws(
    () => readCalendar(text, window),
    (error) => error instanceof UnreadableCalendar && message.test(error.message),
  )

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
      'an alarm inside',
      ['DTSTART;VALUE=DATE:20260510', 'BEGIN:VALARM', 'TRIGGER:-PT15M', 'END:VALARM'],
      '05-10',
    ],
  ]
  for (const [name, lines, expected] of cases) test(name, () => assert.equal(nightsOf(lines), expected))

  test('until the year 9999, and back to the year 1, is every night that is asked for', () => {
    const covered = readCalendar(
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
  test('a stay by the clock of the space', () => {
    assert.equal(nightsOf(['DTSTART:20260510T150000', 'DTEND:20260512T110000']), '05-10 05-11')
    assert.equal(nightsOf(['DTSTART:20260510T150000', 'DURATION:P1DT20H']), '05-10 05-11')
    assert.equal(nightsOf(['DTSTART:20260510T150000']), '05-10')
    assert.equal(nightsOf(['DTSTART:20260510T090000', 'DTEND:20260510T110000']), '05-10')
    assert.equal(nightsOf(['DTSTART:20260510T000000', 'DTEND:20260512T000000']), '05-10 05-11')
  })

  test('UTC becomes the local day of the space', () => {
    const stay = ['DTSTART:20260510T233000Z', 'DTEND:20260512T090000Z']
    assert.equal(nightsOf(stay), '05-11')
    assert.equal(nightsOf(stay, { timezone: 'America/New_York' }), '05-10 05-11')
    assert.equal(nightsOf(stay, { timezone: 'Pacific/Kiritimati' }), '05-11')
    assert.equal(
      nightsOf(['DTSTART:20260510T100000Z', 'DTEND:20260512T100000Z'], { timezone: 'Pacific/Kiritimati' }),
      '05-11 05-12',
    )
  })

  test('a named zone becomes the local day of the space, whoever names it', () => {
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

  test('the nights on which clocks change are nights like the others', () => {
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
    // 23:30 UTC is 00:30 of summer time in Lisbon, and 23:30 of winter time a week later.
    assert.equal(nightsOf(['DTSTART:20261023T233000Z', 'DURATION:PT1H']), '10-24')
    assert.equal(nightsOf(['DTSTART:20261030T233000Z', 'DURATION:PT1H']), '10-30')
  })

  test('any stay in any zone covers the nights between the local days of its ends', () => {
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
          const covered = readCalendar(calendar(...event(`DTSTART:${stamp(from)}`, `DTEND:${stamp(to)}`)), {
            ...window,
            timezone,
          })
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

  test('a changed occurrence stands for the one it replaces, a cancelled one for none', () => {
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

  test('the same UID twice: the latest version counts, and what is equal counts once', () => {
    const stay = (sequence: number, day: string) =>
      event('UID:s', `SEQUENCE:${sequence}`, `DTSTART;VALUE=DATE:${day}`)
    assert.equal(nights(calendar(...stay(1, '20260512'), ...stay(0, '20260510'))), '05-12')
    assert.equal(nights(calendar(...stay(0, '20260510'), ...stay(0, '20260510'))), '05-10')
    assert.equal(nights(calendar(...stay(0, '20260510'), ...stay(0, '20260512'))), '05-10 05-12')
  })

  test('events of their own add up on the nights that they share', () => {
    const first = event('DTSTART;VALUE=DATE:20260510', 'DTEND;VALUE=DATE:20260513')
    const second = event('DTSTART;VALUE=DATE:20260512', 'DTEND;VALUE=DATE:20260514')
    assert.equal(nights(calendar(...first, ...second)), '05-10 05-11 05-12×2 05-13')
  })
})

suite('reading a calendar: texts', () => {
  test('several calendars, folded lines, a byte order mark, bare line feeds and blank lines are read', () => {
    const one = calendar(...event('DTSTART;VALUE=DATE:20260510', 'DESCRIPTION:a long', '  text: with; signs'))
    const two = calendar(...event('DTSTART;VALUE=DATE:20260515'))
    assert.equal(nights(`\uFEFF${one}${two}`), '05-10 05-15')
    assert.equal(nights(one.replaceAll('\r\n', '\n')), '05-10')
    assert.equal(nights(one.replaceAll('END:VEVENT', '\r\nEND:VEVENT\r\n')), '05-10')
    assert.equal(nights(calendar()), '')
  })

  test('what is no calendar is said to be none', () => {
    for (const text of [
      '',
      ' ',
      '<!doctype html><p>Sign in',
      '{"error":1}',
      'SUMMARY:x',
      '\u0000\u0001',
      'BEGIN:VCARD\nEND:VCARD',
    ])
      unreadable(text, /^The address does not answer with a calendar/)
    unreadable(calendar(...event('DTSTART;VALUE=DATE:20260510')).slice(0, -20), /calendar that can be read/)
  })

  test('an event that cannot be understood spoils the whole: no night falls free', () => {
    for (const lines of [
      ['DTSTART:garbage'],
      ['DTSTART;VALUE=DATE:'],
      ['DTSTART;VALUE=DATE:20260510', 'RRULE:FREQ=NEVER'],
    ])
      unreadable(calendar(...event('DTSTART;VALUE=DATE:20260601'), ...event(...lines)), /can(not)? be/)
  })
})

suite('reading a calendar: hostile ones', () => {
  test('a rule that repeats without end is refused', () => {
    const lines = ['DTSTART:19700101T000000Z', 'RRULE:FREQ=SECONDLY']
    unreadable(calendar(...event(...lines)), /repeats too often/)
  })

  test('rules that multiply are refused: each alone is small', () => {
    const all = Array.from({ length: 59 }, (_, at) => at).join(',')
    const lines = [
      'DTSTART:20260501T000000Z',
      `RRULE:FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7;BYMINUTE=${all};BYSECOND=${all}`,
    ]
    const many = Array.from({ length: 50 }, () => event(...lines)).flat()
    unreadable(calendar(...many), /repeats too often/)
  })

  test('what is worked out for ever, or fills the memory, ends with its thread', async () => {
    const never = calendar(
      ...event('DTSTART:20260510T000000Z', 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30'),
    )
    await assert.rejects(readAside(never, window, { timeoutMs: 300, memoryMb: 64 }), /too long to work out/)
    const nested = `BEGIN:VCALENDAR\r\n${'BEGIN:VEVENT\r\n'.repeat(300_000)}${'END:VEVENT\r\n'.repeat(300_000)}END:VCALENDAR`
    await assert.rejects(
      readAside(nested, window, { timeoutMs: 20_000, memoryMb: 16 }),
      /too long to work out/,
    )
  })

  test('rules of a zone are not worked out unless clocks change by them', () => {
    const zone = [
      ...['BEGIN:VTIMEZONE', 'TZID:Odd', 'BEGIN:STANDARD', 'DTSTART:19700101T000000'],
      ...['TZOFFSETFROM:+0000', 'TZOFFSETTO:+0100', 'RRULE:FREQ=SECONDLY', 'END:STANDARD', 'END:VTIMEZONE'],
    ]
    const stay = event('DTSTART;TZID=Odd:20260510T150000', 'DTEND;TZID=Odd:20260512T110000')
    assert.equal(nights(calendar(...zone, ...stay)), '05-10 05-11')
  })

  test('aside is read as here', async () => {
    const text = calendar(...event('DTSTART;VALUE=DATE:20260510', 'RRULE:FREQ=WEEKLY;COUNT=3'))
    assert.deepEqual(await readAside(text, window), readCalendar(text, window))
    await assert.rejects(readAside('<html>', window), UnreadableCalendar)
  })
})
