import { createHash } from 'node:crypto'
import { Stale } from '#errors.ts'

/**
 * A strong ETag has two parts: the version, which grows when a caller changes the record, and a digest of the
 * whole answer, which also moves with nested records and with facts that jobs write (the last sync, the last
 * health check). A cached answer is good while both hold; a write is safe while the version does.
 */
export const etagOf = (version: number, json: string) =>
  `"${version}.${createHash('sha1').update(json).digest('base64url').slice(0, 10)}"`

/** What the client says the record is (`If-Match`); undefined when it says nothing. */
export type Expected = string | undefined

/** @throws Stale unless the header is absent, `*`, or names an ETag of the current version. */
export function refuseStale(expected: Expected, version: number): void {
  if (expected === undefined || expected.trim() === '*') return
  const versions = expected.split(',').map((tag) => /^"(\d+)\.[\w-]+"$/.exec(tag.trim())?.[1])
  if (!versions.includes(String(version))) throw new Stale()
}
