import type { RuleExample } from './rule-example.ts'

/** Examples of RFC 5545 that repeat by the week, the day, and within a day. */
export const shortPeriodExamples: readonly RuleExample[] = [
  {
    name: 'daily for 10 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=DAILY;COUNT=10'],
    dates: '1997-09: 2-11',
  },
  {
    name: 'daily until December 24',
    start: '19970902T090000',
    rules: ['FREQ=DAILY;UNTIL=19971224T000000Z'],
    dates: '1997-09: 2-30; 1997-10: 1-31; 1997-11: 1-30; 1997-12: 1-23',
  },
  {
    name: 'every other day',
    start: '19970902T090000',
    rules: ['FREQ=DAILY;INTERVAL=2'],
    dates:
      '1997-09: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30; ' +
      '1997-10: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30; 1997-11: 1 3 5 7 9 ...',
  },
  {
    name: 'every 10 days, 5 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=DAILY;INTERVAL=10;COUNT=5'],
    dates: '1997-09: 2 12 22; 1997-10: 2 12',
  },
  {
    name: 'every day in January for 3 years',
    start: '19980101T090000',
    rules: [
      'FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA',
      'FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1',
    ],
    dates: '1998-01: 1-31; 1999-01: 1-31; 2000-01: 1-31',
  },
  {
    name: 'weekly for 10 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=WEEKLY;COUNT=10'],
    dates: '1997-09: 2 9 16 23 30; 1997-10: 7 14 21 28; 1997-11: 4',
  },
  {
    name: 'weekly until December 24',
    start: '19970902T090000',
    rules: ['FREQ=WEEKLY;UNTIL=19971224T000000Z'],
    dates: '1997-09: 2 9 16 23 30; 1997-10: 7 14 21 28; 1997-11: 4 11 18 25; 1997-12: 2 9 16 23',
  },
  {
    name: 'every other week',
    start: '19970902T090000',
    rules: ['FREQ=WEEKLY;INTERVAL=2;WKST=SU'],
    dates:
      '1997-09: 2 16 30; 1997-10: 14 28; 1997-11: 11 25; 1997-12: 9 23; 1998-01: 6 20; 1998-02: 3 17 ...',
  },
  {
    name: 'Tuesday and Thursday for five weeks',
    start: '19970902T090000',
    rules: [
      'FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH',
      'FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH',
    ],
    dates: '1997-09: 2 4 9 11 16 18 23 25 30; 1997-10: 2',
  },
  {
    name: 'every other week on Monday, Wednesday and Friday until December 24',
    start: '19970901T090000',
    rules: ['FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR'],
    dates:
      '1997-09: 1 3 5 15 17 19 29; 1997-10: 1 3 13 15 17 27 29 31; ' +
      '1997-11: 10 12 14 24 26 28; 1997-12: 8 10 12 22',
  },
  {
    name: 'every other week on Tuesday and Thursday, 8 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH'],
    dates: '1997-09: 2 4 16 18 30; 1997-10: 2 14 16',
  },
  {
    name: 'weeks that begin on Monday',
    start: '19970805T090000',
    rules: ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO'],
    dates: '1997-08: 5 10 19 24',
  },
  {
    name: 'weeks that begin on Sunday',
    start: '19970805T090000',
    rules: ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU'],
    dates: '1997-08: 5 17 19 31',
  },
  {
    name: 'every 3 hours of one day',
    start: '19970902T090000',
    rules: ['FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z'],
    dates: '1997-09: 2',
  },
  {
    name: 'every 15 minutes for 6 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=MINUTELY;INTERVAL=15;COUNT=6'],
    dates: '1997-09: 2',
  },
  {
    name: 'every 90 minutes for 4 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=MINUTELY;INTERVAL=90;COUNT=4'],
    dates: '1997-09: 2',
  },
  {
    name: 'every 20 minutes from 9:00 to 16:40 every day',
    start: '19970902T090000',
    rules: [
      'FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40',
      'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16',
    ],
    dates: '1997-09: 2-30; 1997-10: 1-31 ...',
  },
  {
    name: 'twice on the Sundays of January in every other year',
    start: '19970105T083000',
    rules: ['FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYDAY=SU;BYHOUR=8,9;BYMINUTE=30'],
    dates: '1997-01: 5 12 19 26; 1999-01: 3 10 17 24 31 ...',
  },
]
