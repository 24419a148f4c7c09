import assert from 'node:assert/strict'
import type { Reply } from '../caller.ts'
import { assertConforms, matchesRequestSchema } from '../contract-conformance.ts'
import { expectProblem } from '../expect.ts'
import type { Operation } from '../operations.ts'

/** Assertions for the response to any request. */

export interface Sent {
  operation: Operation
  method: string
  path: string
  headers: Record<string, string>
  body: string | FormData | undefined
}

const isTooLong = ({ path, headers }: Sent) => path.length + JSON.stringify(headers).length > 15_000

export function assertAcceptable(sent: Sent, reply: Reply): void {
  const { operation } = sent
  // Rejected before the operation is known, so no operation documents it.
  if (reply.status === 431 && isTooLong(sent)) {
    if (sent.method !== 'HEAD') expectProblem(reply, 431, 'headers-too-large')
    return assert.doesNotMatch(reply.text, internals, 'a problem contains internals')
  }
  assert.ok(reply.status < 500 || isOfThePms(sent, reply), 'the server failed')
  assert.ok(String(reply.status) in operation.responses, 'the status is not stated')
  if (sent.method === 'HEAD') assert.equal(reply.text, '', 'an answer to HEAD has a body')
  else assertConforms(operation, reply)
  onlyStatedHeaders(operation, reply)
  if (reply.status >= 400 && sent.method !== 'HEAD') {
    expectProblem(reply, reply.status, reply.body.code)
    assert.doesNotMatch(reply.text, internals, 'a problem contains internals')
  }
  if (reply.status < 300) {
    refusedUnlessStated(sent)
    refusedUnlessDeclared(sent)
  }
}

/** A random target may have no reachable PMS, which is a documented problem. */
const isOfThePms = ({ operation: { path }, method }: Sent, { status, body }: Reply) =>
  status === 503 &&
  /\/(offers|preflight|proof|preview)\b/.test(path) &&
  (method === 'HEAD' || body.code === 'pms-unavailable')

/** Texts of internals, which a response must not contain. */
const internals =
  /node_modules|\.ts:\d|at async |Cannot read propert|is not a function|violates|pg_|SQLSTATE|relation "|syntax error at|ECONN/

/** Headers of every answer, of its transport or of the safety of browsers. */
const always = new Set([
  ...[
    'connection',
    'keep-alive',
    'date',
    'content-type',
    'content-length',
    'transfer-encoding',
    'cache-control',
  ],
  ...['content-security-policy', 'x-content-type-options', 'referrer-policy', 'cross-origin-opener-policy'],
  ...['cross-origin-resource-policy', 'permissions-policy', 'x-request-id', 'vary', 'content-encoding'],
])

function onlyStatedHeaders({ responses, name }: Operation, { status, headers }: Reply): void {
  const { headers: stated = {} } = responses[String(status)] as { headers?: object }
  const known = new Set(Object.keys(stated).map((header) => header.toLowerCase()))
  for (const header of headers.keys())
    assert.ok(
      always.has(header) || known.has(header) || (openHeaders[name] ?? []).includes(header),
      `${header} is not stated`,
    )
}

/** Files are what browsers and calendars read; their headers are those of files. */
const openHeaders: Record<string, string[]> = {
  'GET /media/{organization}/{file}': ['content-disposition', 'accept-ranges', 'last-modified'],
  'GET /calendars/{token}.ics': ['content-disposition'],
  'GET /exports/{token}.tar': ['content-disposition'],
  'GET /api/v1/audit.csv': ['content-disposition'],
  'GET /api/v1/bookings.csv': ['content-disposition'],
}

/** A request with members that the contract does not declare must be refused. */
function refusedUnlessStated({ operation, body }: Sent): void {
  if (!operation.body || typeof body !== 'string') return
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    assert.fail('a body that is no JSON was taken')
  }
  assert.ok(
    matchesRequestSchema(operation, trimmed(value)),
    'a body that the contract does not state was taken',
  )
}

/** Only operations without a token ignore undeclared parameters. */
function refusedUnlessDeclared({ operation, path }: Sent): void {
  if (operation.permission === 'none') return
  const declared = new Set(operation.queryParameters.map(({ name }) => name))
  for (const name of new URL(path, 'http://x').searchParams.keys())
    assert.ok(declared.has(name), `the undeclared query parameter ${name} was taken`)
}

/** Leading and trailing spaces of texts are trimmed. */
const trimmed = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, part]) => [name, typeof part === 'string' ? part.trim() : part]),
      )
    : value
