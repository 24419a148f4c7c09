import { memberDescriptions } from './member-descriptions.ts'

type Part = Record<string, unknown>

/** Of members with the same name that mean something else in each record: by the title of the schema, without Input or Patch. */
const ownDescriptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  type: {
    Account: 'Kind of account.',
    AvailableUnit: 'Kind of unit.',
    Unit: 'Kind of unit.',
    LineItem: 'Kind of line.',
    Actor: 'Whether it was a person, a machine or the product itself.',
  },
  kind: {
    Alert: 'What is wrong.',
    Charge: 'Whether it is a fee, a tax, a discount or a deposit.',
    SyncTarget: 'Kind of call that the budget is for.',
    Notification: 'What it tells of.',
    NotificationTemplate: 'What it tells of.',
  },
  active: { Offer: 'Whether the room is sold at the PMS.' },
  listings: { Analytics: 'How many listings there are.' },
  quantity: { LineItem: 'How many nights, guests or rooms are counted.' },
  reason: {
    BookingConflict: 'Why the booking found no place.',
    PaymentRefund: 'Why the money went back.',
  },
  source: {
    AnalyticsChannel: 'Where the bookings were sold.',
    Booking: 'Where it was sold.',
  },
  mode: {
    AuditEntry: 'Whether only what differs was sent, or everything.',
    Preview: 'Whether only what differs would be sent, or everything.',
  },
}

const fallbacks: Readonly<Record<string, string>> = {
  account_id: 'Identifier of the account at the PMS.',
  action: 'What was done.',
  amount: 'Amount in minor units of the currency.',
  basis: 'What the amount is counted by.',
  direction: 'Whether the calendar is read by others, or read from them.',
  dismissal_reason: 'Why it was dismissed; null otherwise.',
  failure_code: 'Why it failed, for programs; null when it did not.',
  file: 'Name of the file.',
  format: 'Form of the preview.',
  kind: 'Kind of record.',
  mode: 'Whether only what differs is sent (`delta`), or everything (`full`).',
  organization: 'The organization.',
  period: 'The days that the figures are of.',
  provider_reference: 'Name of the record at the provider; null until it has one.',
  reason: 'Why.',
  request_id: 'Name of the request at the PMS; null without one.',
  source: 'Where it comes from.',
  status: 'State of the record.',
  targetId: 'The channel target that the message is for.',
  type: 'Kind of record.',
}

/**
 * Describes the members of an object that do not describe themselves.
 * @throws Error when a member is described nowhere: a name in a contract without a meaning helps nobody
 */
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
  // A list of records, and what is counted or switched by the name of an event or a state.
  if (member['type'] === 'array') return `The ${name.replaceAll('_', ' ')}, in the order that was asked for.`
  if (name.includes('.')) return `How \`${name}\` is sent.`
  if (member['type'] === 'integer') return `How many are ${name.replaceAll('_', ' ')}.`
  throw new Error(
    `The member ${name} of ${owner || 'an answer'} has no description: write one in its schema.`,
  )
}
