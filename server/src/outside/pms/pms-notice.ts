/** What a PMS tells by itself, in our words. Each provider's folder reads its own. */

export type NoticeBody = Readonly<Record<string, unknown>>

export interface Notice {
  /** Such as `booking.created`; of a kind that we do not know, the sender's word. */
  readonly kind: string
  /** What the sender calls the message; null when it has no name of its own. */
  readonly id: string | null
  /** When it happened, ISO 8601. */
  readonly occurredAt: string | null
  /** The names that say where it belongs. */
  readonly properties: readonly string[]
  readonly listings: readonly string[]
  /** Nights that changed there, perhaps by our own push; absent where the sender does not tell of those. */
  readonly changed?: { readonly date_from: string; readonly date_to: string } | 'all'
  /** The account at the PMS, where listings are named within one. */
  readonly pmsAccount: string | null
}

/** The headers of a message, in lower case. */
export type NoticeHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface NoticeReader {
  /** Whether a message that names no target has the form of this provider. */
  knows(body: NoticeBody): boolean
  read(body: NoticeBody): Notice
  /** Whether the sender knows the secret, in the provider's own way; null when the provider has none. */
  proves: ((headers: NoticeHeaders, secret: string) => boolean) | null
}

export const objectIn = (value: unknown): NoticeBody =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as NoticeBody) : {}

/** A name of something at the PMS, which may be a text or a number there. */
export const nameIn = (value: unknown): string | null => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  return typeof text === 'string' && text.length >= 1 && text.length <= 255 ? text : null
}

export const namesIn = (...values: unknown[]): string[] => [
  ...new Set(values.map(nameIn).filter((name) => name !== null)),
]

/** A word that can name a job: lower case, dots between its parts. */
export function kindIn(value: unknown): string {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return /^[a-z0-9][a-z0-9_.-]{0,99}$/.test(word) ? word : 'unknown'
}

/**
 * A time as we keep it, from 1970 to 2200; senders that name no zone mean UTC. Revisions can follow each other within a
 * millisecond, so the fraction stays as it was told.
 */
export function timeIn(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 40) return null
  const isPlain = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?$/.test(value)
  const moment = Date.parse(isPlain ? `${value.replace(' ', 'T')}Z` : value)
  if (!(moment >= 0 && moment < Date.UTC(2200, 0))) return null
  const [, fraction] = /:\d\d\.(\d{4,9})(?!\d)/.exec(value) ?? []
  const time = new Date(moment).toISOString()
  return fraction === undefined ? time : `${time.slice(0, -'mmmZ'.length)}${fraction}Z`
}
