import { grants } from './role-grants.ts'

export const roles = ['owner', 'admin', 'manager', 'staff', 'viewer', 'service'] as const
export type Role = (typeof roles)[number]

/**
 * What every endpoint asks for: the one table. It decides at the door, appears in openapi.json as
 * `x-permission` and in docs/permissions.md. A route without a row does not start.
 */
export const permissionTable = {
  'GET /health': 'none',
  'GET /health/ready': 'none',
  'GET /metrics': 'none',
  'GET /calendars/:token.ics': 'none',
  'GET /media/:organization/:file': 'none',
  'POST /webhooks/payments': 'none',
  'POST /webhooks/pms': 'none',
  'POST /webhooks/pms/:targetId': 'none',
  'GET /api/v1/openapi.json': 'none',
  'GET /api/v1/auth/session': 'any token',
  'GET /api/v1/auth/me': 'any token',
  'POST /api/v1/auth/logout': 'any token',
  'GET /api/v1/organizations': 'organizations:read',
  'GET /api/v1/organizations/:id': 'organizations:read',
  'GET /api/v1/accounts': 'accounts:read',
  'GET /api/v1/accounts/:id': 'accounts:read',
  'GET /api/v1/spaces': 'spaces:read',
  'GET /api/v1/spaces/:id': 'spaces:read',
  'POST /api/v1/spaces': 'spaces:write',
  'PUT /api/v1/spaces/:id': 'spaces:write',
  'PATCH /api/v1/spaces/:id': 'spaces:write',
  'DELETE /api/v1/spaces/:id': 'spaces:write',
  'GET /api/v1/properties': 'spaces:read',
  'GET /api/v1/properties/:id': 'spaces:read',
  'GET /api/v1/media': 'spaces:read',
  'GET /api/v1/media/:id': 'spaces:read',
  'PATCH /api/v1/media/:id': 'media:write',
  'DELETE /api/v1/media/:id': 'media:write',
  'GET /api/v1/properties/:property_id/media': 'spaces:read',
  'POST /api/v1/properties/:property_id/media': 'media:write',
  'GET /api/v1/units': 'units:read',
  'GET /api/v1/units/:id': 'units:read',
  'POST /api/v1/units': 'units:write',
  'PUT /api/v1/units/:id': 'units:write',
  'PATCH /api/v1/units/:id': 'units:write',
  'DELETE /api/v1/units/:id': 'units:write',
  'GET /api/v1/rate-plans': 'units:read',
  'GET /api/v1/rate-plans/:id': 'units:read',
  'POST /api/v1/rate-plans': 'units:write',
  'PUT /api/v1/rate-plans/:id': 'units:write',
  'PATCH /api/v1/rate-plans/:id': 'units:write',
  'DELETE /api/v1/rate-plans/:id': 'units:write',
  'GET /api/v1/charges': 'units:read',
  'GET /api/v1/charges/:id': 'units:read',
  'POST /api/v1/charges': 'units:write',
  'PUT /api/v1/charges/:id': 'units:write',
  'PATCH /api/v1/charges/:id': 'units:write',
  'DELETE /api/v1/charges/:id': 'units:write',
  'GET /api/v1/availability': 'units:read',
  'GET /api/v1/quotes': 'bookings:read',
  'GET /api/v1/quotes/:id': 'bookings:read',
  'POST /api/v1/quotes': 'quotes:write',
  'GET /api/v1/bookings': 'bookings:read',
  'GET /api/v1/bookings/:id': 'bookings:read',
  'POST /api/v1/bookings': 'bookings:write',
  'PUT /api/v1/bookings/:id': 'bookings:write',
  'PATCH /api/v1/bookings/:id': 'bookings:write',
  'DELETE /api/v1/bookings/:id': 'bookings:write',
  'POST /api/v1/guest-exports': 'guests:read',
  'GET /api/v1/guest-erasures': 'guests:read',
  'GET /api/v1/guest-erasures/:id': 'guests:read',
  'POST /api/v1/guest-erasures': 'guests:write',
  'GET /api/v1/calendar': 'units:read',
  'POST /api/v1/calendar': 'units:write',
  'GET /api/v1/payment-intents': 'payments:read',
  'GET /api/v1/payment-intents/:id': 'payments:read',
  'POST /api/v1/payment-intents': 'payments:write',
  'POST /api/v1/payment-intents/:id/capture': 'payments:write',
  'POST /api/v1/payment-intents/:id/cancel': 'payments:write',
  'POST /api/v1/payment-intents/:id/refunds': 'payments:write',
  'GET /api/v1/refunds': 'payments:read',
  'GET /api/v1/refunds/:id': 'payments:read',
  'GET /api/v1/sales-stops': 'sync:read',
  'GET /api/v1/sales-stops/:id': 'sync:read',
  'POST /api/v1/sales-stops': 'sync:write',
  'DELETE /api/v1/sales-stops/:id': 'sync:write',
  'GET /api/v1/calendar-feeds': 'units:read',
  'GET /api/v1/calendar-feeds/:id': 'units:read',
  'POST /api/v1/calendar-feeds': 'units:write',
  'PATCH /api/v1/calendar-feeds/:id': 'units:write',
  'DELETE /api/v1/calendar-feeds/:id': 'units:write',
  'POST /api/v1/calendar-feeds/:id/decision': 'units:write',
  'GET /api/v1/channel-targets': 'channel_targets:read',
  'GET /api/v1/channel-targets/:id': 'channel_targets:read',
  'POST /api/v1/channel-targets': 'channel_targets:write',
  'PUT /api/v1/channel-targets/:id': 'channel_targets:write',
  'DELETE /api/v1/channel-targets/:id': 'channel_targets:write',
  'POST /api/v1/channel-targets/:id/pause': 'channel_targets:write',
  'DELETE /api/v1/channel-targets/:id/pause': 'channel_targets:write',
  'GET /api/v1/channel-targets/:id/offers': 'channel_targets:read',
  'GET /api/v1/channel-targets/:id/preflight': 'channel_targets:read',
  'GET /api/v1/channel-listings': 'channel_listings:read',
  'GET /api/v1/channel-listings/:id': 'channel_listings:read',
  'POST /api/v1/channel-listings': 'channel_listings:write',
  'PUT /api/v1/channel-listings/:id': 'channel_listings:write',
  'DELETE /api/v1/channel-listings/:id': 'channel_listings:write',
  'POST /api/v1/channel-listings/:id/pause': 'channel_listings:write',
  'DELETE /api/v1/channel-listings/:id/pause': 'channel_listings:write',
  'GET /api/v1/channel-listings/:id/preflight': 'channel_listings:read',
  'POST /api/v1/sync/trigger': 'sync:write',
  'GET /api/v1/sync/status': 'sync:read',
  'GET /api/v1/sync/status/:listingId': 'sync:read',
  'GET /api/v1/sync/audit': 'sync:read',
  'GET /api/v1/sync/proof/:listingId': 'sync:read',
  'GET /api/v1/sync/preview/:listingId': 'sync:read',
  'GET /api/v1/sync/stream': 'sync:read',
  'POST /api/v1/sync/retries': 'sync:write',
  'POST /api/v1/sync/replays': 'sync:write',
  'GET /api/v1/sync/targets': 'sync:read',
  'GET /api/v1/sync/targets/:targetId': 'sync:read',
  'POST /api/v1/connectors/pms/sync': 'connectors:write',
  'GET /api/v1/admin/analytics': 'analytics:read',
  'GET /api/v1/alerts': 'sync:read',
  'GET /api/v1/alerts/:id': 'sync:read',
  'GET /api/v1/booking-conflicts': 'bookings:read',
  'GET /api/v1/booking-conflicts/:id': 'bookings:read',
  'POST /api/v1/booking-conflicts/:id/retry': 'bookings:write',
  'POST /api/v1/booking-conflicts/:id/dismissal': 'bookings:write',
  'GET /api/v1/webhook-messages': 'webhook_messages:read',
  'GET /api/v1/webhook-messages/:id': 'webhook_messages:read',
  'POST /api/v1/webhook-messages/:id/replay': 'sync:write',
  'GET /api/v1/notifications': 'notifications:read',
  'GET /api/v1/notifications/:id': 'notifications:read',
  'GET /api/v1/notification-preferences': 'notifications:read',
  'PUT /api/v1/notification-preferences': 'notifications:write',
  'GET /api/v1/notification-templates': 'notifications:read',
  'GET /api/v1/notification-templates/preview': 'notifications:read',
  'POST /api/v1/test/send-email': 'notifications:write',
  'GET /api/v1/events': 'events:read',
  'GET /api/v1/events/:id': 'events:read',
  'GET /api/v1/webhook-endpoints': 'webhooks:read',
  'GET /api/v1/webhook-endpoints/:id': 'webhooks:read',
  'POST /api/v1/webhook-endpoints': 'webhooks:write',
  'PUT /api/v1/webhook-endpoints/:id': 'webhooks:write',
  'PATCH /api/v1/webhook-endpoints/:id': 'webhooks:write',
  'DELETE /api/v1/webhook-endpoints/:id': 'webhooks:write',
  'POST /api/v1/webhook-endpoints/:id/secret': 'webhooks:write',
  'POST /api/v1/webhook-endpoints/:id/test': 'webhooks:write',
  'POST /api/v1/webhook-endpoints/:id/replay': 'webhooks:write',
  'GET /api/v1/webhook-endpoints/:id/deliveries': 'webhooks:read',
  'GET /api/v1/webhook-deliveries': 'webhooks:read',
  'GET /api/v1/webhook-deliveries/:id': 'webhooks:read',
  'POST /api/v1/webhook-deliveries/:id/replay': 'webhooks:write',
} as const satisfies Record<string, 'none' | 'any token' | keyof typeof grants>

const everything = Object.keys(grants)
const ladder = ['viewer', 'staff', 'manager', 'admin', 'owner'] as const

/** What a role may do when the token itself names no permissions. A service has only what its token names. */
export const rolePermissions: Record<Role, readonly string[]> = {
  owner: grantedTo('owner'),
  admin: grantedTo('admin'),
  manager: grantedTo('manager'),
  staff: grantedTo('staff'),
  viewer: grantedTo('viewer'),
  service: [],
}

function grantedTo(role: (typeof ladder)[number]): string[] {
  const reached = ladder.slice(0, ladder.indexOf(role) + 1)
  return Object.entries(grants).flatMap(([permission, { least }]) =>
    (reached as readonly string[]).includes(least) ? permission : [],
  )
}

const leastFor = (permission: string) =>
  Object.hasOwn(grants, permission) ? grants[permission as keyof typeof grants].least : null

const known: ReadonlySet<string> = new Set(everything)
/** What only owners and admins may do, whatever their token names. */
export const isAdminOnly = (permission: string) => leastFor(permission) === 'admin'
/** What only owners may do, whatever their token names. */
export const isOwnerOnly = (permission: string) => leastFor(permission) === 'owner'
/** Whether addresses, numbers and notes of guests are shown: else a record that is read and sent back would lose them. */
export const maySeeContacts = (permissions: ReadonlySet<string>) =>
  permissions.has('guest_contacts:read') || permissions.has('bookings:write')
export const isAdmin = (role: Role) => role === 'owner' || role === 'admin'
export const isPermission = (text: string) => known.has(text)
export const isRole = (text: unknown): text is Role => roles.includes(text as Role)
