import { createHash } from 'node:crypto'
import { Malformed } from '#errors.ts'
import { readJson } from '#http/json-body.ts'
import type { Notice, NoticeBody, NoticeHeaders } from '#outside/pms/pms-notice.ts'
import { mask } from '#secrets.ts'

/** A message as it is kept: no member of it is what we must not hold. */
export interface ReadBody {
  readonly value: NoticeBody
  /** The bytes as they came, unless something had to be masked. */
  readonly text: string
}

/**
 * Reads a message. What cannot be stored does not make it worthless: a guest's name with U+0000 in it is still a
 * booking, so such characters are replaced. @throws Malformed unless it is one JSON object.
 */
export function readBody(bytes: Buffer): ReadBody {
  const found = bytes.length === 0 ? undefined : readJson(bytes)
  if (found === null || typeof found !== 'object' || Array.isArray(found))
    throw new Malformed('malformed-json', 'The body must be one JSON object.')
  const seen = { masked: false }
  const value = clean(found, seen) as NoticeBody
  return { value, text: seen.masked ? JSON.stringify(value) : withoutMark(bytes.toString()) }
}

const withoutMark = (text: string) => text.replace(/^\ufeff/, '')

const secretName =
  /^(cc|card|credit_?card)_?(number|no|exp\w*|cvc|cvv)$|^(cvc|cvv|csc|pan)\d?$|^(virtual_?)?card_?number$|expiration_?(date|year|month)$|password|secret|authorization|api_?key|(^|_)token$|^iban$/i

function clean(part: unknown, seen: { masked: boolean }): unknown {
  if (typeof part === 'string') return storable(part)
  if (typeof part === 'number') return Number.isFinite(part) ? part : null
  if (Array.isArray(part)) return part.map((one) => clean(one, seen))
  if (part === null || typeof part !== 'object') return part
  return Object.fromEntries(
    Object.entries(part).map(([name, value]: [string, unknown]) => {
      const isSecret = secretName.test(name) && value !== null && value !== ''
      if (isSecret) seen.masked = true
      return [storable(name), isSecret ? mask : clean(value, seen)]
    }),
  )
}

const storable = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed()

/**
 * What copies of a message have in common: the sender's name for it, else its bytes. Without a time in it, the same
 * bytes in another hour are another message: a PMS that says twice a day that something changed means it twice.
 */
export function messageIdOf(bytes: Buffer, headers: NoticeHeaders, { id, occurredAt }: Notice): string {
  const given = headers['webhook-id'] ?? id
  if (typeof given === 'string' && /^[ -~]{1,255}$/.test(given)) return given
  const digest = createHash('sha256').update(bytes)
  const time = headers['webhook-timestamp'] ?? (occurredAt ? '' : new Date().toISOString().slice(0, 13))
  return `sha256:${digest.update(` ${String(given ?? '')} ${String(time)}`).digest('hex')}`
}
