import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type TSchema } from 'typebox'
import { Id } from '#fields.ts'
import { knownTag } from './compression.ts'
import type { Answer } from './idempotency.ts'
import { etagOf } from './preconditions.ts'
import { cursorText, type PageRequest } from './paging.ts'

/**
 * Records travel from the database as the JSON text that the API answers (the `json` columns), so an
 * answer is joined from texts: twice the reads of parsing rows and writing them again, at a third of the
 * processor time (bench/reads.ts). The schemas here describe; test/contract.test.ts holds the texts against them.
 */

/** A record with what is nested in it, as text. */
export function nested(record: string, members: Record<string, string>): string {
  let text = record.slice(0, -1)
  for (const name in members) text += `,"${name}":${members[name]}`
  return `${text}}`
}

export interface Stored {
  readonly json: string
  /** Grows with every change that a caller makes to the record. */
  readonly version: number
}

/** One row of a list. */
export interface Listed {
  readonly id: string
  readonly json: string
  /** The value that the page is sorted by. */
  readonly sort_value: string
}

/** One record under its singular name, with its ETag; 304 when the client has it already. */
export function show(request: FastifyRequest, reply: FastifyReply, name: string, { json, version }: Stored) {
  const etag = etagOf(version, json)
  void reply.header('etag', etag)
  const known = ['GET', 'HEAD'].includes(request.method) ? request.headers['if-none-match'] : undefined
  const found = knownTag(known, etag)
  if (found) return reply.code(304).header('etag', found).send()
  return reply.type('application/json; charset=utf-8').send(`{"${name}":${json}}`)
}

/** The answer to a POST that created a record. */
export const created = (name: string, path: string, id: string, { json, version }: Stored): Answer => ({
  status: 201,
  headers: { etag: etagOf(version, json), location: `${path}/${id}` },
  body: `{"${name}":${json}}`,
})

/** One page: at most `limit` of the records read, and the way to the next. */
export function list<Row extends { id: string; sort_value: string }>(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  page: PageRequest,
  rows: Row[],
  text: (row: Row) => string,
) {
  const more = rows.length > page.limit
  const shown = more ? rows.slice(0, page.limit) : rows
  const last = shown.at(-1)
  const next = more && last ? page.cursorAt(last.sort_value, last.id) : null
  return part(request, reply, name, shown.map(text), next)
}

/** What is shown of a list, and the cursor that goes on behind it. */
export function part(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  texts: readonly string[],
  next: string | null,
) {
  if (next) {
    const url = new URL(request.url, 'http://vacancy')
    url.searchParams.set('cursor', next)
    void reply.header('link', `<${url.pathname}${url.search}>; rel="next"`)
  }
  return reply
    .type('application/json; charset=utf-8')
    .send(
      `{"${name}":[${texts.join(',')}],"next_cursor":${JSON.stringify(next)},"has_more":${next !== null}}`,
    )
}

/** An answer that is sent as text: the schema describes it, the compiler leaves it alone. */
export const answers = (schema: TSchema) => Type.Unsafe<unknown>(schema)

const tagged = (tag: string, summary: string) => ({ tags: [tag], summary })
const IdParams = Type.Object({ id: Id })

/** The shapes of a resource's routes. */
export const lists = <Query extends Record<string, TSchema>>(
  tag: string,
  name: string,
  record: TSchema,
  query: Query,
) => ({
  ...tagged(tag, `List ${name.replaceAll('_', ' ')}`),
  querystring: Type.Object(query),
  response: {
    200: answers(
      Type.Object({
        [name]: Type.Array(record, { maxItems: 100 }),
        next_cursor: Type.Unsafe<string | null>({ type: 'string', ...cursorText, nullable: true }),
        has_more: Type.Boolean(),
      }),
    ),
  },
})

export const shows = (tag: string, name: string, record: TSchema) => ({
  ...tagged(tag, `Read one ${name.replaceAll('_', ' ')}`),
  params: IdParams,
  response: { 200: answers(Type.Object({ [name]: record })) },
})

export const creates = <Body extends TSchema>(tag: string, name: string, record: TSchema, body: Body) => ({
  ...tagged(tag, `Create a ${name.replaceAll('_', ' ')}`),
  body,
  response: { 201: answers(Type.Object({ [name]: record })) },
})

export const changes = <Body extends TSchema>(
  tag: string,
  name: string,
  record: TSchema,
  body: Body,
  summary = `Replace a ${name.replaceAll('_', ' ')}`,
) => ({
  ...tagged(tag, summary),
  params: IdParams,
  body,
  response: { 200: answers(Type.Object({ [name]: record })) },
})

export const pauses = (tag: string, name: string, record: TSchema) => ({
  ...tagged(tag, `Pause a ${name.replaceAll('_', ' ')}`),
  description: 'Nothing more is pushed; changes wait.',
  params: IdParams,
  response: { 201: answers(Type.Object({ [name]: record })) },
})

export const resumes = (tag: string, name: string) => ({
  ...tagged(tag, `Resume a ${name.replaceAll('_', ' ')}`),
  description: 'What waited goes out, and what the PMS shows is compared with what is wanted.',
  params: IdParams,
  response: { 204: answers(Type.Null()) },
})

export const removes = (tag: string, name: string) => ({
  ...tagged(tag, `Delete a ${name.replaceAll('_', ' ')}`),
  params: IdParams,
  response: { 204: answers(Type.Null()) },
})
