import { PreconditionFailed } from '#errors.ts'

/** Adds members to the JSON text of a record. */
export function withMembers(record: string, members: Record<string, string>): string {
  let text = record.slice(0, -1)
  for (const name in members) text += `,"${name}":${members[name]}`
  return `${text}}`
}

export interface StoredRecord {
  readonly json: string
  /** Incremented by every change that a caller makes to the record. */
  readonly version: number
}

/** One row of a list. */
export interface ListedRecord<Sorted = string> {
  readonly id: string
  readonly json: string
  /** The value that the page is sorted by. */
  readonly sort_value: Sorted
}

/** The value of `If-Match`; undefined without the header. */
export type ExpectedVersion = string | undefined

/** @throws PreconditionFailed unless the header is absent, is `*`, or contains an ETag of the current version */
export function assertVersion(expected: ExpectedVersion, version: number): void {
  if (expected === undefined || expected.trim() === '*') return
  const versions = expected.split(',').map((tag) => /^"(\d+)\.[\w-]+"$/.exec(tag.trim())?.[1])
  if (!versions.includes(String(version))) throw new PreconditionFailed()
}
