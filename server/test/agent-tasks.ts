import { agentQuestions } from './agent-questions.ts'
import { july, newStay, type AgentTask } from './agent-task.ts'
import { inDays } from './local-days.ts'

export const agentTasks: readonly AgentTask[] = [
  ...agentQuestions,
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
    calls: [['change_booking', ({ ada }) => ({ booking_id: ada, check_out: inDays(24) }), 'confirm twice']],
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
    calls: [['cancel_booking', ({ bob }) => ({ booking_id: bob, reason: 'guest_request' }), 'confirm twice']],
    effects: ['booking cancelled Bob'],
  },
  {
    asked: 'The mapping is right now: push again.',
    calls: [
      ['list_sync_failures', {}],
      ['retry_failed_pushes', ({ cause }) => ({ cause_id: cause }), 'confirm twice'],
    ],
    effects: ['pushes retried'],
  },
  {
    asked: 'There is water in the house: stop selling it.',
    calls: [['stop_sales', ({ space }) => ({ space_id: space, reason: 'Water damage' }), 'confirm twice']],
    effects: ['sales_stop stopped null'],
  },
  {
    asked: 'Everything is dry: sell again.',
    calls: [['resume_sales', async (world) => ({ sales_stop_id: await world.stop() }), 'confirm twice']],
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
