/** The stream of sync statuses. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from './api-client.ts'
import { CommandError, exitCodes } from './command-error.ts'
import { listListingNames, type SyncStatus } from './sync-records.ts'
import { describeEvent } from './sync-show.ts'

/** The API sends a keep-alive every 15 s; without one for this long the connection is dead. */
const streamTimeoutMs = 45_000
const reconnectMs = 1_000

/**
 * Yields each changed status, and null whenever the stream is opened again, because changes may have been missed.
 * Ends when the signal is aborted. @throws CommandError when the API rejects the request
 */
export async function* streamSyncStatuses(
  api: ApiClient,
  stop: AbortSignal,
): AsyncGenerator<SyncStatus | null, void> {
  for (let opened = false; !stop.aborted;) {
    try {
      const body = await api.stream('/api/v1/sync/stream', stop)
      opened = true
      yield null
      for await (const { event, data } of readEvents(body))
        if (event === 'sync') yield JSON.parse(data) as SyncStatus
    } catch (error) {
      if (stop.aborted) return
      // A broken stream is opened again, also while the API restarts.
      const isAway = error instanceof CommandError && error.exitCode === exitCodes.failed
      if (!(opened && isAway) && !(error instanceof TypeError || error instanceof StreamTimeout)) throw error
    }
    await sleep(reconnectMs, undefined, { signal: stop }).catch(() => {})
  }
}

/** Prints one line for each change, until Ctrl-C or until the output is closed. */
export async function watchSyncs(api: ApiClient, out: NodeJS.WriteStream, asJson: boolean): Promise<void> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, stop)
  out.once('error', stop)
  let names = asJson ? new Map<string, string>() : await listListingNames(api)
  try {
    for await (const state of streamSyncStatuses(api, stopping.signal)) {
      if (!state) continue
      if (!asJson && !names.has(state.channel_listing_id)) names = await listListingNames(api)
      out.write(`${asJson ? JSON.stringify(state) : describeEvent(state, names)}\n`)
    }
  } finally {
    for (const signal of signals) process.off(signal, stop)
    out.off('error', stop)
  }
}

class StreamTimeout extends Error {}

async function* readEvents(body: ReadableStream<Uint8Array>) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await withTimeout(reader.read())
      if (done) return
      const blocks = `${rest}${value}`.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const lines = block.split('\n')
        const data = lines.find((line) => line.startsWith('data: '))?.slice(6)
        const event = lines.find((line) => line.startsWith('event: '))?.slice(7)
        if (event && data) yield { event, data }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function withTimeout<T>(promise: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new StreamTimeout('The stream is silent.')), streamTimeoutMs)
  return Promise.race([promise, timeout.promise]).finally(() => clearTimeout(timer))
}
