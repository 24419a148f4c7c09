import type * as contract from './contract/types.gen.ts'
import type { Client, RequestArgs, StreamOptions } from './connect.ts'
import type { Operation, RequestData } from './operation.ts'
import { isUnprocessed, Problem, Unreachable } from './problem.ts'
import { sleep } from './sleep.ts'

/** An event of a stream. `changes` has the ids of changed records by kind; after `reset`, everything is read again. */
export type ApiEvent = { id: string | null } & (
  | { event: 'changes'; data: Record<string, string[] | null> }
  | { event: 'sync'; data: contract.SyncStatus }
  | { event: 'hello' | 'reset'; data: Record<string, unknown> }
)

const minWaitMs = 1_000
const maxWaitMs = 30_000

/**
 * Yields the events of a stream until it is aborted. After an interruption it continues after the last event. Throws the
 * problem when the API rejects the request, and an error of the token function as it is.
 */
export async function* followStream<Data extends RequestData>(
  client: Client,
  operation: Operation<Data, unknown>,
  { signal, lastEventId = null }: StreamOptions,
): AsyncGenerator<ApiEvent, void> {
  let last = lastEventId
  for (let failures = 0; !signal?.aborted; failures += 1) {
    let retryAfterSeconds: number | null = null
    try {
      const options = { lastEventId: last, ...(signal && { signal }) } as RequestArgs<Data>
      for await (const { event, data, id } of client.stream(operation, options)) {
        last = id ?? last
        failures = 0
        yield { event, data: JSON.parse(data) as unknown, id } as ApiEvent
      }
    } catch (error) {
      if (signal?.aborted) return
      if (error instanceof Problem && (error.status >= 500 || isUnprocessed(error.status)))
        retryAfterSeconds = error.retryAfterSeconds
      else if (!(error instanceof Unreachable)) throw error
    }
    const backoffMs = Math.min(minWaitMs * 2 ** failures, maxWaitMs) * (0.5 + Math.random() / 2)
    await sleep(retryAfterSeconds === null ? backoffMs : retryAfterSeconds * 1_000, signal).catch(() => {})
  }
}
