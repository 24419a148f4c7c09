// The stream of sync states, for as long as somebody reads it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from './call-api.ts'
import { CommandFailure, exitCodes } from './command-failure.ts'
import type { SyncStatus } from './sync-records.ts'

/** A line that says nothing for so long is dead: the API sends a sign of life every 15 s. */
const silenceMs = 45_000
const reconnectMs = 1_000

/**
 * Yields each state as it changes, and null whenever the stream begins anew: something may have been missed before.
 * Ends with the signal. @throws CommandFailure when the API refuses.
 */
export async function* followSyncs(api: Api, stop: AbortSignal): AsyncGenerator<SyncStatus | null, void> {
  for (let opened = false; !stop.aborted;) {
    try {
      const body = await api.stream('/api/v1/sync/stream', stop)
      opened = true
      yield null
      for await (const { event, data } of readEvents(body))
        if (event === 'sync') yield JSON.parse(data) as SyncStatus
    } catch (error) {
      if (stop.aborted) return
      // A stream that breaks is opened again, while an API that restarts is not there for a moment.
      const isAway = error instanceof CommandFailure && error.exitCode === exitCodes.failed
      if (!(opened && isAway) && !(error instanceof TypeError || error instanceof SilentStream)) throw error
    }
    await sleep(reconnectMs, undefined, { signal: stop }).catch(() => {})
  }
}

class SilentStream extends Error {}

async function* readEvents(body: ReadableStream<Uint8Array>) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await withPatience(reader.read())
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

function withPatience<T>(promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new SilentStream('The stream says nothing.')), silenceMs)
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer))
}
