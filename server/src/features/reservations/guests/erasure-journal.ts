import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type, type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'

/**
 * The erasures, kept outside the database: after a restore of an older backup they are repeated from this file. It has
 * an entry for each erasure, with the ids of bookings and no guest data.
 */
export const erasureJournalPath = (dataDirectory: string) => join(dataDirectory, 'guest-erasures.jsonl')

const Uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const JournalEntry = Type.Object({
  id: Uuid,
  org_id: Uuid,
  subject: Type.Union([Type.Literal('email'), Type.Literal('phone'), Type.Literal('booking_id')]),
  subject_hash: Type.String(),
  requested_at: Type.String(),
  bookings: Type.Array(
    Type.Object({
      booking_id: nullable(Uuid),
      channel_target_id: nullable(Uuid),
      pms_booking_id: nullable(Type.String()),
    }),
  ),
})
export type JournalEntry = Static<typeof JournalEntry>

export async function appendToJournal(dataDirectory: string, entry: JournalEntry): Promise<void> {
  await mkdir(dataDirectory, { recursive: true })
  // One write, so that the lines of two workers do not mix; flushed before the erasure counts as completed. The line before
  // has no end if a full disk cut it off.
  await appendFile(erasureJournalPath(dataDirectory), `\n${JSON.stringify(entry)}\n`, {
    mode: 0o600,
    flush: true,
  })
}

/**
 * Entries with the same bookings are returned once. A line that was cut off is left out if the erasure has written its entry
 * again. @throws Error that names the first invalid entry
 */
export async function readJournal(path: string): Promise<JournalEntry[]> {
  const found = new Map<string, JournalEntry>()
  const lines = (await readFile(path, 'utf8')).split('\n')
  for (const [at, text] of lines.entries()) {
    if (text.trim() === '') continue
    const entry = parseJson(text)
    if (Value.Check(JournalEntry, entry))
      found.set(`${entry.org_id} ${JSON.stringify(entry.bookings)}`, entry)
    else if (!lines.some((other) => other !== text && other.startsWith(text)))
      throw new Error(`Line ${at + 1} of ${path} is not an erasure.`)
  }
  return [...found.values()]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
