/** Messages that a PMS sends to our webhook. Each provider's folder reads its own format. */
import { isDate } from '#schema/fields.ts'

export type NoticeBody = Readonly<Record<string, unknown>>

export interface Notice {
  /** Such as `booking.created`; an unknown kind keeps the name that the sender gave it. */
  readonly kind: string
  /** The sender's id of the message; null when it has none. */
  readonly id: string | null
  /** ISO 8601. */
  readonly occurredAt: string | null
  /** External ids of the properties that the message is about. */
  readonly properties: readonly string[]
  /** External ids of the listings that the message is about. */
  readonly listings: readonly string[]
  /** Nights that changed at the PMS, perhaps by our own push; left out where the sender does not report them. */
  readonly changedNights?: { readonly date_from: string; readonly date_to: string } | 'all'
  /** The account at the PMS, where listing ids are unique only within an account. */
  readonly pmsAccount: string | null
}

/** The headers of a message, in lower case. */
export type NoticeHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface NoticeReader {
  /** Whether a message that names no target has the format of this provider. */
  matches(body: NoticeBody): boolean
  parse(body: NoticeBody): Notice
  /**
   * Whether the headers prove that the sender knows the secret, such as by a signature of the bytes as received; null when
   * the provider has no proof of its own. That of Standard Webhooks is checked for all providers.
   */
  verify: ((headers: NoticeHeaders, secret: string, bytes: Buffer) => boolean) | null
}

export const asObject = (value: unknown): NoticeBody =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as NoticeBody) : {}

/** An id or name at the PMS, which may be a string or a number there. */
export const parseName = (value: unknown): string | null => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  return typeof text === 'string' && text.length >= 1 && text.length <= 255 ? text : null
}

/** Free text such as a name or notes; what is longer is cut where it is stored. */
export const joinTexts = (separator: string, ...parts: unknown[]): string | null =>
  parts
    .filter((part) => typeof part === 'string' && part.trim() !== '')
    .join(separator)
    .slice(0, 10_000) || null

export const parseNames = (...values: unknown[]): string[] => [
  ...new Set(values.map(parseName).filter((name) => name !== null)),
]

/** A kind of message in lower case, its parts separated by dots; `unknown` when it cannot be read. */
export function parseKind(value: unknown): string {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return /^[a-z0-9][a-z0-9_.-]{0,99}$/.test(word) ? word : 'unknown'
}

/**
 * A time between 1970 and 2200 as ISO 8601; without a zone it is read as UTC. The fraction of the second is kept in
 * full, because revisions can follow each other within a millisecond.
 */
export function parseTime(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 40) return null
  const hasNoZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?$/.test(value)
  const timeMs = Date.parse(hasNoZone ? `${value.replace(' ', 'T')}Z` : value)
  if (!(timeMs >= 0 && timeMs < Date.UTC(2200, 0))) return null
  const [, fraction] = /:\d\d\.(\d{4,9})(?!\d)/.exec(value) ?? []
  const time = new Date(timeMs).toISOString()
  return fraction === undefined ? time : `${time.slice(0, -'mmmZ'.length)}${fraction}Z`
}

/** The date of a date or a time such as `2030-07-01T15:00`; null when there is none. */
export const parseDate = (value: unknown): string | null => {
  const date = typeof value === 'string' ? value.slice(0, 10) : ''
  return isDate(date) ? date : null
}
