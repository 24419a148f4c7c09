import { inDays } from './local-days.ts'

/** The records that the tasks name. */
export interface AgentWorld {
  readonly space: string
  readonly loft: string
  readonly studio: string
  /** Of Ada, in the loft from day 20 to day 23. */
  readonly ada: string
  /** Of Bob, in the studio from day 5 to day 7. */
  readonly bob: string
  readonly listing: string
  readonly cause: string
  readonly foreignUnit: string
  /** The sales stop that an earlier task made. */
  stop(): Promise<string>
}

type Arguments = Record<string, unknown>

/**
 * - `preview`: the change is not confirmed
 * - `confirm`: it is previewed and confirmed
 * - `confirm twice`: the confirmation is sent again
 * - the others are confirmations that must not work
 */
export type Step =
  | 'preview'
  | 'confirm'
  | 'confirm twice'
  | 'confirm other arguments'
  | 'confirm as another person'
  | 'confirm after a change'
  | 'confirm with an invented confirmation'
  | 'confirm another tool'

export interface AgentTask {
  /** What the person asked for. */
  readonly asked: string
  readonly role?: 'manager' | 'viewer'
  /** The calls of the agent. */
  readonly calls: readonly [
    tool: string,
    values: Arguments | ((world: AgentWorld) => Arguments | Promise<Arguments>),
    step?: Step,
  ][]
  /** What is written: entries of the audit, and retried pushes. */
  readonly effects?: readonly string[]
  /** The last call is rejected. */
  readonly isRejected?: boolean
}

const july = { from: inDays(40), to: inDays(47) }

export const agentTasks: readonly AgentTask[] = [
  // Questions.
  { asked: 'What needs my attention?', calls: [['get_today', {}]] },
  {
    asked: 'Who arrives at the Seaside today?',
    calls: [['get_today', ({ space }) => ({ space_id: space })]],
  },
  { asked: 'Find Ada.', calls: [['search', { q: 'Ada' }]] },
  { asked: 'Which unit is the loft?', calls: [['search', { q: 'Loft', kind: 'unit', limit: 3 }]] },
  { asked: 'Which units do we have?', calls: [['list_units', {}]] },
  { asked: 'Which are out of order?', calls: [['list_units', { status: 'maintenance' }]] },
  {
    asked: 'How many people fit into the loft?',
    calls: [
      ['list_units', { q: 'Loft' }],
      ['get_unit', ({ loft }) => ({ unit_id: loft })],
    ],
  },
  {
    asked: 'What does the loft cost in summer?',
    calls: [['get_calendar', ({ loft }) => ({ ...july, unit_id: loft })]],
  },
  {
    asked: 'Show me the next two weeks.',
    calls: [['get_calendar', { from: inDays(0), to: inDays(13), limit: 20 }]],
  },
  { asked: 'What is free for two people?', calls: [['find_availability', { ...july, guests: 2 }]] },
  {
    asked: 'Is there a room in Lisbon for 40?',
    calls: [['find_availability', { ...july, guests: 40, place: 'Lisbon' }]],
  },
  {
    asked: 'Who comes next month?',
    calls: [['list_bookings', { check_in_from: inDays(0), check_in_to: inDays(30) }]],
  },
  { asked: 'Who has not paid?', calls: [['list_bookings', { unpaid: true }]] },
  { asked: 'What did Ada book?', calls: [['get_booking', ({ ada }) => ({ booking_id: ada })]] },
  { asked: 'Are we overbooked anywhere?', calls: [['list_booking_conflicts', { status: 'open' }]] },
  { asked: 'Why are prices old at the PMS?', calls: [['list_sync_failures', {}]] },
  {
    asked: 'What does the PMS show?',
    calls: [['compare_with_pms', ({ listing }) => ({ listing_id: listing })]],
  },
  { asked: 'How was last month?', calls: [['get_analytics', {}]] },
  { asked: 'Who changed the loft?', calls: [['list_changes', ({ loft }) => ({ record_id: loft })]] },
  // Previews that nobody confirms.
  {
    asked: 'What would +10 % in summer give?',
    calls: [['change_calendar', ({ loft }) => ({ unit_ids: [loft], ...july, price_percent: 10 }), 'preview']],
  },
  {
    asked: 'What would a cancellation cost Ada?',
    calls: [['cancel_booking', ({ ada }) => ({ booking_id: ada, reason: 'guest_request' }), 'preview']],
  },
  {
    asked: 'Could Ada stay a day longer?',
    calls: [['change_booking', ({ ada }) => ({ booking_id: ada, check_out: inDays(24) }), 'preview']],
  },
  { asked: 'What would a stop of all sales close?', calls: [['stop_sales', {}, 'preview']] },
  {
    asked: 'What would three nights in the studio cost?',
    calls: [['create_booking', ({ studio }) => newStay(studio, 60), 'preview']],
  },
  {
    asked: 'What would a retry push?',
    calls: [['retry_failed_pushes', ({ cause }) => ({ cause_id: cause }), 'preview']],
  },
  // Changes.
  {
    asked: 'Raise the summer prices of the loft by 10 %.',
    calls: [['change_calendar', ({ loft }) => ({ unit_ids: [loft], ...july, price_percent: 10 }), 'confirm']],
    effects: ['calendar changed Loft'],
  },
  {
    asked: 'Weekends of both units need two nights.',
    calls: [
      [
        'change_calendar',
        ({ loft, studio }) => ({
          ...{ unit_ids: [loft, studio], ...july, weekdays: ['fri', 'sat'], min_stay_arrival: 2 },
        }),
        'confirm',
      ],
    ],
    effects: ['calendar changed null'],
  },
  {
    asked: 'The painter is in the studio on these days.',
    calls: [
      [
        'change_calendar',
        ({ studio }) => ({
          unit_ids: [studio],
          from: inDays(90),
          to: inDays(92),
          blocked: 1,
          reason: 'Painter',
        }),
        'confirm',
      ],
    ],
    effects: ['calendar changed Studio'],
  },
  {
    asked: 'Set this one night to 99.',
    calls: [
      [
        'change_calendar',
        ({ loft }) => ({ unit_ids: [loft], from: inDays(100), to: inDays(100), price_cents: 9_900 }),
        'confirm twice',
      ],
    ],
    effects: ['calendar changed Loft'],
  },
  {
    asked: 'Take a booking for Carol in the studio.',
    calls: [
      ['find_availability', ({ studio }) => ({ from: inDays(60), to: inDays(63), unit_id: studio })],
      ['create_booking', ({ studio }) => newStay(studio, 60), 'confirm'],
    ],
    effects: ['booking created Carol'],
  },
  {
    asked: 'Take a booking for Carol in the loft (the answer is lost and the agent repeats it).',
    calls: [['create_booking', ({ loft }) => newStay(loft, 64), 'confirm twice']],
    effects: ['booking created Carol'],
  },
  {
    asked: 'Ada stays a day longer.',
    calls: [['change_booking', ({ ada }) => ({ booking_id: ada, check_out: inDays(24) }), 'confirm']],
    effects: ['booking changed Ada'],
  },
  {
    asked: 'Bob brings a dog.',
    calls: [['change_booking', ({ bob }) => ({ booking_id: bob, notes: 'Brings a dog' }), 'confirm']],
    effects: ['booking changed Bob'],
  },
  {
    asked: 'Move Bob to the loft.',
    calls: [['change_booking', ({ bob, loft }) => ({ booking_id: bob, unit_id: loft }), 'confirm']],
    effects: ['booking changed Bob'],
  },
  {
    asked: 'Cancel the booking of Bob, he asked for it.',
    calls: [['cancel_booking', ({ bob }) => ({ booking_id: bob, reason: 'guest_request' }), 'confirm']],
    effects: ['booking cancelled Bob'],
  },
  {
    asked: 'The mapping is right now: push again.',
    calls: [
      ['list_sync_failures', {}],
      ['retry_failed_pushes', ({ cause }) => ({ cause_id: cause }), 'confirm'],
    ],
    effects: ['pushes retried'],
  },
  {
    asked: 'There is water in the house: stop selling it.',
    calls: [['stop_sales', ({ space }) => ({ space_id: space, reason: 'Water damage' }), 'confirm']],
    effects: ['sales_stop stopped null'],
  },
  {
    asked: 'Everything is dry: sell again.',
    calls: [['resume_sales', async (world) => ({ sales_stop_id: await world.stop() }), 'confirm']],
    effects: ['sales_stop resumed null'],
  },
  // What must not work.
  {
    asked: 'Cancel Ada (the agent confirms another reason than it showed).',
    calls: [
      [
        'cancel_booking',
        ({ ada }) => ({ booking_id: ada, reason: 'guest_request' }),
        'confirm other arguments',
      ],
    ],
    isRejected: true,
  },
  {
    asked: 'Cancel Ada (a colleague gets hold of the confirmation).',
    calls: [
      [
        'cancel_booking',
        ({ ada }) => ({ booking_id: ada, reason: 'guest_request' }),
        'confirm as another person',
      ],
    ],
    isRejected: true,
  },
  {
    asked: 'Cancel Ada (the agent invents a confirmation).',
    calls: [
      [
        'cancel_booking',
        ({ ada }) => ({ booking_id: ada, reason: 'host' }),
        'confirm with an invented confirmation',
      ],
    ],
    isRejected: true,
  },
  {
    asked: 'Stop everything (with the confirmation of a harmless change).',
    calls: [['stop_sales', {}, 'confirm another tool']],
    isRejected: true,
  },
  {
    asked: 'Ada leaves earlier (a colleague changes the booking between preview and confirmation).',
    calls: [
      ['change_booking', ({ ada }) => ({ booking_id: ada, check_out: inDays(22) }), 'confirm after a change'],
    ],
    effects: ['booking changed Ada'],
    isRejected: true,
  },
  {
    asked: 'Book the loft for the nights of Ada.',
    calls: [['create_booking', ({ loft }) => newStay(loft, 20), 'preview']],
    isRejected: true,
  },
  {
    asked: 'Show me the unit of another organization.',
    calls: [['get_unit', ({ foreignUnit }) => ({ unit_id: foreignUnit })]],
    isRejected: true,
  },
  {
    asked: 'Change the prices of another organization.',
    calls: [
      [
        'change_calendar',
        ({ foreignUnit }) => ({ unit_ids: [foreignUnit], ...july, price_cents: 100 }),
        'preview',
      ],
    ],
    isRejected: true,
  },
  {
    asked: 'Raise prices (asked by somebody who may only read).',
    role: 'viewer',
    calls: [['change_calendar', ({ loft }) => ({ unit_ids: [loft], ...july, price_percent: 10 }), 'preview']],
    isRejected: true,
  },
  {
    asked: 'Stop all sales (asked by somebody who may only read).',
    role: 'viewer',
    calls: [['stop_sales', {}, 'confirm with an invented confirmation']],
    isRejected: true,
  },
  {
    asked: 'Set a price of minus one.',
    calls: [['change_calendar', ({ loft }) => ({ unit_ids: [loft], ...july, price_cents: -1 }), 'preview']],
    isRejected: true,
  },
  {
    asked: 'Push the causes again that do not exist.',
    calls: [['retry_failed_pushes', ({ loft }) => ({ cause_id: loft }), 'preview']],
    isRejected: true,
  },
]

function newStay(unit_id: string, day: number): Arguments {
  return { unit_id, check_in: inDays(day), check_out: inDays(day + 3), guests: 2, guest_name: 'Carol' }
}
