import assert from 'node:assert/strict'
import type { Reply } from './caller.ts'

const members = ['type', 'title', 'status', 'detail', 'instance', 'code', 'errors', 'request_id']

/**
 * Asserts a complete problem document with this status and code, which points to these members of the request; returns it.
 */
export function expectProblem(
  reply: Reply,
  status: number,
  code: string,
  ...pointers: string[]
): Reply['body'] {
  assert.equal(reply.status, status, reply.text.slice(0, 2_000))
  assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json(;|$)/)
  for (const member of members) assert.ok(member in reply.body, `${member} is missing: ${reply.text}`)
  assert.equal(reply.body.status, status)
  assert.equal(reply.body.code, code, reply.text)
  assert.equal(new URL(reply.body.type).pathname, `/problems/${code}`)
  assert.equal(reply.headers.get('x-request-id'), reply.body.request_id)
  assert.ok(reply.body.title && reply.body.detail, 'title and detail are not empty')
  const named = reply.body.errors.map(({ pointer }: { pointer: string }) => pointer)
  for (const pointer of pointers) assert.ok(named.includes(pointer), `${pointer} is not in ${named}`)
  return reply.body
}

/** Asserts the status; returns the body. */
export function expectStatus(reply: Reply, status: number): Reply['body'] {
  assert.equal(reply.status, status, `${reply.status} ${reply.text.slice(0, 2_000)}`)
  return reply.body
}

export const names = (records: { name: string }[]) => records.map(({ name }) => name)
export const ids = (records: { id: string }[]) => records.map(({ id }) => id)
