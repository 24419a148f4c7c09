import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type, type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'

/**
 * What was forgotten, kept beside the database: whoever restores an older one has it forgotten again. A line for each
 * erasure; it names bookings, and nobody.
 */
export const journalIn = (home: string) => join(home, 'guest-erasures.jsonl')

const Uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const JournalLine = Type.Object({
  id: Uuid,
  org_id: Uuid,
  subject: Type.Union([Type.Literal('email'), Type.Literal('phone'), Type.Literal('booking_id')]),
  subject_hash: Type.String(),
  requested_at: Type.String(),
  bookings: Type.Array(
    Type.Object({
      booking_id: orNull(Uuid),
      channel_target_id: orNull(Uuid),
      pms_booking_id: orNull(Type.String()),
    }),
  ),
})
export type JournalLine = Static<typeof JournalLine>

export async function addToJournal(home: string, line: JournalLine): Promise<void> {
  await mkdir(home, { recursive: true })
  // One write, so that two workers do not mix their lines; on the disk before the erasure counts as completed.
  await appendFile(journalIn(home), `${JSON.stringify(line)}\n`, { mode: 0o600, flush: true })
}

/** The same bookings once, however often they were forgotten. @throws Error with a sentence that says which line is none. */
export async function readJournal(path: string): Promise<JournalLine[]> {
  const found = new Map<string, JournalLine>()
  for (const [at, text] of (await readFile(path, 'utf8')).split('\n').entries()) {
    if (text.trim() === '') continue
    const line = parsed(text)
    if (!Value.Check(JournalLine, line)) throw new Error(`Line ${at + 1} of ${path} is no erasure.`)
    found.set(`${line.org_id} ${JSON.stringify(line.bookings)}`, line)
  }
  return [...found.values()]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
