import { createHash } from 'node:crypto'

/**
 * A strong ETag has two parts: the version, which callers increment, and a digest of the whole response, which also
 * changes with nested records and with data that jobs write (the last sync, the last health check). A cached response is
 * valid while both match; a write is safe while the version matches.
 */
export const buildEtag = (version: number, json: string) =>
  `"${version}.${createHash('sha1').update(json).digest('base64url').slice(0, 10)}"`

/** The ETag of a compressed response names its encoding. */
export const encodedEtag = (etag: string, encoding: string) => `${etag.slice(0, -1)}-${encoding}"`

/** The ETag in `If-None-Match` that matches this response in any encoding, if there is one. */
export function matchEtag(ifNoneMatch: string | undefined, etag: string): string | undefined {
  if (ifNoneMatch === undefined) return undefined
  if (ifNoneMatch.trim() === '*') return etag
  const named = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return [etag, encodedEtag(etag, 'br'), encodedEtag(etag, 'gzip')].find((tag) => named.includes(tag))
}
