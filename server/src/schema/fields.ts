import { Type, type TOptional, type TSchema, type TUnknown } from 'typebox'
import { isDeepStrictEqual } from 'node:util'
import { validationError } from '#errors.ts'
import { isEmailValid } from '@hapi/address'

/** The field types that the schemas of the API are built from. */

export const Id = Type.String({
  format: 'uuid',
  maxLength: 36,
  description: 'Identifier (UUID).',
})

/** A point in time, UTC, milliseconds. */
export const Timestamp = Type.String({ format: 'date-time', maxLength: 32 })

/** A calendar day; of nights, the day on which they begin. */
export const Day = Type.String({ format: 'date', minLength: 10, maxLength: 10, example: '2026-07-01' })

/** One line of text with at least one visible character. */
export const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' })

/** Any characters but U+0000, which PostgreSQL cannot hold. */
export const text = (maxLength: number, description?: string, minLength?: number) =>
  Type.String({
    maxLength,
    pattern: '^[^\\u0000]*$',
    ...(minLength !== undefined && { minLength }),
    ...(description && { description }),
  })

/** A code or type of the product: snake_case, kebab-case or dotted. */
export const identifier = (maxLength: number, description?: string) =>
  Type.String({ maxLength, pattern: '^[a-z0-9_.:-]+$', ...(description && { description }) })

/** A whole number of minor units (cents), within 32 bits so that every client can hold it. */
export const Cents = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  format: 'int32',
  description: 'Amount in minor units of the currency.',
})

export const Currency = Type.String({
  pattern: '^[a-z]{3}$',
  minLength: 3,
  maxLength: 3,
  format: 'currency',
  description: 'ISO 4217 code in lower case.',
  example: 'usd',
})

export const TimeZone = Type.String({
  format: 'time-zone',
  minLength: 1,
  maxLength: 64,
  description: 'IANA time zone.',
  example: 'Europe/Lisbon',
})

/** One e-mail address without a name. */
export const MailAddress = Type.String({
  format: 'email',
  minLength: 3,
  maxLength: 254,
  description: 'One deliverable e-mail address, without a name.',
  example: 'office@example.com',
})

export const Country = Type.String({
  pattern: '^[A-Z]{2}$',
  minLength: 2,
  maxLength: 2,
  format: 'country',
  description: 'ISO 3166-1 alpha-2 code.',
  example: 'PT',
})

export const Count = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum, format: 'int32' })

/** A whole number from 0, within 32 bits so that every client can hold it. */
export const Whole = Count(0, 2_147_483_647)
export const whole = (description: string) => Type.Unsafe<number>({ ...Whole, description })

export const oneOf = <const T extends string[]>(...values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values })

/** The value or null, as `nullable` of OpenAPI 3.0, which the validator supports too. */
export const nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Type.Static<T> | null>({
    ...schema,
    nullable: true,
    ...('enum' in schema && { enum: [...(schema.enum as unknown[]), null] }),
  })

/** Fields that the service sets. A client may send them back unchanged; another value is rejected. */
export const ownedFields = { id: Id, org_id: Id, account_id: Id }
export const timestampFields = { created_at: Timestamp, updated_at: Timestamp }

/** Read-only fields that a request body may contain. */
export const readOnlyFields = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [name, Type.Optional(Type.Unknown({ description: 'Read only.' }))]),
  ) as Record<string, TOptional<TUnknown>>

const currencies = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()))
export const isCurrency = (code: string) => currencies.has(code)

export const countries: ReadonlySet<string> = new Set(
  [
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY',
    'BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK',
    'FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR',
    'IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK',
    'ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM',
    'PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF',
    'TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW',
  ].flatMap((line) => line.split(' ')),
)
export const isCountry = (code: string) => countries.has(code)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const isUuid = (value: string) => uuid.test(value)

/** The value, in lower case if it is an id. */
const normalizeId = (value: unknown) =>
  typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value

/** An ISO 8601 date and time with a zone, between 1970 and 2200: what PostgreSQL and every client can hold. */
export function isDateTime(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/.test(value))
    return false
  const year = Number(value.slice(0, 4))
  return year >= 1970 && year <= 2200 && isDate(value.slice(0, 10)) && !Number.isNaN(Date.parse(value))
}

/** A day or a point in time. */
export const isDayOrTime = (value: string) => isDate(value) || isDateTime(value)

/** A calendar day that exists, between 1970 and 2200. */
export function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const moment = new Date(`${value}T00:00:00Z`)
  const year = Number(value.slice(0, 4))
  return year >= 1970 && year <= 2200 && !Number.isNaN(+moment) && moment.toISOString().startsWith(value)
}

/**
 * A client may send a record back as it read it. Read-only fields are then ignored, but another id or organization is
 * rejected. @throws BadRequest
 */
export function assertSameIdentity(scope: { readonly orgId: string }, body: object, id?: string): void {
  assertUnchanged(body as Record<string, unknown>, ['id', 'org_id'], { id, org_id: scope.orgId })
}

/**
 * Read-only fields in a body must equal those of the record before or after the change. Any other value would be dropped
 * silently. @throws BadRequest
 */
export function assertUnchanged(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  ...records: readonly object[]
): void {
  const other = names.find(
    (name) =>
      isGiven(given[name]) &&
      records.every(
        (record) => !isDeepStrictEqual(normalizeId(given[name]), (record as Record<string, unknown>)[name]),
      ),
  )
  if (other)
    throw validationError(other, `${other} is decided by the service and cannot be set.`, 'read_only')
}

const isGiven = (value: unknown) => value !== undefined && value !== null

const readOnlyMembers = [
  'id',
  'org_id',
  'created_at',
  'updated_at',
  'last_synced_at',
  'last_health_check_at',
  'error_message',
  'space',
  'unit',
  'channel_target',
] as const

/** The fields that a client may change. */
export function withoutReadOnlyFields<Body extends object>(
  body: Body,
): Omit<Body, (typeof readOnlyMembers)[number]> {
  const rest = { ...body } as Record<string, unknown>
  for (const member of readOnlyMembers) delete rest[member]
  return rest as unknown as Omit<Body, (typeof readOnlyMembers)[number]>
}

/** Some servers forward `user%elsewhere@here` and `elsewhere!user@here` to another host. */
const routingCharacters = /[%!]/

/** One plain e-mail address: no name beside it, no comment, no group, no IP address. */
export const isMailAddress = (text: string): boolean =>
  isEmailValid(text, { allowUnicode: false, minDomainSegments: 2 }) && !routingCharacters.test(text)

/** A URL that a path is appended to. The lookbehind keeps the pattern linear when there are many slashes in a row. */
export const trimTrailingSlashes = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

/** Text of others as PostgreSQL can store it: without U+0000 and lone surrogates, and cut to a length. */
export const toStorableText = (text: string, maxLength: number) =>
  text.slice(0, maxLength).replaceAll('\0', '').toWellFormed()
