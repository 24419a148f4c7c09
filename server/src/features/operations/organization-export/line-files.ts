import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Files of lines, read and written a part at a time. */

export interface LinesDigest {
  readonly rows: number
  readonly sha256: string
}

const linesPerRead = 500

/** Writes a file that does not exist yet. What is exported is personal data, so only its owner may read it. */
export async function writeLines(
  path: string,
  parts: AsyncIterable<readonly string[]>,
): Promise<LinesDigest> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const digest = openDigest()
  await pipeline(
    async function* () {
      for await (const lines of parts) yield digest.add(lines)
    },
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  )
  return digest.end()
}

export async function digestLines(parts: AsyncIterable<readonly string[]>): Promise<LinesDigest> {
  const digest = openDigest()
  for await (const lines of parts) digest.add(lines)
  return digest.end()
}

/** `readline` would also split at U+2028, which JSON may contain. */
export async function* readLinesOf(path: string): AsyncGenerator<string[]> {
  let rest = ''
  const lines: string[] = []
  for await (const chunk of createReadStream(path, 'utf8')) {
    const parts = (rest + (chunk as string)).split('\n')
    rest = parts.pop()!
    lines.push(...parts)
    while (lines.length >= linesPerRead) yield lines.splice(0, linesPerRead)
  }
  if (rest !== '') lines.push(rest)
  if (lines.length > 0) yield lines
}

/** The SHA-256 of a file of any kind. */
export async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

function openDigest() {
  const hash = createHash('sha256')
  let rows = 0
  return {
    add(lines: readonly string[]): string {
      const text = lines.map((line) => `${line}\n`).join('')
      rows += lines.length
      hash.update(text)
      return text
    },
    end: (): LinesDigest => ({ rows, sha256: hash.digest('hex') }),
  }
}
