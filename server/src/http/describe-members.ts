import { memberDescriptions } from './member-descriptions.ts'

type Part = Record<string, unknown>

/** Descriptions of members that mean different things in different schemas, by schema title without Input or Patch. */
const ownDescriptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  type: {
    Account: 'Kind of account.',
    AvailableUnit: 'Kind of unit.',
    Unit: 'Kind of unit.',
    LineItem: 'Kind of line.',
    Actor: 'Whether it was a person, a program or the product.',
  },
  kind: {
    Alert: 'The kind of problem.',
    Charge: 'Whether it is a fee, a tax, a discount or a deposit.',
    SyncTarget: 'Kind of call that the budget is for.',
    Notification: 'The kind of notification.',
    NotificationTemplate: 'The kind of notification.',
  },
  active: { Offer: 'Whether the room is sold at the PMS.' },
  listings: { Analytics: 'Number of listings.' },
  quantity: { LineItem: 'Number of nights, guests or rooms.' },
  reason: {
    BookingConflict: 'Why the booking could not be assigned.',
    PaymentRefund: 'Why the payment was refunded.',
  },
  source: {
    AnalyticsChannel: 'Where the bookings were made.',
    Booking: 'Where the booking was made.',
  },
  mode: {
    AuditEntry: 'Whether only the differences were sent, or everything.',
    Preview: 'Whether only the differences would be sent, or everything.',
  },
}

const fallbacks: Readonly<Record<string, string>> = {
  account_id: 'Id of the account at the PMS.',
  action: 'The action.',
  amount: 'Amount in minor units of the currency.',
  basis: 'What the amount is multiplied by.',
  direction: 'Whether the calendar is exported or imported.',
  dismissal_reason: 'Why it was dismissed; null otherwise.',
  failure_code: 'The failure as a code; null when there is none.',
  file: 'Name of the file.',
  format: 'Format of the preview.',
  kind: 'Kind of record.',
  mode: 'Whether only the differences are sent (`delta`), or everything (`full`).',
  organization: 'The organization.',
  period: 'The period of the figures.',
  provider_reference: 'Id of the record at the provider; null before it exists there.',
  reason: 'The reason.',
  request_id: 'Id of the request at the PMS; null without one.',
  source: 'Where it came from.',
  status: 'State of the record.',
  targetId: 'The channel target that the message is for.',
  type: 'Kind of record.',
}

/** Adds descriptions to the members of an object that have none. @throws Error when a member has no description */
export function withDescriptions(schema: Part, owner: string): Part {
  const properties = schema['properties'] as Record<string, Part> | undefined
  if (schema['type'] !== 'object' || !properties) return schema
  const described = Object.entries(properties).map(([name, member]) => {
    if ('$ref' in member || 'allOf' in member || member['description']) return [name, member] as const
    return [name, { ...member, description: descriptionOf(name, member, owner) }] as const
  })
  return { ...schema, properties: Object.fromEntries(described) }
}

export function descriptionOf(name: string, member: Part, owner: string): string {
  const record = owner.replace(/(Input|Patch)$/, '')
  const found = ownDescriptions[name]?.[record] ?? memberDescriptions[name] ?? fallbacks[name]
  if (found) return found
  if (member['type'] === 'object') return `The ${name.replaceAll('_', ' ')}.`
  // Lists of records, and members named after an event or a state.
  if (member['type'] === 'array') return `The ${name.replaceAll('_', ' ')}, in the requested order.`
  if (name.includes('.')) return `How \`${name}\` is sent.`
  if (member['type'] === 'integer') return `How many are ${name.replaceAll('_', ' ')}.`
  throw new Error(`The member ${name} of ${owner || 'a response'} has no description: add one to its schema.`)
}
