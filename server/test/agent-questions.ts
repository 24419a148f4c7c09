import { inDays } from './local-days.ts'
import { july, newStay, type AgentTask } from './agent-task.ts'

/** Tasks that change nothing. */
export const agentQuestions: readonly AgentTask[] = [
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
]
