import { Type, type TSchema } from 'typebox'
import { Cents, Day, Id, nullable, text, identifier, Whole, whole } from '#schema/fields.ts'
import { problemTypes, type ProblemCode } from './problem-types.ts'

/** RFC 9457 problem documents as the contract states them, with what each code adds. */

export const Problem = {
  type: 'object',
  description: 'RFC 9457 problem document.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'errors', 'request_id'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      maxLength: 2048,
      description: 'A page about this kind of problem.',
    },
    title: text(255, 'What is wrong, the same for every problem with this code.'),
    status: {
      type: 'integer',
      format: 'int32',
      minimum: 400,
      maximum: 599,
      description: 'The HTTP status of the answer.',
    },
    detail: text(100_000, 'What is wrong in this case, and what to do.'),
    instance: text(255, 'The request, as a URN.'),
    code: { type: 'string', enum: Object.keys(problemTypes), description: 'For programs.' },
    errors: {
      type: 'array',
      maxItems: 50,
      description: 'One entry for each member, parameter or header that is wrong.',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'message'],
        properties: {
          pointer: text(10_000, 'JSON pointer into the body or query.'),
          code: identifier(64, 'The problem, for programs.'),
          message: text(10_000, 'The problem, for people.'),
        },
      },
    },
    request_id: text(64, 'The id of the request in the log.'),
  },
}

const BookingConflictProblem = Type.Object(
  {
    conflicts: Type.Array(
      Type.Object({
        booking_id: Type.Optional(Id),
        check_in: Type.Optional(Day),
        check_out: Type.Optional(Day),
        rooms: Type.Optional(whole('Rooms that the booking occupies.')),
        block: Type.Optional(
          Type.Object({
            date_from: Day,
            date_to: Day,
            rooms: whole('Rooms that are taken out of sale.'),
            reason: nullable(text(255, 'The reason of the block.')),
          }),
        ),
      }),
      { maxItems: 100, description: 'What occupies the rooms: bookings, and blocks of the calendar.' },
    ),
    alternatives: Type.Array(Id, { maxItems: 5, description: 'Units with a free room for the whole stay.' }),
    nights: Type.Array(
      Type.Object({
        night: Day,
        booked: whole('Rooms that are booked.'),
        blocked: whole('Rooms that are taken out of sale.'),
      }),
      { maxItems: 1_000, description: 'The nights without enough rooms.' },
    ),
  },
  { title: 'BookingConflictMembers', description: 'Why no room is free, and alternatives.' },
)

const DatesUnavailableProblem = Type.Object(
  {
    reasons: Type.Array(
      Type.Object({
        date: Day,
        term: identifier(64, 'The restriction of the calendar, or `availability`.'),
        limit: nullable(Whole),
        message: text(10_000, 'The restriction as a sentence.'),
      }),
      { maxItems: 10_000, description: 'Every restriction that the stay violates.' },
    ),
  },
  { title: 'DatesUnavailableMembers', description: 'What prevents the stay.' },
)

const PriceBelowMinimumProblem = Type.Object(
  {
    nights: Type.Array(
      Type.Object({
        night: Day,
        price_cents: Cents,
        rate_plan_id: Type.Optional({ ...Id, description: 'The plan that has this price.' }),
      }),
      { maxItems: 365, description: 'Nights with a lower price, before discounts.' },
    ),
  },
  { title: 'PriceBelowMinimumMembers', description: 'Which nights are below the minimum.' },
)

const PmsProblem = Type.Object(
  {
    error_code: identifier(64, 'The failure at the PMS.'),
    hint: text(10_000, 'What to do about it.'),
  },
  { title: 'PmsProblemMembers', description: 'The response of the PMS.' },
)

const bytes = (description: string) =>
  Type.Integer({ minimum: 0, format: 'int64', maximum: 2 ** 53 - 1, description })
const QuotaProblem = Type.Object(
  {
    used_bytes: bytes('Bytes in use.'),
    needed_bytes: bytes('Bytes of the file and its smaller copies.'),
    quota_bytes: bytes('Bytes that the organization may use.'),
  },
  { title: 'QuotaMembers', description: 'The remaining capacity.' },
)

const heldIds = (description: string) => Type.Optional(Type.Array(Id, { maxItems: 10, description }))
const heldCount = (description: string) => Type.Optional(whole(description))
const ResourceInUseProblem = Type.Object(
  {
    held_by: Type.Optional(
      Type.Object(
        {
          units: heldIds('Units that are not archived: the first ten.'),
          listings: heldIds('Listings: the first ten.'),
          bookings: heldIds('Current and future bookings that take rooms: the next ten.'),
          unit_count: heldCount('All such units.'),
          listing_count: heldCount('All listings.'),
          booking_count: heldCount('All such bookings.'),
        },
        { description: 'What keeps a record from being deleted.' },
      ),
    ),
  },
  { title: 'ResourceInUseMembers', description: 'What still needs the record.' },
)

const OrganizationRequiredProblem = Type.Object(
  {
    memberships: Type.Array(
      Type.Object({
        organization: Type.Object({ id: Id, name: text(255) }),
        role: identifier(64, 'The role there.'),
      }),
      { maxItems: 100, description: 'The organizations that the token may act for.' },
    ),
  },
  { title: 'OrganizationRequiredMembers', description: 'What `X-Organization` may name.' },
)

const names = <T extends string>(member: T, title: string) =>
  Type.Object({ [member]: Type.Optional(Id) }, { title, description: 'The conflicting record.' })

/** What a problem carries beside the members that every one has. */
const extraMembers: Partial<Record<ProblemCode, TSchema>> = {
  'booking-conflict': BookingConflictProblem,
  'dates-unavailable': DatesUnavailableProblem,
  'price-below-minimum': PriceBelowMinimumProblem,
  'pms-refused': PmsProblem,
  'pms-unavailable': PmsProblem,
  'quota-exceeded': QuotaProblem,
  'resource-in-use': ResourceInUseProblem,
  'organization-required': OrganizationRequiredProblem,
  'duplicate-mapping': names('channel_listing_id', 'DuplicateMappingMembers'),
  'already-exists': names('rate_plan_id', 'AlreadyExistsMembers'),
  'quote-used': names('booking_id', 'QuoteUsedMembers'),
}

/** A problem with one of these codes. What a code adds is optional: others may stand in its place. */
export function problemSchema(codes: readonly ProblemCode[]): object {
  const added = new Set(codes.flatMap((code) => extraMembers[code] ?? []))
  const code = { type: 'string', enum: codes }
  return {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { type: 'object', properties: { code } },
      ...[...added].map(({ required: _, ...schema }: TSchema & { required?: unknown }) => schema),
    ],
  }
}

/** The codes that an answer of the document was made with; nothing when it is no problem. */
export function problemCodesIn(answer: { content?: unknown }): readonly string[] | undefined {
  const { content } = answer as { content?: Record<string, { schema: { allOf?: unknown[] } }> }
  const [, own] = content?.['application/problem+json']?.schema.allOf ?? []
  return (own as { properties: { code: { enum: string[] } } } | undefined)?.properties.code.enum
}
