import type { FastifyInstance } from 'fastify'
import { BadRequest } from '#errors.ts'

const maxDepth = 32
/** The maximum number of members and elements: each may have an error, and all errors are collected. */
const maxMembers = 20_000
/** The maximum number of members of one object; no schema has as many. */
const maxObjectMembers = 1_000
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Accepts only JSON bodies that can be stored and returned. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const encoding = request.headers['content-encoding']
      if (encoding && encoding !== 'identity')
        throw new BadRequest('unsupported-media-type', `Content-Encoding ${encoding} is not accepted.`)
      // A charset other than UTF-8 could make two servers read different bodies.
      const charset = /charset *= *"?([^";, ]*)/i.exec(request.headers['content-type']!)?.[1]
      if (charset !== undefined && !/^utf-?8$/i.test(charset))
        throw new BadRequest(
          'unsupported-media-type',
          `The charset ${charset} is not accepted: JSON is UTF-8.`,
        )
      done(null, (body as Buffer).length === 0 ? undefined : trimTexts(parseJson(body as Buffer)))
    } catch (error) {
      done(error as Error)
    }
  })
}

function parseJson(bytes: Buffer): unknown {
  const value = readJson(bytes)
  assertStorable(value)
  return value
}

/** Parses the bytes, whether or not the result can be stored. @throws BadRequest with the code `malformed-json` */
export function readJson(bytes: Buffer): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new BadRequest('malformed-json', 'The body is not valid UTF-8.')
  }
  assertDepth(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new BadRequest('malformed-json', `The body is not valid JSON: ${parserMessage(error as Error)}.`)
  }
}

/** Without the part of the body that the parser quotes, which may contain a secret. */
const parserMessage = ({ message }: Error) =>
  message.endsWith('is not valid JSON')
    ? message.startsWith('"')
      ? 'no value'
      : message.split(/, (?:\.\.\.)?"/, 1)[0]!
    : message

/** Trims the strings of a record. Nested values, such as secrets, are unchanged. */
function trimTexts(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const record = value as Record<string, unknown>
  for (const [name, part] of Object.entries(record)) if (typeof part === 'string') record[name] = part.trim()
  return record
}

/** Checks the text before parsing, because parsing 10,000 levels is already expensive. @throws BadRequest */
export function assertDepth(text: string): void {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (quoted) {
      if (char === 0x5c) at++
      else if (char === 0x22) quoted = false
    } else if (char === 0x22) quoted = true
    else if (char === 0x7b || char === 0x5b) {
      if (++depth > maxDepth)
        throw new BadRequest('malformed-json', `The body has more than ${maxDepth} levels.`)
    } else if (char === 0x7d || char === 0x5d) depth--
  }
}

/** PostgreSQL cannot store U+0000 or lone surrogates, and `__proto__` is never a valid member. */
function assertStorable(value: unknown): void {
  let members = 0
  const count = () => {
    if (++members > maxMembers)
      throw new BadRequest('malformed-json', `The body has more than ${maxMembers} members.`)
  }
  const visit = (part: unknown): void => {
    if (typeof part === 'string') assertStorableText(part)
    else if (typeof part === 'number') {
      if (!Number.isFinite(part)) throw new BadRequest('malformed-json', 'A number is out of range.')
    } else if (Array.isArray(part))
      for (const inner of part) {
        count()
        visit(inner)
      }
    else if (part !== null && typeof part === 'object') {
      const entries = Object.entries(part)
      if (entries.length > maxObjectMembers)
        throw new BadRequest(
          'malformed-json',
          `An object in the body has more than ${maxObjectMembers} members.`,
        )
      for (const [key, inner] of entries) {
        count()
        if (key === '__proto__')
          throw new BadRequest('malformed-json', 'A member must not be named __proto__.')
        assertStorableText(key)
        visit(inner)
      }
    }
  }
  visit(value)
}

function assertStorableText(text: string): void {
  if (text.includes('\0')) throw new BadRequest('malformed-json', 'A string contains the character U+0000.')
  if (!text.isWellFormed()) throw new BadRequest('malformed-json', 'A string contains a lone surrogate.')
}
