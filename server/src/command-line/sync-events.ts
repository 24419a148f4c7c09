/** The stream of sync statuses. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from './api-client.ts'
import { CommandError, exitCodes } from './command-error.ts'
import { listListingNames, type SyncStatus } from './sync-records.ts'
import { describeEvent } from './sync-show.ts'
import { untilInterrupted } from './until-interrupted.ts'

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
      for await (const { event, data } of api.stream('/api/v1/sync/stream', stop)) {
        opened = true
        if (event === 'hello') yield null
        if (event === 'sync') yield JSON.parse(data) as SyncStatus
      }
    } catch (error) {
      if (stop.aborted) return
      // A broken stream is opened again, also while the API restarts.
      const isRefused = error instanceof CommandError && error.exitCode !== exitCodes.failed
      if (!opened || isRefused) throw error
    }
    await sleep(reconnectMs, undefined, { signal: stop }).catch(() => {})
  }
}

/** Prints one line for each change, until Ctrl-C or until the output is closed. */
export async function watchSyncs(api: ApiClient, out: NodeJS.WriteStream, asJson: boolean): Promise<void> {
  let names = asJson ? new Map<string, string>() : await listListingNames(api)
  await untilInterrupted({ out }, async (signal) => {
    for await (const state of streamSyncStatuses(api, signal)) {
      if (!state) continue
      if (!asJson && !names.has(state.channel_listing_id)) names = await listListingNames(api)
      out.write(`${asJson ? JSON.stringify(state) : describeEvent(state, names)}\n`)
    }
  })
}
