/**
 * Who may do what, by what their job needs: `least` is the lowest role that has a permission, and every role above it has
 * it, too. What only a `service` has, no role has by itself: a token must name it. docs/permissions.md shows the reasons.
 */
export interface Grant {
  readonly least: 'owner' | 'admin' | 'manager' | 'staff' | 'viewer' | 'service'
  /** What the job of the lowest role needs it for. */
  readonly why: string
  /** Why the roles below do without; null where there are none. */
  readonly others: string | null
}

/** What each role is for; permissions follow from it. */
export const roleGrants = {
  owner: 'Answers for the business, and alone for what the law gives guests a right to.',
  admin: 'Sets up the system: people who are told, figures, connectors.',
  manager: 'Runs the properties from day to day: what is sold, where, for how much, and who has paid.',
  staff: 'The front desk: takes, changes and cancels bookings, and speaks with guests.',
  viewer: 'Looks and changes nothing: an investor, a colleague elsewhere, a screen on the wall.',
  service: 'A program. It has what its token names, and nothing by its role.',
} as const

const decides = 'What is sold, and for how much, is decided by who runs the properties.'
const wholeRecords = 'It carries whole records, guests and payments among them.'

export const grants = {
  'organizations:read': {
    least: 'viewer',
    why: 'Everybody sees for whom they act. Addresses of colleagues among the settings are shown with `notifications:read`.',
    others: null,
  },
  'accounts:read': { least: 'viewer', why: 'Records name their account.', others: null },
  'spaces:read': { least: 'viewer', why: 'The console shows everybody what there is.', others: null },
  'spaces:write': { least: 'manager', why: 'Properties are set up by who runs them.', others: decides },
  'units:read': {
    least: 'viewer',
    why: 'Units, plans, prices and free nights are what the console is for. The address of a calendar is shown with `units:write`.',
    others: null,
  },
  'units:write': {
    least: 'manager',
    why: 'Prices, plans, rules and blocks are set by who runs the properties.',
    others: decides,
  },
  'channel_targets:read': {
    least: 'viewer',
    why: 'Which PMS a listing goes to stands beside its state. Secrets are shown to nobody.',
    others: null,
  },
  'channel_targets:write': {
    least: 'manager',
    why: 'Connections are set up, with their credentials, by who runs the properties.',
    others: 'A connection decides what the PMS sells, and holds credentials.',
  },
  'channel_listings:read': {
    least: 'viewer',
    why: 'What is listed where is what the console is for.',
    others: null,
  },
  'channel_listings:write': {
    least: 'manager',
    why: 'Units are linked by who sets up the connection.',
    others: 'A wrong link sells one room as another.',
  },
  'sync:read': {
    least: 'viewer',
    why: 'Whether the PMS is up to date is what the console is for. The history names colleagues and no guest.',
    others: null,
  },
  'sync:write': {
    least: 'manager',
    why: 'Who runs a connection tries again, replays, and stops sales.',
    others: 'It spends the calls that the PMS allows, and can stop sales.',
  },
  'webhook_messages:read': {
    least: 'manager',
    why: 'Who runs a connection has to see what the PMS sent when it cannot be applied.',
    others: 'The bodies hold whatever a PMS knows of its guests.',
  },
  'bookings:read': {
    least: 'viewer',
    why: 'Who stays when, by name, and for how much. How a guest is reached is shown with `guest_contacts:read`.',
    others: null,
  },
  'bookings:write': {
    least: 'staff',
    why: 'The desk takes, changes and cancels bookings.',
    others: 'A viewer changes nothing.',
  },
  'bookings:import': {
    least: 'service',
    why: 'Brings over the bookings of another system, those of the past among them: nobody is written to about a stay that has begun before it was entered.',
    others: 'In daily work an arrival in the past is a typing error, so no role has it by itself.',
  },
  'guest_contacts:read': {
    least: 'staff',
    why: 'The desk calls and writes to guests, and reads what was noted of them.',
    others: 'Occupancy can be read without addresses, numbers and notes.',
  },
  'quotes:write': {
    least: 'staff',
    why: 'The desk says what a stay costs, and keeps rooms while a guest decides.',
    others: 'A quote can hold rooms.',
  },
  'payments:read': {
    least: 'manager',
    why: 'Who runs the properties sees what was paid, what failed and what was given back.',
    others: 'The price stands in the booking; how it was paid is not needed at the desk.',
  },
  'payments:write': {
    least: 'manager',
    why: 'Who runs the properties asks for money and gives it back.',
    others: 'Money is moved by few.',
  },
  'media:write': { least: 'manager', why: 'Pictures belong to the properties.', others: decides },
  'analytics:read': {
    least: 'admin',
    why: 'Figures of the whole business.',
    others: 'Revenue over all properties is for who answers for it.',
  },
  'connectors:write': {
    least: 'admin',
    why: 'Makes the whole property at a PMS anew.',
    others: 'It sends everything at once, which only a setup needs.',
  },
  'notifications:read': {
    least: 'manager',
    why: 'Who was told what, and whether it arrived.',
    others: 'It shows the addresses of guests and colleagues, and what was written to them.',
  },
  'notifications:write': {
    least: 'admin',
    why: 'Whom the organization tells of failures is part of the setup.',
    others: 'Who is not told of a failure cannot mend it.',
  },
  'events:read': {
    least: 'manager',
    why: 'Who connects other programs reads what they are told.',
    others: wholeRecords,
  },
  'webhooks:read': {
    least: 'manager',
    why: 'Who connects other programs sees what they were sent and answered.',
    others: wholeRecords,
  },
  'webhooks:write': {
    least: 'manager',
    why: 'Who connects other programs decides what is sent to them.',
    others: 'An address that is set here is sent whole records.',
  },
  'guests:read': {
    least: 'owner',
    why: 'The owner answers a guest who asks what is held of them.',
    others: 'It is everything that is held of a person, in one document.',
  },
  'guests:write': {
    least: 'owner',
    why: 'The owner has a guest forgotten who asks for it.',
    others: 'Nothing undoes it.',
  },
} as const satisfies Record<string, Grant>
