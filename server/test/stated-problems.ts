import assert from 'node:assert/strict'
import { operations, type Answer, type Operation } from './operations.ts'

/** What any request can be answered with before it is clear which operation it means. */
const beforeOperations = new Set([
  'bad-request',
  'expectation-failed',
  'headers-too-large',
  'method-not-allowed',
  'no-such-path',
  'request-timeout',
])

const known = operations.map((operation) => ({
  operation,
  codes: new Set(Object.values(operation.responses).flatMap(codesIn)),
  pattern: new RegExp(`^${operation.path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}))

interface Answered {
  status: number
  headers: Headers
  body: unknown
}

/** A problem that the operation does not name in the contract fails the test that meets it. */
export function assertStated(method: string, path: string, { status, headers, body }: Answered): void {
  if (!headers.get('content-type')?.startsWith('application/problem+json')) return
  if (body === null) return
  const { code } = body as { code: string }
  const found = operationAt(method === 'HEAD' ? 'GET' : method, path.split('?')[0]!)
  if (!found || beforeOperations.has(code)) return
  assert.ok(
    found.codes.has(code),
    `${found.operation.name} answers ${status} ${code}, which the contract does not name: see problem-table.ts`,
  )
}

/** Of several templates the one with the fewest parameters is meant, as in the router. */
const operationAt = (method: string, path: string) =>
  known
    .filter(({ operation, pattern }) => operation.method === method && pattern.test(path))
    .sort((one, other) => parametersOf(one.operation) - parametersOf(other.operation))[0]

const parametersOf = ({ pathParameters }: Operation) => pathParameters.length

function codesIn({ content }: Answer): string[] {
  const schema = content?.['application/problem+json']?.schema as
    { allOf: [unknown, { properties: { code: { enum: string[] } } }] } | undefined
  return schema?.allOf[1].properties.code.enum ?? []
}
