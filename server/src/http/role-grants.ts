/**
 * The lowest role that has a permission; every role above it has the permission, too. A permission of `service` belongs to
 * no role: a token must list it. docs/permissions.md shows the reasons.
 */
export interface Grant {
  readonly minRole: 'owner' | 'admin' | 'manager' | 'staff' | 'viewer' | 'service'
  /** Why the lowest role needs it. */
  readonly reason: string
  /** Why lower roles do not have it; null when there are none. */
  readonly whyNotLower: string | null
}

/** What each role is for. */
export const roleGrants = {
  owner:
    'Responsible for the business; the only role that can export everything, and erase the data of guests.',
  admin: 'Sets up the system: recipients of notifications, analytics, connectors.',
  manager: 'Runs the properties: inventory, prices, channels and payments.',
  staff: 'The front desk: creates, changes and cancels bookings, and contacts guests.',
  viewer: 'Reads without changing anything, for example an investor or a display in the office.',
  service: 'A program. It has the permissions that its token lists, and none by its role.',
} as const

const onlyManagers = 'Managers decide what is sold, and at which price.'
const completeRecords = 'It contains complete records, with guests and payments.'

export const grants = {
  'organizations:read': {
    minRole: 'viewer',
    reason:
      'Every user sees the organization they work for. Addresses of colleagues in its settings require `notifications:read`.',
    whyNotLower: null,
  },
  'accounts:read': { minRole: 'viewer', reason: 'Other records refer to their account.', whyNotLower: null },
  'spaces:read': {
    minRole: 'viewer',
    reason: 'The console shows all properties to every user.',
    whyNotLower: null,
  },
  'spaces:write': {
    minRole: 'manager',
    reason: 'Managers set up the properties.',
    whyNotLower: onlyManagers,
  },
  'units:read': {
    minRole: 'viewer',
    reason:
      'The console shows units, rate plans, prices and availability. The URL of a calendar requires `units:write`.',
    whyNotLower: null,
  },
  'units:write': {
    minRole: 'manager',
    reason: 'Managers set prices, rate plans, restrictions and blocks.',
    whyNotLower: onlyManagers,
  },
  'channel_targets:read': {
    minRole: 'viewer',
    reason: 'The console shows the PMS of each listing. Secrets are never returned.',
    whyNotLower: null,
  },
  'channel_targets:write': {
    minRole: 'manager',
    reason: 'Managers set up connections and their credentials.',
    whyNotLower: 'A connection decides what the PMS sells, and contains credentials.',
  },
  'channel_listings:read': {
    minRole: 'viewer',
    reason: 'The console shows where each unit is listed.',
    whyNotLower: null,
  },
  'channel_listings:write': {
    minRole: 'manager',
    reason: 'Managers link units when they set up a connection.',
    whyNotLower: 'With a wrong link one room is sold as another.',
  },
  'imports:read': {
    minRole: 'manager',
    reason: 'Managers see what an imported file makes, and which rows have errors.',
    whyNotLower: 'The rows of a file can contain all data of guests.',
  },
  'imports:write': {
    minRole: 'manager',
    reason: 'Managers bring units, prices and bookings from another system.',
    whyNotLower: 'It makes and changes units, prices and bookings, also past ones.',
  },
  'sync:read': {
    minRole: 'viewer',
    reason: 'The console shows whether the PMS is up to date. The history names users, but no guests.',
    whyNotLower: null,
  },
  'sync:write': {
    minRole: 'manager',
    reason: 'Managers retry and replay syncs, and stop sales.',
    whyNotLower: 'It uses the call budget of the PMS, and can stop sales.',
  },
  'webhook_messages:read': {
    minRole: 'manager',
    reason: 'Managers examine messages of the PMS that could not be applied.',
    whyNotLower: 'The messages contain all data that the PMS has about guests.',
  },
  'bookings:read': {
    minRole: 'viewer',
    reason:
      'The console shows bookings with the names of guests and the prices. Contact data require `guest_contacts:read`.',
    whyNotLower: null,
  },
  'bookings:write': {
    minRole: 'staff',
    reason: 'The front desk creates, changes and cancels bookings.',
    whyNotLower: 'Viewers cannot change anything.',
  },
  'bookings:import': {
    minRole: 'service',
    reason:
      'Imports bookings of another system, also past ones. No notification is sent for a stay that began before its import.',
    whyNotLower: 'In daily work an arrival in the past is a mistake, so no role has the permission.',
  },
  'guest_contacts:read': {
    minRole: 'staff',
    reason: 'The front desk contacts guests, and reads the notes about them.',
    whyNotLower: 'Viewing the occupancy needs no contact data or notes.',
  },
  'quotes:write': {
    minRole: 'staff',
    reason: 'The front desk quotes prices, and holds rooms while a guest decides.',
    whyNotLower: 'A quote can hold rooms.',
  },
  'payments:read': {
    minRole: 'manager',
    reason: 'Managers see payments, failures and refunds.',
    whyNotLower: 'The booking shows the price; the front desk does not need the payments.',
  },
  'payments:write': {
    minRole: 'manager',
    reason: 'Managers request payments and refund them.',
    whyNotLower: 'Few people should move money.',
  },
  'media:write': {
    minRole: 'manager',
    reason: 'Managers maintain the pictures of the properties.',
    whyNotLower: onlyManagers,
  },
  'analytics:read': {
    minRole: 'admin',
    reason: 'Analytics cover the whole business.',
    whyNotLower: 'The revenue of all properties is confidential.',
  },
  'connectors:write': {
    minRole: 'admin',
    reason: 'Creates a whole property at a PMS.',
    whyNotLower: 'It sends everything at once, which is needed only during setup.',
  },
  'notifications:read': {
    minRole: 'manager',
    reason: 'Managers see which notifications were sent, and whether they were delivered.',
    whyNotLower: 'It contains the addresses of guests and colleagues, and the texts sent to them.',
  },
  'notifications:send': {
    minRole: 'manager',
    reason: 'Managers send a notification again that did not arrive.',
    whyNotLower: 'It mails guests and colleagues.',
  },
  'notifications:write': {
    minRole: 'admin',
    reason: 'Recipients of failure notifications are part of the setup.',
    whyNotLower: 'Without a notification nobody corrects a failure.',
  },
  'events:read': {
    minRole: 'manager',
    reason: 'Managers connect other programs, and read the events these receive.',
    whyNotLower: completeRecords,
  },
  'webhooks:read': {
    minRole: 'manager',
    reason: 'Managers connect other programs, and see the deliveries and responses.',
    whyNotLower: completeRecords,
  },
  'webhooks:write': {
    minRole: 'manager',
    reason: 'Managers connect other programs, and choose the events these receive.',
    whyNotLower: 'Complete records are sent to the URL of a webhook.',
  },
  'members:read': {
    minRole: 'admin',
    reason: 'Admins check who may use the system.',
    whyNotLower: 'It has the e-mail addresses of all colleagues.',
  },
  'audit:read': {
    minRole: 'admin',
    reason: 'Admins answer for who changed what.',
    whyNotLower: 'It shows what each colleague does, with names and addresses of members.',
  },
  'guests:read': {
    minRole: 'owner',
    reason: 'The owner answers requests of guests for their data.',
    whyNotLower: 'The export contains all data of a person.',
  },
  'guests:write': {
    minRole: 'owner',
    reason: 'The owner erases the data of a guest on request.',
    whyNotLower: 'It cannot be undone.',
  },
  'exports:read': {
    minRole: 'owner',
    reason: 'The owner sees who can have a copy of everything.',
    whyNotLower: 'Only owners export the organization.',
  },
  'exports:write': {
    minRole: 'owner',
    reason: 'The owner takes the organization to another installation, or keeps a copy.',
    whyNotLower: 'The export contains everything, with all data of guests.',
  },
} as const satisfies Record<string, Grant>
