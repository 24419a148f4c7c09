import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type TSchema } from 'typebox'
import type { PageRequest } from '#db/paging.ts'
import type { StoredRecord } from '#db/records.ts'
import { Id } from '#schema/fields.ts'
import type { StoredReply } from './idempotency.ts'
import { cursorFormat } from './paging.ts'
import { hash } from 'node:crypto'

/**
 * Records travel from the database as the JSON text that the API answers (the `json` columns), so an
 * answer is joined from texts: twice the reads of parsing rows and writing them again, at a third of the
 * processor time (bench/reads.ts). The schemas here describe; test/contract.test.ts holds the texts against them.
 */

/** Sends one record under its singular name, with its ETag; 304 when the client has this version. */
export function sendRecord(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  { json, version }: StoredRecord,
) {
  const etag = buildEtag(version, json)
  void reply.header('etag', etag)
  const known = ['GET', 'HEAD'].includes(request.method) ? request.headers['if-none-match'] : undefined
  const found = matchEtag(known, etag)
  if (found) return reply.code(304).header('etag', found).send()
  return reply.type('application/json; charset=utf-8').send(`{"${name}":${json}}`)
}

/** The response to a POST that created a record. */
export const createdReply = (
  name: string,
  path: string,
  id: string,
  { json, version }: StoredRecord,
): StoredReply => ({
  status: 201,
  headers: { etag: buildEtag(version, json), location: `${path}/${id}` },
  body: `{"${name}":${json}}`,
})

/** Sends one page: at most `limit` of the records, and the link to the next. */
export function sendList<Row extends { id: string; sort_value: string | number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  page: PageRequest,
  rows: Row[],
  text: (row: Row) => string,
  options: { isTagged?: boolean } = {},
) {
  const more = rows.length > page.limit
  const shown = more ? rows.slice(0, page.limit) : rows
  const last = shown.at(-1)
  const next = more && last ? page.cursorAt(String(last.sort_value), last.id) : null
  return sendPage(request, reply, name, shown.map(text), next, options)
}

/** The records of a page, and the cursor of the next one. With an ETag, 304 when the client has this version. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  texts: readonly string[],
  next: string | null,
  { isTagged = false }: { isTagged?: boolean } = {},
) {
  const body = `{"${name}":[${texts.join(',')}],"next_cursor":${JSON.stringify(next)},"has_more":${next !== null}}`
  if (isTagged) {
    const etag = buildEtag(1, body)
    void reply.header('etag', etag)
    const found = matchEtag(request.headers['if-none-match'], etag)
    if (found) return reply.code(304).header('etag', found).send()
  }
  if (next && request.method !== 'POST') {
    const url = new URL(request.url, 'http://vacancy')
    url.searchParams.set('cursor', next)
    void reply.header('link', `<${url.pathname}${url.search}>; rel="next"`)
  }
  return reply.type('application/json; charset=utf-8').send(body)
}

/** A response that is sent as text: its schema is only documentation. */
export const jsonText = (schema: TSchema) => Type.Unsafe<unknown>(schema)

const tagged = (tag: string, summary: string) => ({ tags: [tag], summary })
const IdParams = Type.Object({ id: Id })

/** The schemas of a resource's routes. */
export const listSchema = <Query extends Record<string, TSchema>>(
  tag: string,
  name: string,
  record: TSchema,
  query: Query,
) => ({
  ...tagged(tag, `List ${name.replaceAll('_', ' ')}`),
  querystring: Type.Object(query),
  response: {
    200: jsonText(
      Type.Object({
        [name]: Type.Array(record, { maxItems: 100 }),
        next_cursor: Type.Unsafe<string | null>({ type: 'string', ...cursorFormat, nullable: true }),
        has_more: Type.Boolean(),
      }),
    ),
  },
})

export const getSchema = (tag: string, name: string, record: TSchema) => ({
  ...tagged(tag, `Read one ${name.replaceAll('_', ' ')}`),
  params: IdParams,
  response: { 200: jsonText(Type.Object({ [name]: record })) },
})

export const createSchema = <Body extends TSchema>(
  tag: string,
  name: string,
  record: TSchema,
  body: Body,
) => ({
  ...tagged(tag, `Create a ${name.replaceAll('_', ' ')}`),
  body,
  response: { 201: jsonText(Type.Object({ [name]: record })) },
})

export const updateSchema = <Body extends TSchema>(
  tag: string,
  name: string,
  record: TSchema,
  body: Body,
  summary = `Replace a ${name.replaceAll('_', ' ')}`,
) => ({
  ...tagged(tag, summary),
  params: IdParams,
  body,
  response: { 200: jsonText(Type.Object({ [name]: record })) },
})

export const pauseSchema = (tag: string, name: string, record: TSchema) => ({
  ...tagged(tag, `Pause a ${name.replaceAll('_', ' ')}`),
  description: 'Nothing more is pushed; changes wait.',
  params: IdParams,
  response: { 201: jsonText(Type.Object({ [name]: record })) },
})

export const resumeSchema = (tag: string, name: string) => ({
  ...tagged(tag, `Resume a ${name.replaceAll('_', ' ')}`),
  description: 'Sends waiting changes, and compares the PMS with the desired values.',
  params: IdParams,
  response: { 204: jsonText(Type.Null()) },
})

export const deleteSchema = (tag: string, name: string) => ({
  ...tagged(tag, `Delete a ${name.replaceAll('_', ' ')}`),
  params: IdParams,
  response: { 204: jsonText(Type.Null()) },
})

/**
 * A strong ETag has two parts: the version, which callers increment, and a digest of the whole response, which also
 * changes with nested records and with data that jobs write (the last sync, the last health check). A cached response is
 * valid while both match; a write is safe while the version matches.
 */
export const buildEtag = (version: number, json: string) =>
  `"${version}.${hash('sha1', json, 'base64url').slice(0, 10)}"`

/** The ETag of a compressed response names its encoding. */
export const encodedEtag = (etag: string, encoding: string) => `${etag.slice(0, -1)}-${encoding}"`

/** The ETag in `If-None-Match` that matches this response in any encoding, if there is one. */
function matchEtag(ifNoneMatch: string | undefined, etag: string): string | undefined {
  if (ifNoneMatch === undefined) return undefined
  if (ifNoneMatch.trim() === '*') return etag
  const named = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return [etag, encodedEtag(etag, 'br'), encodedEtag(etag, 'gzip')].find((tag) => named.includes(tag))
}
