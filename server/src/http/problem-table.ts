import type { ProblemCode } from './problem-types.ts'

/**
 * The problems that an operation can answer with beside those of its kind (operation.ts), for the contract. Every test that
 * meets a problem checks that the operation names it (server/test/documented-problems.ts).
 */

const spaceChange = ['invalid-status-transition', 'resource-archived', 'resource-in-use'] as const
const unitChange = [
  'invalid-status-transition',
  'price-below-minimum',
  'resource-archived',
  'resource-in-use',
] as const
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
  'price-below-minimum',
  'resource-in-use',
  'stay-in-the-past',
  'unit-not-bookable',
] as const
const paymentStep = ['invalid-status-transition'] as const
const pms = ['pms-refused', 'pms-unavailable'] as const
const notice = ['invalid-signature', 'not-found'] as const
const conflictStep = ['invalid-status-transition'] as const

export const problemTable: Readonly<Record<string, readonly ProblemCode[]>> = {
  'PUT /api/v1/spaces/:id': spaceChange,
  'PATCH /api/v1/spaces/:id': spaceChange,
  'DELETE /api/v1/spaces/:id': ['resource-in-use'],
  'POST /api/v1/units': ['price-below-minimum'],
  'PUT /api/v1/units/:id': unitChange,
  'PATCH /api/v1/units/:id': unitChange,
  'DELETE /api/v1/units/:id': ['resource-in-use'],
  'POST /api/v1/rate-plans': ['already-exists', 'resource-archived', 'resource-in-use'],
  'PUT /api/v1/rate-plans/:id': planChange,
  'PATCH /api/v1/rate-plans/:id': planChange,
  'DELETE /api/v1/rate-plans/:id': ['resource-in-use'],
  'POST /api/v1/charges': chargeChange,
  'PUT /api/v1/charges/:id': chargeChange,
  'PATCH /api/v1/charges/:id': chargeChange,
  'GET /api/v1/today': ['not-found'],
  'GET /api/v1/calendar': ['not-found', 'semantic-error'],
  'POST /api/v1/calendar/search': ['invalid-cursor', 'not-found'],
  'POST /api/v1/calendar': ['price-below-minimum'],
  'POST /api/v1/calendar/copy': ['price-below-minimum', 'reference-not-found'],
  'POST /api/v1/seasons/:id/apply': ['price-below-minimum', 'reference-not-found'],
  'POST /api/v1/imports': ['already-exists', 'reference-not-found'],
  'POST /api/v1/imports/:id/run': ['invalid-status-transition'],
  'POST /api/v1/imports/:id/cancel': ['invalid-status-transition'],
  'POST /api/v1/imports/:id/live': ['invalid-status-transition'],
  'POST /api/v1/file-imports': [
    'file-too-large',
    'reference-not-found',
    'semantic-error',
    'unsupported-media',
  ],
  'PATCH /api/v1/file-imports/:id': ['invalid-status-transition', 'semantic-error'],
  'POST /api/v1/file-imports/:id/run': ['invalid-status-transition'],
  'POST /api/v1/file-imports/:id/cancel': ['invalid-status-transition'],
  'POST /api/v1/bookings': [
    'booking-conflict',
    'invalid-status-transition',
    'price-below-minimum',
    'quote-expired',
    'quote-used',
    'stay-in-the-past',
    'unit-not-bookable',
  ],
  'PUT /api/v1/bookings/:id': bookingChange,
  'PATCH /api/v1/bookings/:id': bookingChange,
  'POST /api/v1/bookings/:id/preview': [...bookingChange, 'reference-not-found', 'semantic-error'],
  'GET /api/v1/bookings/:id/cancellation': ['invalid-status-transition'],
  'POST /api/v1/notifications/:id/resend': ['invalid-status-transition', 'not-found'],
  'POST /api/v1/exports': ['already-exists'],
  'POST /api/v1/exports/:id/download': ['invalid-status-transition'],
  'POST /api/v1/guest-exports': ['not-found'],
  'POST /api/v1/guest-erasures': ['not-found'],
  'POST /api/v1/payment-intents': ['not-found', 'booking-ended'],
  'POST /api/v1/payment-intents/:id/capture': paymentStep,
  'POST /api/v1/payment-intents/:id/cancel': paymentStep,
  'POST /api/v1/payment-intents/:id/refunds': paymentStep,
  'GET /api/v1/availability': ['semantic-error'],
  'POST /api/v1/quotes': [
    'dates-unavailable',
    'not-found',
    'price-below-minimum',
    'stay-in-the-past',
    'unit-not-bookable',
    'booking-conflict',
  ],
  'PUT /api/v1/channel-targets/:id': ['duplicate-mapping', 'invalid-status-transition', 'resource-in-use'],
  'DELETE /api/v1/channel-targets/:id': ['resource-in-use'],
  'GET /api/v1/channel-targets/:id/offers': pms,
  'POST /api/v1/channel-listings': ['duplicate-mapping'],
  'PUT /api/v1/channel-listings/:id': ['duplicate-mapping', 'invalid-status-transition'],
  'POST /api/v1/sync/trigger': ['listing-paused', 'not-found', 'target-inactive'],
  'POST /api/v1/sync/retries': ['listing-paused', 'not-failed', 'not-found', 'target-inactive'],
  'POST /api/v1/sync/replays': ['listing-paused', 'not-found', 'target-inactive'],
  'POST /api/v1/connectors/pms/sync': ['listing-paused', 'not-found', 'target-inactive'],
  'GET /api/v1/admin/analytics': ['not-found'],
  'POST /api/v1/booking-conflicts/:id/retry': conflictStep,
  'POST /api/v1/calendar-feeds/:id/decision': [...conflictStep, 'precondition-failed'],
  'POST /api/v1/calendar-feeds/:id/fetch': conflictStep,
  'POST /api/v1/booking-conflicts/:id/dismissal': [...conflictStep, 'precondition-failed'],
  'POST /api/v1/booking-conflicts/:id/acceptance': [
    ...conflictStep,
    'booking-conflict',
    'precondition-failed',
    'reference-not-found',
  ],
  'POST /api/v1/webhook-endpoints': ['limit-reached'],
  'POST /api/v1/calendar-feeds': ['limit-reached'],
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
  'GET /metrics': ['unauthorized'],
}
