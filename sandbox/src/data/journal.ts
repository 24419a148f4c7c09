import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Lines of JSON on disk. Each has been written to the file when `append` returns. */
export type Journal = {
  append(entry: unknown): void
  /** Replaces all entries; after a crash either the old or the new ones are there. */
  rewrite(entries: Iterable<unknown>): void
  /** Bytes appended since the last rewrite. */
  grownBytes(): number
  close(): void
}

export function openJournal(path: string): Journal {
  mkdirSync(dirname(path), { recursive: true })
  let file = openSync(path, 'a')
  let grown = 0
  return {
    append: (entry) => void (grown += writeSync(file, `${JSON.stringify(entry)}\n`)),
    rewrite(entries) {
      const fresh = openSync(`${path}.new`, 'w')
      for (const entry of entries) writeSync(fresh, `${JSON.stringify(entry)}\n`)
      fsyncSync(fresh)
      renameSync(`${path}.new`, path)
      closeSync(file)
      file = fresh
      grown = 0
    },
    grownBytes: () => grown,
    close: () => closeSync(file),
  }
}

/** The entries, oldest first. A line that a crash cut short is left out, because it was never confirmed. */
export function* readJournal(path: string): Generator<unknown> {
  for (const line of readLines(path)) {
    try {
      yield JSON.parse(line)
    } catch {
      continue
    }
  }
}

function* readLines(path: string): Generator<string> {
  let content: Buffer
  try {
    content = readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  // Line by line from the bytes, because a whole journal may be longer than a string can be.
  for (let start = 0; start < content.length;) {
    const found = content.indexOf(10, start)
    const end = found < 0 ? content.length : found
    if (end > start) yield content.toString('utf8', start, end)
    start = end + 1
  }
}
