import { createHash } from 'node:crypto'
import { BadRequest } from '#errors.ts'
import { readJson } from '#http/json-body.ts'
import type { Notice, NoticeBody, NoticeHeaders } from '#integrations/pms/pms-notice.ts'
import { mask } from '#secrets/vault.ts'

/** A message as it is stored, with its secrets masked. */
export interface ParsedBody {
  readonly value: NoticeBody
  /** The bytes as received, unless something had to be masked. */
  readonly text: string
}

/**
 * Parses a message. A guest's name with U+0000 in it still belongs to a booking, so characters that PostgreSQL cannot
 * store are replaced. @throws BadRequest unless it is one JSON object.
 */
export function parseBody(bytes: Buffer): ParsedBody {
  const parsed = bytes.length === 0 ? undefined : readJson(bytes)
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed))
    throw new BadRequest('malformed-json', 'The body must be one JSON object.')
  const state = { hasMasked: false }
  const value = sanitize(parsed, state) as NoticeBody
  return { value, text: state.hasMasked ? JSON.stringify(value) : withoutByteOrderMark(bytes.toString()) }
}

const withoutByteOrderMark = (text: string) => text.replace(/^\ufeff/, '')

const secretName =
  /^(cc|card|credit_?card)_?(number|no|exp\w*|cvc|cvv)$|^(cvc|cvv|csc|pan)\d?$|^(virtual_?)?card_?number$|expiration_?(date|year|month)$|password|secret|authorization|api_?key|(^|_)token$|^iban$/i

function sanitize(part: unknown, state: { hasMasked: boolean }): unknown {
  if (typeof part === 'string') return toStorable(part)
  if (typeof part === 'number') return Number.isFinite(part) ? part : null
  if (Array.isArray(part)) return part.map((one) => sanitize(one, state))
  if (part === null || typeof part !== 'object') return part
  return Object.fromEntries(
    Object.entries(part).map(([name, value]: [string, unknown]) => {
      const isSecret = secretName.test(name) && value !== null && value !== ''
      if (isSecret) state.hasMasked = true
      return [toStorable(name), isSecret ? mask : sanitize(value, state)]
    }),
  )
}

const toStorable = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed()

/**
 * The id that copies of a message share: the sender's id, else a digest of the bytes. When the message has no time, the
 * current hour is part of the digest: a PMS that reports the same change in two different hours means two changes.
 */
export function messageIdFor(bytes: Buffer, headers: NoticeHeaders, { id, occurredAt }: Notice): string {
  const given = headers['webhook-id'] ?? id
  if (typeof given === 'string' && /^[ -~]{1,255}$/.test(given)) return given
  const digest = createHash('sha256').update(bytes)
  const time = headers['webhook-timestamp'] ?? (occurredAt ? '' : new Date().toISOString().slice(0, 13))
  return `sha256:${digest.update(` ${String(given ?? '')} ${String(time)}`).digest('hex')}`
}
