import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'

/** All records of a list, page by page. The path has a query. */
export async function readList<TestRecord>(caller: TestCaller, path: string): Promise<TestRecord[]> {
  const found: TestRecord[] = []
  for (let cursor = ''; ;) {
    const page = expectStatus(await caller.get(`${path}&limit=100${cursor}`), 200)
    found.push(...(Object.values(page).find(Array.isArray) as TestRecord[]))
    if (!page.has_more) return found
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}
