import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure, Malformed } from '#errors.ts'
import { isUuid } from '#fields.ts'
import { mostBytes } from './media.ts'

/** One part of a multipart body, as far as it is read here. */
export type Part =
  | { readonly type: 'file'; readonly fieldname: string; readonly file: Readable }
  | {
      readonly type: 'field'
      readonly fieldname: string
      readonly value: unknown
      readonly valueTruncated: boolean
    }

export interface Received {
  readonly path: string
  readonly sizeBytes: number
  readonly unitId: string | null
  readonly description: string | null
}

/** What a body may consist of at most. */
export const limits = {
  files: 1,
  fields: 3,
  parts: 4,
  fieldNameSize: 100,
  fieldSize: 8_192,
  headerPairs: 20,
  // Counted here instead, because then the rest of what is too large is not read.
  fileSize: Infinity,
}

/** The file, straight to the disk, and what came beside it. @throws Malformed */
export async function receiveFile(parts: AsyncIterable<Part>, folder: string): Promise<Received> {
  const path = join(folder, 'received')
  const fields: Record<string, string> = {}
  let sizeBytes: number | null = null
  try {
    for await (const part of parts) {
      if (part.type === 'file') {
        if (part.fieldname !== 'file') throw refusal('file', 'unknown_member', 'The file must be named file.')
        sizeBytes = await save(part.file, path)
      } else fields[part.fieldname] = textOf(part, fields)
    }
  } catch (error) {
    throw understood(error)
  }
  if (sizeBytes === null) throw refusal('file', 'required', 'file is missing.')
  if (sizeBytes === 0) throw new Malformed('unsupported-media', 'The file is empty.')
  return { path, sizeBytes, unitId: fields['unit_id'] ?? null, description: fields['description'] ?? null }
}

async function save(file: Readable, path: string): Promise<number> {
  let bytes = 0
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > mostBytes) throw new Malformed('file-too-large', 'The file has more than 10 MiB.')
      yield chunk
    }
  }
  await pipeline(file, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  return bytes
}

function textOf(part: Part & { type: 'field' }, before: Readonly<Record<string, string>>): string {
  const { fieldname: name, value } = part
  if (name !== 'unit_id' && name !== 'description')
    throw refusal(shown(name), 'unknown_member', `${shown(name)} is not a member of an upload.`)
  if (name in before) throw refusal(name, 'duplicate', `${name} is there twice.`)
  if (typeof value !== 'string') throw refusal(name, 'wrong_type', `${name} must be text.`)
  const text = value.trim()
  if (name === 'unit_id' && !isUuid(text))
    throw refusal(name, 'wrong_format', 'unit_id must be an id (UUID).')
  if (part.valueTruncated || [...text].length > 1_000)
    throw refusal(name, 'too_long', `${name} must have at most 1,000 characters.`)
  if (text.includes('\0') || !text.isWellFormed())
    throw refusal(name, 'wrong_format', `${name} holds characters that cannot be stored.`)
  return text
}

/** Names come from anybody, and are answered as text that can be stored. */
const shown = (name: string) => name.slice(0, 100).replaceAll('\0', '\ufffd').toWellFormed()

function refusal(name: string, code: string, message: string) {
  const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return new Malformed('validation-error', message, { faults: [{ pointer, code, message }] })
}

/** The parser has many words for a body that it cannot read, and the system has its own for a disk that is full. */
function understood(error: unknown): unknown {
  const { code, syscall } = Object(error) as { code?: string; syscall?: string }
  if (error instanceof Failure || (syscall !== undefined && code !== 'ECONNRESET')) return error
  if (code === 'FST_FILES_LIMIT') return refusal('file', 'too_many', 'One file at a time.')
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT')
    return refusal('', 'too_many', 'The body has more parts than an upload has.')
  return new Malformed('bad-request', 'The multipart body cannot be read.')
}
