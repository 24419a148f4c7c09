import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DomainError, BadRequest } from '#errors.ts'
import { isUuid } from '#schema/fields.ts'
import { maxFileBytes } from './media.ts'

/** One part of a multipart body. */
export type Part =
  | { readonly type: 'file'; readonly fieldname: string; readonly file: Readable }
  | {
      readonly type: 'field'
      readonly fieldname: string
      readonly value: unknown
      readonly valueTruncated: boolean
    }

export interface ReceivedFile {
  readonly path: string
  readonly sizeBytes: number
  readonly unitId: string | null
  readonly description: string | null
}

/** The limits of the multipart parser. */
export const multipartLimits = {
  files: 1,
  fields: 3,
  parts: 4,
  fieldNameSize: 100,
  fieldSize: 8_192,
  headerPairs: 20,
  // `save` counts the bytes instead, so that the rest of a file that is too large is not written.
  fileSize: Infinity,
}

/** Writes the file of an upload to the disk while it arrives, and reads the other fields. @throws BadRequest */
export async function receiveFile(parts: AsyncIterable<Part>, folder: string): Promise<ReceivedFile> {
  const path = join(folder, 'received')
  const fields: Record<string, string> = {}
  let sizeBytes: number | null = null
  try {
    for await (const part of parts) {
      if (part.type === 'file') {
        if (part.fieldname !== 'file')
          throw validationError('file', 'unknown_member', 'The part with the file must be named file.')
        sizeBytes = await save(part.file, path)
      } else fields[part.fieldname] = parseField(part, fields)
    }
  } catch (error) {
    throw toClientError(error)
  }
  if (sizeBytes === null) throw validationError('file', 'required', 'file is missing.')
  if (sizeBytes === 0) throw new BadRequest('unsupported-media', 'The file is empty.')
  return { path, sizeBytes, unitId: fields['unit_id'] ?? null, description: fields['description'] ?? null }
}

async function save(file: Readable, path: string): Promise<number> {
  let bytes = 0
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > maxFileBytes) throw new BadRequest('file-too-large', 'The file has more than 10 MiB.')
      yield chunk
    }
  }
  await pipeline(file, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  return bytes
}

function parseField(part: Part & { type: 'field' }, earlier: Readonly<Record<string, string>>): string {
  const { fieldname: name, value } = part
  if (name !== 'unit_id' && name !== 'description')
    throw validationError(
      displayName(name),
      'unknown_member',
      `${displayName(name)} is not a member of an upload.`,
    )
  if (name in earlier) throw validationError(name, 'duplicate', `${name} is given twice.`)
  if (typeof value !== 'string') throw validationError(name, 'wrong_type', `${name} must be text.`)
  const text = value.trim()
  if (name === 'unit_id' && !isUuid(text))
    throw validationError(name, 'wrong_format', 'unit_id must be an id (UUID).')
  if (part.valueTruncated || [...text].length > 1_000)
    throw validationError(name, 'too_long', `${name} must have at most 1,000 characters.`)
  if (text.includes('\0') || !text.isWellFormed())
    throw validationError(name, 'wrong_format', `${name} contains characters that cannot be stored.`)
  return text
}

/** The name of a field as an error message may repeat it: short, and without characters that cannot be stored. */
const displayName = (name: string) => name.slice(0, 100).replaceAll('\0', '\ufffd').toWellFormed()

function validationError(name: string, code: string, message: string) {
  const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return new BadRequest('validation-error', message, { errors: [{ pointer, code, message }] })
}

/** The parser has many errors for a malformed body. System errors, such as a full disk, are not the client's. */
function toClientError(error: unknown): unknown {
  const { code, syscall } = Object(error) as { code?: string; syscall?: string }
  if (error instanceof DomainError || (syscall !== undefined && code !== 'ECONNRESET')) return error
  if (code === 'FST_FILES_LIMIT')
    return validationError('file', 'too_many', 'An upload has exactly one file.')
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT')
    return validationError('', 'too_many', 'The body has more parts than an upload may have.')
  return new BadRequest('bad-request', 'The multipart body cannot be read.')
}

const maxDiscardedBytes = 32 * 1_048_576

/**
 * Reads the rest of a request body without keeping it, so that a client that is still sending can read the response. The
 * connection of a client that sends more than 32 MiB is closed.
 */
export function discardRest(body: Readable): void {
  if (body.readableEnded || body.destroyed) return
  let remainingBytes = maxDiscardedBytes
  body.unpipe()
  body.on('data', (chunk: Buffer) => {
    remainingBytes -= chunk.length
    if (remainingBytes < 0) body.destroy()
  })
  body.resume()
}
