import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { semanticError } from '#errors.ts'
import { Id, Name, Timestamp, echoes, nullable, oneOf, owned, stamped, text } from '#fields.ts'
import { HeldRemoval } from './held-removal.ts'

export const directions = ['export', 'import'] as const
export const feedStatuses = ['active', 'inactive', 'error'] as const
export type FeedStatus = (typeof feedStatuses)[number]

const Url = Type.String({ format: 'uri', pattern: '^(https?|webcals?)://', minLength: 1, maxLength: 2_048 })
const Status = oneOf(...feedStatuses)

/** A calendar of one unit that other programs read, or one of theirs that takes rooms out of sale. */
export const CalendarFeed = Type.Object(
  {
    ...owned,
    unit_id: Id,
    direction: oneOf(...directions),
    name: Name,
    url: nullable({
      ...Url,
      description:
        'Whoever has it can read the calendar, so only those see it who may write units; null for others.',
    }),
    status: Status,
    last_fetched_at: nullable(Timestamp),
    error_message: nullable(text(1_000, 'Why the last fetch failed; what was read before still counts.')),
    blocks: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      format: 'int32',
      description: 'Nights to come that it blocks.',
    }),
    held: nullable(HeldRemoval),
    ...stamped,
  },
  { title: 'CalendarFeed' },
)

export const CalendarFeedInput = Type.Object(
  {
    unit_id: Id,
    direction: oneOf(...directions),
    name: Name,
    url: Type.Optional({ ...Url, description: 'Of an import; that of an export is made here.' }),
  },
  {
    title: 'CalendarFeedInput',
    example: { unit_id: 'f3f1a6d0-4c5f-4a0e-9a55-0d1a2c3b4e5f', direction: 'export', name: 'Airbnb' },
    additionalProperties: false,
  },
)
export type CalendarFeedInput = Static<typeof CalendarFeedInput>

export const CalendarFeedPatch = Type.Object(
  {
    name: Type.Optional(Name),
    status: Type.Optional(Status),
    url: Type.Optional(nullable(Url)),
    ...echoes('account_id', 'unit_id', 'direction'),
    ...echoes(
      'id',
      'org_id',
      'last_fetched_at',
      'error_message',
      'blocks',
      'held',
      'created_at',
      'updated_at',
    ),
  },
  {
    title: 'CalendarFeedPatch',
    example: { name: 'Airbnb, second account' },
    additionalProperties: false,
  },
)
export type CalendarFeedPatch = Static<typeof CalendarFeedPatch>

/** What a feed is; the rest follows from what happens to it. */
export interface FeedFields {
  readonly account_id: string
  readonly unit_id: string
  readonly direction: (typeof directions)[number]
  readonly name: string
  readonly status: FeedStatus
  /** The address of an import; of an export the secret part of it. */
  readonly address: string
}

/** @throws Invalid when the patch moves what stands firm, or makes an error that is none. */
export function patched(feed: FeedFields, patch: CalendarFeedPatch): FeedFields {
  for (const member of ['account_id', 'unit_id', 'direction'] as const)
    if (![undefined, feed[member]].includes((patch as Partial<FeedFields>)[member]))
      throw semanticError(member, `${member} cannot change: make another calendar feed.`)
  const status = patch.status ?? feed.status
  if (status === 'error' && feed.status !== 'error')
    throw semanticError('status', 'A calendar feed comes into the status error only by itself.')
  const address = patch.url ? addressIn(patch.url, feed) : feed.address
  if (address !== feed.address && feed.direction === 'export')
    throw semanticError('url', 'The address of an export is made here: remove it and make another one.')
  return { ...feed, name: patch.name ?? feed.name, status, address }
}

const addressIn = (url: string, { direction }: FeedFields) =>
  direction === 'export' ? (tokenIn(url) ?? url) : webAddress(url)

/** Some programs write `webcal:` to be opened by a calendar; it is fetched like any other page. */
export const webAddress = (url: string) => url.replace(/^webcals?:/i, 'https:')

/** Where an export is read. */
export const exportUrl = (publicUrl: string, token: string) => `${publicUrl}/calendars/${token}.ics`

const exported = /\/calendars\/([\w-]{43})\.ics(?:[?#]|$)/

/** The token in an address that may be one of our exports. */
export const tokenIn = (url: string): string | undefined => exported.exec(url)?.[1]

export const hashOf = (token: string) => createHash('sha256').update(token).digest()

export const placeOf = (orgId: string, feedId: string) => `${orgId} calendar_feeds ${feedId} address`
