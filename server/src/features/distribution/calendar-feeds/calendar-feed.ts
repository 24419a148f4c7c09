import { hash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { semanticError } from '#errors.ts'
import {
  Id,
  Name,
  Timestamp,
  readOnlyFields,
  nullable,
  oneOf,
  ownedFields,
  timestampFields,
  text,
} from '#schema/fields.ts'
import { HeldRemoval } from './held-removal.ts'

export const directions = ['export', 'import'] as const
export const feedStatuses = ['active', 'inactive', 'error'] as const
type FeedStatus = (typeof feedStatuses)[number]

const Url = Type.String({ format: 'uri', pattern: '^(https?|webcals?)://', minLength: 1, maxLength: 2_048 })
const Status = oneOf(...feedStatuses)

/** A calendar of a unit for other programs (export), or one of theirs that blocks nights of the unit (import). */
export const CalendarFeed = Type.Object(
  {
    ...ownedFields,
    unit_id: Id,
    direction: oneOf(...directions),
    name: Name,
    url: nullable({
      ...Url,
      description:
        'Anyone with this address can read the calendar, so it is null without permission to write units.',
    }),
    status: Status,
    last_fetched_at: nullable(Timestamp),
    error_message: nullable(
      text(1_000, 'Why the last fetch failed. The nights of the previous fetch stay blocked.'),
    ),
    blocks: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      format: 'int32',
      description: 'The number of coming nights that it blocks.',
    }),
    held: nullable(HeldRemoval),
    ...timestampFields,
  },
  { title: 'CalendarFeed' },
)

export const CalendarFeedInput = Type.Object(
  {
    unit_id: Id,
    direction: oneOf(...directions),
    name: Name,
    url: Type.Optional({
      ...Url,
      description: 'The address of the calendar, for an import. That of an export is generated.',
    }),
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
    ...readOnlyFields('account_id', 'unit_id', 'direction'),
    ...readOnlyFields(
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

/** The fields of a feed that a client sets. */
export interface FeedFields {
  readonly account_id: string
  readonly unit_id: string
  readonly direction: (typeof directions)[number]
  readonly name: string
  readonly status: FeedStatus
  /** The URL of an import; the secret token of an export. */
  readonly address: string
}

/** @throws Invalid when the patch changes a fixed field, or sets the status error */
export function applyPatch(feed: FeedFields, patch: CalendarFeedPatch): FeedFields {
  for (const member of ['account_id', 'unit_id', 'direction'] as const)
    if (![undefined, feed[member]].includes((patch as Partial<FeedFields>)[member]))
      throw semanticError(member, `${member} cannot be changed. Create another calendar feed instead.`)
  const status = patch.status ?? feed.status
  if (status === 'error' && feed.status !== 'error')
    throw semanticError(
      'status',
      'The status error is set by failed fetches only. Set it to active or inactive.',
    )
  const address = patch.url ? addressFrom(patch.url, feed) : feed.address
  if (address !== feed.address && feed.direction === 'export')
    throw semanticError(
      'url',
      'The url of an export is generated. To get a new one, delete the feed and create another.',
    )
  return { ...feed, name: patch.name ?? feed.name, status, address }
}

const addressFrom = (url: string, { direction }: FeedFields) =>
  direction === 'export' ? (exportTokenOf(url) ?? url) : toHttpsUrl(url)

/** `webcal:` addresses open in a calendar program; they are fetched by HTTPS. */
export const toHttpsUrl = (url: string) => url.replace(/^webcals?:/i, 'https:')

/** The public address of an export. */
export const exportUrl = (publicUrl: string, token: string) => `${publicUrl}/calendars/${token}.ics`

const exportPath = /\/calendars\/([\w-]{43})\.ics(?:[?#]|$)/

/** The token of an address that may be one of our exports. */
export const exportTokenOf = (url: string): string | undefined => exportPath.exec(url)?.[1]

export const hashToken = (token: string) => hash('sha256', token, 'buffer')

export const addressContext = (orgId: string, feedId: string) => `${orgId} calendar_feeds ${feedId} address`
