import assert from 'node:assert/strict'
import type { TestCaller } from '../caller.ts'
import { assertConforms } from '../contract-conformance.ts'
import { fillPath, operations, type Operation } from '../operations.ts'

const lists = operations.filter(
  ({ method, path, isStream, queryParameters }) =>
    method === 'GET' &&
    path.startsWith('/api/v1/') &&
    !path.includes('{') &&
    !isStream &&
    !queryParameters.some(({ required }) => required),
)

/**
 * Reads every page of every list, and each record on a page of its own, as the contract says: nothing that was
 * stored makes them unreadable. Returns how many records there were.
 */
export async function readEverything(owner: TestCaller): Promise<number> {
  let read = 0
  for (const list of lists) {
    const seen = new Set<string>()
    for (const record of await wholeList(owner, list)) {
      const page = pageOf(list, record)
      if (!page || seen.has(page.path)) continue
      seen.add(page.path)
      const reply = assertConforms(page.operation, await owner.get(page.path))
      assert.equal(reply.status, 200, `${page.path}: ${reply.text}`)
      read += 1
    }
  }
  return read
}

type Listed = Record<string, unknown> & { id?: string }

async function wholeList(owner: TestCaller, list: Operation): Promise<Listed[]> {
  const isPaged = list.queryParameters.some(({ name }) => name === 'cursor')
  const records: Listed[] = []
  let query = isPaged ? '?limit=100' : ''
  for (;;) {
    const reply = assertConforms(list, await owner.get(`${list.path}${query}`))
    assert.equal(reply.status, 200, `${list.path}${query}: ${reply.text}`)
    if (!isPaged) return []
    const [page] = Object.values(reply.body as Record<string, Listed[]>)
    records.push(...page!)
    const next = reply.body.next_cursor as string | null
    // The feed of events always says where to go on.
    if (next === null || page!.length === 0) return records
    query = `?limit=100&cursor=${encodeURIComponent(next)}`
  }
}

function pageOf(list: Operation, { id }: Listed): { operation: Operation; path: string } | undefined {
  const operation = operations.find((one) => one.method === 'GET' && one.path === `${list.path}/{id}`)
  return operation && id ? { operation, path: fillPath(operation.path, id) } : undefined
}
