import type { Code } from './catalogue.ts'

/**
 * The problems that an operation can answer with beside those of its kind (operation.ts), for the contract. Every test that
 * meets a problem checks that the operation names it (server/test/stated-problems.ts).
 */

const spaceChange = ['invalid-status-transition', 'resource-archived', 'resource-in-use'] as const
const unitChange = ['invalid-status-transition', 'resource-archived', 'resource-in-use'] as const
const planChange = [
  'already-exists',
  'invalid-status-transition',
  'resource-archived',
  'resource-in-use',
] as const
const chargeChange = ['resource-archived'] as const
const bookingChange = [
  'booking-conflict',
  'booking-ended',
  'invalid-status-transition',
  'quote-expired',
  'quote-used',
  'resource-in-use',
  'unit-not-bookable',
] as const
const paymentStep = ['invalid-status-transition', 'booking-ended'] as const
const pms = ['pms-refused', 'pms-unavailable'] as const
const notice = ['invalid-signature', 'not-found', 'semantic-error'] as const
const conflictStep = ['invalid-status-transition', 'booking-conflict'] as const

export const problemTable: Readonly<Record<string, readonly Code[]>> = {
  'POST /api/v1/spaces': ['already-exists'],
  'PUT /api/v1/spaces/:id': spaceChange,
  'PATCH /api/v1/spaces/:id': spaceChange,
  'DELETE /api/v1/spaces/:id': ['resource-in-use'],
  'POST /api/v1/units': ['resource-archived'],
  'PUT /api/v1/units/:id': unitChange,
  'PATCH /api/v1/units/:id': unitChange,
  'DELETE /api/v1/units/:id': ['resource-in-use'],
  'POST /api/v1/rate-plans': planChange,
  'PUT /api/v1/rate-plans/:id': planChange,
  'PATCH /api/v1/rate-plans/:id': planChange,
  'DELETE /api/v1/rate-plans/:id': ['resource-in-use'],
  'POST /api/v1/charges': chargeChange,
  'PUT /api/v1/charges/:id': chargeChange,
  'PATCH /api/v1/charges/:id': chargeChange,
  'GET /api/v1/calendar': ['not-found'],
  'POST /api/v1/calendar': ['resource-archived', 'resource-in-use'],
  'POST /api/v1/bookings': bookingChange,
  'PUT /api/v1/bookings/:id': bookingChange,
  'PATCH /api/v1/bookings/:id': bookingChange,
  'DELETE /api/v1/bookings/:id': ['invalid-status-transition', 'resource-in-use'],
  'POST /api/v1/guest-exports': ['not-found'],
  'POST /api/v1/guest-erasures': ['not-found'],
  'POST /api/v1/payment-intents': ['not-found', 'booking-ended'],
  'POST /api/v1/payment-intents/:id/capture': paymentStep,
  'POST /api/v1/payment-intents/:id/cancel': paymentStep,
  'POST /api/v1/payment-intents/:id/refunds': paymentStep,
  'POST /api/v1/sales-stops': ['already-exists'],
  'GET /api/v1/availability': ['semantic-error'],
  'POST /api/v1/quotes': ['dates-unavailable', 'not-found', 'unit-not-bookable', 'booking-conflict'],
  'POST /api/v1/channel-targets': pms,
  'PUT /api/v1/channel-targets/:id': ['invalid-status-transition', 'resource-in-use', ...pms],
  'DELETE /api/v1/channel-targets/:id': ['resource-in-use'],
  'POST /api/v1/channel-targets/:id/pause': ['invalid-status-transition'],
  'GET /api/v1/channel-targets/:id/offers': pms,
  'POST /api/v1/channel-listings': ['duplicate-mapping'],
  'PUT /api/v1/channel-listings/:id': ['duplicate-mapping', 'invalid-status-transition'],
  'GET /api/v1/sync/preview/:listingId': pms,
  'POST /api/v1/sync/trigger': ['listing-paused', 'not-found', 'target-inactive'],
  'POST /api/v1/sync/retries': ['listing-paused', 'not-failed', 'not-found', 'target-inactive'],
  'POST /api/v1/sync/replays': ['listing-paused', 'not-found', 'target-inactive'],
  'POST /api/v1/connectors/pms/sync': ['listing-paused', 'not-found', 'target-inactive'],
  'GET /api/v1/admin/analytics': ['not-found'],
  'POST /api/v1/booking-conflicts/:id/retry': conflictStep,
  'POST /api/v1/booking-conflicts/:id/dismissal': conflictStep,
  'POST /api/v1/webhook-endpoints/:id/test': ['endpoint-disabled'],
  'POST /api/v1/webhook-endpoints/:id/replay': ['endpoint-disabled'],
  'POST /api/v1/webhook-deliveries/:id/replay': ['endpoint-disabled'],
  'POST /api/v1/properties/:property_id/media': [
    'file-too-large',
    'quota-exceeded',
    'resource-archived',
    'unsupported-media',
  ],
  'POST /webhooks/pms': notice,
  'POST /webhooks/pms/:targetId': notice,
  'POST /webhooks/payments': notice,
  'GET /media/:organization/:file': ['no-such-path'],
  'GET /calendars/:token.ics': ['no-such-path'],
  'GET /metrics': ['unauthorized'],
}
