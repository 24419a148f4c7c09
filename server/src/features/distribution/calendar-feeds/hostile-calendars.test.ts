import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readInThread } from './read-in-thread.ts'
import { calendar, event, nights, unreadable, window } from '#test/calendar-reading.ts'
import { readCalendar } from './read-calendar.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'

suite('reading a calendar: texts', () => {
  test('reads several calendars, folded lines, a byte order mark, bare line feeds and blank lines', () => {
    const one = calendar(...event('DTSTART;VALUE=DATE:20260510', 'DESCRIPTION:a long', '  text: with; signs'))
    const two = calendar(...event('DTSTART;VALUE=DATE:20260515'))
    assert.equal(nights(`\uFEFF${one}${two}`), '05-10 05-15')
    assert.equal(nights(one.replaceAll('\r\n', '\n')), '05-10')
    assert.equal(nights(one.replaceAll('END:VEVENT', '\r\nEND:VEVENT\r\n')), '05-10')
    assert.equal(nights(calendar()), '')
  })

  test('rejects texts that are no calendar', () => {
    for (const text of [
      '',
      ' ',
      '<!doctype html><p>Sign in',
      '{"error":1}',
      'SUMMARY:x',
      '\u0000\u0001',
      'BEGIN:VCARD\nEND:VCARD',
    ])
      unreadable(text, /^The response is not a (valid )?calendar/)
    unreadable(calendar(...event('DTSTART;VALUE=DATE:20260510')).slice(0, -20), /is not a valid calendar/)
  })

  test('rejects a calendar with an invalid event', () => {
    for (const lines of [
      ['DTSTART:garbage'],
      ['DTSTART;VALUE=DATE:'],
      ['DTSTART;VALUE=DATE:20260510', 'RRULE:FREQ=NEVER'],
    ])
      unreadable(
        calendar(...event('DTSTART;VALUE=DATE:20260601'), ...event(...lines)),
        /is invalid|not a valid calendar/,
      )
  })
})

suite('reading a calendar: hostile ones', () => {
  test('rejects a rule that repeats without end', () => {
    const lines = ['DTSTART:19700101T000000Z', 'RRULE:FREQ=SECONDLY']
    unreadable(calendar(...event(...lines)), /repeats too often/)
  })

  test('rejects small rules that multiply', () => {
    const all = Array.from({ length: 59 }, (_, at) => at).join(',')
    const lines = [
      'DTSTART:20260501T000000Z',
      `RRULE:FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7;BYMINUTE=${all};BYSECOND=${all}`,
    ]
    const many = Array.from({ length: 50 }, () => event(...lines)).flat()
    unreadable(calendar(...many), /repeats too often/)
  })

  test('ends a thread that runs or allocates too long', async () => {
    const never = calendar(
      ...event('DTSTART:19700101T000000Z', 'RRULE:FREQ=SECONDLY;BYHOUR=3;BYMINUTE=3;BYSECOND=3'),
    )
    const short = { timeoutMs: 300, memoryMb: 64 }
    await assert.rejects(readInThread(never, window, short), /repeat without end/)
    const stay = calendar(...event('DTSTART;VALUE=DATE:20260510'))
    const again = await readInThread(stay, window, { ...short, timeoutMs: 20_000 })
    assert.equal(again.nights.length, 1, 'another thread reads the next calendar')
    const nested = `BEGIN:VCALENDAR\r\n${'BEGIN:VEVENT\r\n'.repeat(300_000)}${'END:VEVENT\r\n'.repeat(300_000)}END:VCALENDAR`
    await assert.rejects(
      readInThread(nested, window, { timeoutMs: 20_000, memoryMb: 16 }),
      /repeat without end/,
    )
  })

  test('does not expand zone rules that are no clock changes', () => {
    const zone = [
      ...['BEGIN:VTIMEZONE', 'TZID:Odd', 'BEGIN:STANDARD', 'DTSTART:19700101T000000'],
      ...['TZOFFSETFROM:+0000', 'TZOFFSETTO:+0100', 'RRULE:FREQ=SECONDLY', 'END:STANDARD', 'END:VTIMEZONE'],
    ]
    const stay = event('DTSTART;TZID=Odd:20260510T150000', 'DTEND;TZID=Odd:20260512T110000')
    assert.equal(nights(calendar(...zone, ...stay)), '05-10 05-11')
  })

  test('reads the same in a thread', async () => {
    const text = calendar(...event('DTSTART;VALUE=DATE:20260510', 'RRULE:FREQ=WEEKLY;COUNT=3'))
    for (let n = 0; n < 2; n++) {
      assert.deepEqual(await readInThread(text, window), readCalendar(text, window))
      await assert.rejects(readInThread('<html>', window), UnreadableCalendar)
    }
  })
})
