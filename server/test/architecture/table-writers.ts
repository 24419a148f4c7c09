import type { Rule } from './layers.ts'

/** Tables that more than one feature writes, and why. Guests' data is erased wherever it stands. */
const sharedTables: Readonly<Record<string, readonly string[]>> = {
  // The erasure of a guest overwrites names and notes, or deletes what repeats them.
  alerts: ['messaging/alerts', 'reservations/guests', 'messaging/webhooks'],
  bookings: ['reservations/bookings', 'reservations/guests'],
  booking_conflicts: ['distribution/pms-bookings', 'reservations/guests', 'inventory/unit-deletion'],
  notifications: ['messaging/notifications', 'reservations/guests'],
  calendar_change_parts: ['inventory/calendar', 'reservations/guests'],
  sales_stops: ['inventory/sales-stops', 'reservations/guests'],
  file_import_rows: ['operations/file-imports', 'reservations/guests'],
  webhook_deliveries: ['messaging/webhooks', 'reservations/guests'],
  // Rooms are taken out of sale by people, by imported calendars, and by bookings that do not fit; a unit may get fewer rooms.
  calendar_blocks: [
    'inventory/calendar',
    'distribution/calendar-feeds',
    'inventory/units',
    'reservations/guests',
  ],
  // A delivery of the event is made with it, in one statement.
  events: ['messaging/events', 'messaging/webhooks'],
  // The preferences are a member of the settings.
  organizations: ['tenancy/provisioning', 'messaging/notifications'],
  // A booking takes its quote in the statement that checks it.
  quotes: ['reservations/quotes', 'reservations/bookings'],
  // An attempt and the beginning of its history are one statement: what is counted is there.
  sync_audit: ['distribution/audit', 'distribution/sync'],
  // The status of a listing follows its pushes, in their transaction.
  channel_listings: ['distribution/channel-listings', 'distribution/sync'],
  // Each has columns of its own: the budget and circuit, the schedule, the poll of bookings, the checks.
  target_syncs: [
    'distribution/pms-access',
    'distribution/channel-targets',
    'distribution/pms-bookings',
    'distribution/sync',
  ],
  units: ['inventory/units', 'inventory/unit-deletion'],
}

const statement = /\b(?:insert\s+into|delete\s+from|update)\s+(?!set\b|of\b|skip\b)([a-z_]+)\b/g

/** Each table is written by one feature; others call its functions. */
export const tablesHaveOneWriter: Rule = (sources) => {
  const writers = new Map<string, Set<string>>()
  for (const { path, text, marks } of sources) {
    const [, feature] = /^server\/src\/features\/([^/]+\/[^/]+)\//.exec(path) ?? []
    if (!feature || !marks.has('SQL') || path.endsWith('.test.ts')) continue
    for (const [, table = ''] of text.matchAll(statement))
      writers.set(table, (writers.get(table) ?? new Set()).add(feature))
  }
  return [...writers].flatMap(([table, features]) => {
    const unexpected = [...features].filter((feature) => !sharedTables[table]?.includes(feature))
    return features.size > 1 && unexpected.length > 0
      ? [`${table} is written by ${[...features].sort().join(', ')}`]
      : []
  })
}
