import type { RuleExample } from './rule-example.ts'

/** Examples of RFC 5545 that repeat by the month and the year. */
export const longPeriodExamples: readonly RuleExample[] = [
  {
    name: 'the first Friday of the month for 10 occurrences',
    start: '19970905T090000',
    rules: ['FREQ=MONTHLY;COUNT=10;BYDAY=1FR'],
    dates:
      '1997-09: 5; 1997-10: 3; 1997-11: 7; 1997-12: 5; 1998-01: 2; 1998-02: 6; 1998-03: 6; 1998-04: 3; ' +
      '1998-05: 1; 1998-06: 5',
  },
  {
    name: 'the first Friday of the month until December 24',
    start: '19970905T090000',
    rules: ['FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR'],
    dates: '1997-09: 5; 1997-10: 3; 1997-11: 7; 1997-12: 5',
  },
  {
    name: 'the first and last Sunday of every other month',
    start: '19970907T090000',
    rules: ['FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU'],
    dates: '1997-09: 7 28; 1997-11: 2 30; 1998-01: 4 25; 1998-03: 1 29; 1998-05: 3 31',
  },
  {
    name: 'the second-to-last Monday of the month for 6 months',
    start: '19970922T090000',
    rules: ['FREQ=MONTHLY;COUNT=6;BYDAY=-2MO'],
    dates: '1997-09: 22; 1997-10: 20; 1997-11: 17; 1997-12: 22; 1998-01: 19; 1998-02: 16',
  },
  {
    name: 'the third-to-the-last day of the month',
    start: '19970928T090000',
    rules: ['FREQ=MONTHLY;BYMONTHDAY=-3'],
    dates: '1997-09: 28; 1997-10: 29; 1997-11: 28; 1997-12: 29; 1998-01: 29; 1998-02: 26 ...',
  },
  {
    name: 'the 2nd and 15th of the month for 10 occurrences',
    start: '19970902T090000',
    rules: ['FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15'],
    dates: '1997-09: 2 15; 1997-10: 2 15; 1997-11: 2 15; 1997-12: 2 15; 1998-01: 2 15',
  },
  {
    name: 'the first and last day of the month for 10 occurrences',
    start: '19970930T090000',
    rules: ['FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1'],
    dates: '1997-09: 30; 1997-10: 1 31; 1997-11: 1 30; 1997-12: 1 31; 1998-01: 1 31; 1998-02: 1',
  },
  {
    name: 'every 18 months on the 10th through 15th',
    start: '19970910T090000',
    rules: ['FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15'],
    dates: '1997-09: 10-15; 1999-03: 10-13',
  },
  {
    name: 'every Tuesday of every other month',
    start: '19970902T090000',
    rules: ['FREQ=MONTHLY;INTERVAL=2;BYDAY=TU'],
    dates: '1997-09: 2 9 16 23 30; 1997-11: 4 11 18 25; 1998-01: 6 13 20 27; 1998-03: 3 10 17 24 31 ...',
  },
  {
    name: 'every Friday the 13th, without the start',
    start: '19970902T090000',
    rules: ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13'],
    exceptions: '19970902T090000',
    dates: '1998-02: 13; 1998-03: 13; 1998-11: 13; 1999-08: 13; 2000-10: 13 ...',
  },
  {
    name: 'the Saturday after the first Sunday of the month',
    start: '19970913T090000',
    rules: ['FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13'],
    dates:
      '1997-09: 13; 1997-10: 11; 1997-11: 8; 1997-12: 13; 1998-01: 10; 1998-02: 7; 1998-03: 7; 1998-04: 11; ' +
      '1998-05: 9; 1998-06: 13 ...',
  },
  {
    name: 'the third Tuesday, Wednesday or Thursday of the month for 3 months',
    start: '19970904T090000',
    rules: ['FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3'],
    dates: '1997-09: 4; 1997-10: 7; 1997-11: 6',
  },
  {
    name: 'the second-to-last weekday of the month',
    start: '19970929T090000',
    rules: ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2'],
    dates: '1997-09: 29; 1997-10: 30; 1997-11: 27; 1997-12: 30; 1998-01: 29; 1998-02: 26; 1998-03: 30 ...',
  },
  {
    name: 'a day that does not exist (30 February) is ignored and not counted',
    start: '20070115T090000',
    rules: ['FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5'],
    dates: '2007-01: 15 30; 2007-02: 15; 2007-03: 15 30',
  },
  {
    name: 'June and July for 10 occurrences',
    start: '19970610T090000',
    rules: ['FREQ=YEARLY;COUNT=10;BYMONTH=6,7'],
    dates:
      '1997-06: 10; 1997-07: 10; 1998-06: 10; 1998-07: 10; 1999-06: 10; 1999-07: 10; 2000-06: 10; ' +
      '2000-07: 10; 2001-06: 10; 2001-07: 10',
  },
  {
    name: 'every other year in January, February and March for 10 occurrences',
    start: '19970310T090000',
    rules: ['FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3'],
    dates:
      '1997-03: 10; 1999-01: 10; 1999-02: 10; 1999-03: 10; 2001-01: 10; 2001-02: 10; 2001-03: 10; ' +
      '2003-01: 10; 2003-02: 10; 2003-03: 10',
  },
  {
    name: 'every third year on the 1st, 100th and 200th day for 10 occurrences',
    start: '19970101T090000',
    rules: ['FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200'],
    dates:
      '1997-01: 1; 1997-04: 10; 1997-07: 19; 2000-01: 1; 2000-04: 9; 2000-07: 18; 2003-01: 1; 2003-04: 10; ' +
      '2003-07: 19; 2006-01: 1',
  },
  {
    name: 'every 20th Monday of the year',
    start: '19970519T090000',
    rules: ['FREQ=YEARLY;BYDAY=20MO'],
    dates: '1997-05: 19; 1998-05: 18; 1999-05: 17 ...',
  },
  {
    name: 'Monday of week 20',
    start: '19970512T090000',
    rules: ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO'],
    dates: '1997-05: 12; 1998-05: 11; 1999-05: 17 ...',
  },
  {
    name: 'every Thursday in March',
    start: '19970313T090000',
    rules: ['FREQ=YEARLY;BYMONTH=3;BYDAY=TH'],
    dates: '1997-03: 13 20 27; 1998-03: 5 12 19 26; 1999-03: 4 11 18 25 ...',
  },
  {
    name: 'every Thursday in June, July and August',
    start: '19970605T090000',
    rules: ['FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8'],
    dates:
      '1997-06: 5 12 19 26; 1997-07: 3 10 17 24 31; 1997-08: 7 14 21 28; ' +
      '1998-06: 4 11 18 25; 1998-07: 2 9 16 23 30; 1998-08: 6 13 20 27; ' +
      '1999-06: 3 10 17 24; 1999-07: 1 8 15 22 29; 1999-08: 5 12 19 26 ...',
  },
  {
    name: 'election day of the United States',
    start: '19961105T090000',
    rules: ['FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8'],
    dates: '1996-11: 5; 2000-11: 7; 2004-11: 2 ...',
  },
]
