import assert from 'node:assert/strict'
import { operations, type DocumentedResponse, type Operation } from './operations.ts'

/** Problems of requests that are rejected before the operation is known. */
const beforeOperations = new Set([
  'bad-request',
  'expectation-failed',
  'headers-too-large',
  'method-not-allowed',
  'no-such-path',
  'organization-moved',
  'request-timeout',
])

const known = operations.map((operation) => ({
  operation,
  codes: new Set(Object.values(operation.responses).flatMap(codesIn)),
  pattern: new RegExp(`^${operation.path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}))

interface ReceivedResponse {
  status: number
  headers: Headers
  body: unknown
}

/** Asserts that the contract lists the problem for the operation. */
export function assertDocumented(
  method: string,
  path: string,
  { status, headers, body }: ReceivedResponse,
): void {
  if (!headers.get('content-type')?.startsWith('application/problem+json')) return
  if (body === null) return
  const { code } = body as { code: string }
  const found = operationAt(method === 'HEAD' ? 'GET' : method, path.split('?')[0]!)
  if (!found || beforeOperations.has(code)) return
  assert.ok(
    found.codes.has(code),
    `${found.operation.name} responds with ${status} ${code}, which the contract does not list: see problem-table.ts`,
  )
}

/** The template with the fewest parameters applies, as in the router. */
const operationAt = (method: string, path: string) =>
  known
    .filter(({ operation, pattern }) => operation.method === method && pattern.test(path))
    .sort((one, other) => parametersOf(one.operation) - parametersOf(other.operation))[0]

const parametersOf = ({ pathParameters }: Operation) => pathParameters.length

function codesIn({ content }: DocumentedResponse): string[] {
  const schema = content?.['application/problem+json']?.schema as
    { allOf: [unknown, { properties: { code: { enum: string[] } } }] } | undefined
  return schema?.allOf[1].properties.code.enum ?? []
}
