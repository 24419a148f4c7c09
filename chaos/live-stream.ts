import { Vacancy } from '../client/src/client.ts'
import type { Cluster } from './cluster.ts'
import { postUntilCreated } from './fixtures.ts'
import { until } from './kills.ts'

/** A live stream as clients follow it. */
interface LiveStream extends AsyncDisposable {
  /** How often it was opened. */
  connections(): number
  /** Waits until the stream tells of a new record. @throws when it does not */
  assertContinues(): Promise<void>
}

export async function followStream(cluster: Cluster): Promise<LiveStream> {
  const vacancy = new Vacancy({ baseUrl: cluster.clients[0]!.url, token: await cluster.token() })
  const stopping = new AbortController()
  const seen = new Set<string>()
  let connections = 0
  /** How often the stream asked the client to read everything again. */
  let resets = 0
  const following = (async () => {
    for await (const { event, data } of vacancy.events.stream({ signal: stopping.signal })) {
      if (event === 'hello') connections++
      if (event === 'reset') resets++
      if (event !== 'changes') continue
      for (const id of data['space'] ?? []) seen.add(id)
      if (data['space'] === null) resets++
    }
  })()
  let failure: unknown
  following.catch((error: unknown) => (failure = error))
  await until('the live stream is open', async () => connections > 0)
  return {
    connections: () => connections,
    async assertContinues() {
      const before = resets
      const { space } = await postUntilCreated(cluster, 'spaces', { name: 'Live' })
      await until('the live stream tells of a new space', async () => {
        if (failure) throw failure as Error
        return seen.has(space.id as string) || resets > before
      })
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await following.catch(() => {})
    },
  }
}
