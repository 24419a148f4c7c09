import assert from 'node:assert/strict'
import { test } from 'node:test'

interface Observer {
  subscribe: (listener: () => void) => () => void
  fetchNextPage: () => Promise<unknown>
}

interface Page {
  page: number
  version: number
}

interface Library {
  QueryClient: new () => { getQueryData: (key: string[]) => { pages: Page[] } | undefined }
  InfiniteQueryObserver: new (queries: object, options: object) => Observer
}

interface Invalidation {
  collectInvalidations: (queries: object, onUnits: () => void) => (changes: object) => void
}

/** Without the types of React: with them those of a page's elements have no members in the other tests. */
const load = async <Module>(name: string) => (await import(name)) as Module
const { InfiniteQueryObserver, QueryClient } = await load<Library>('@tanstack/react-query')
const { collectInvalidations } = await load<Invalidation>('../src/live/invalidation.ts')

test('a list of many pages is read to its end although it changes, then less often, and shows the last change', async ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const pageCount = 20
  const queries = new QueryClient()
  let version = 0
  let requests = 0
  const list = new InfiniteQueryObserver(queries, {
    queryKey: ['bookings'],
    queryFn: async ({ pageParam }: { pageParam: number }) => {
      requests += 1
      await new Promise((resolve) => setTimeout(resolve, 150))
      return { page: pageParam, version }
    },
    initialPageParam: 1,
    getNextPageParam: ({ page }: Page) => (page < pageCount ? page + 1 : null),
  })
  const close = list.subscribe(() => {})
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 50) {
      mock.timers.tick(50)
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    }
  }
  await pass(500)
  for (let page = 1; page < pageCount; page++) {
    void list.fetchNextPage()
    await pass(500)
  }
  assert.equal(requests, pageCount)
  const change = collectInvalidations(queries, () => {})
  const changes = 100
  while (version < changes) {
    version += 1
    change({ booking: [`${version}`] })
    await pass(1_000)
  }
  assert.ok(requests <= pageCount * 6, `${requests} requests in ${changes} seconds`)
  await pass(60_000)
  const { pages } = queries.getQueryData(['bookings'])!
  assert.deepEqual(
    pages.map((page) => page.version),
    Array.from({ length: pageCount }, () => changes),
  )
  close()
})
