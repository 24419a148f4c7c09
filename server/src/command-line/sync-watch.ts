// Tells each change of a sync state as it happens.
import type { Api } from './call-api.ts'
import { followSyncs } from './sync-events.ts'
import { namesOf } from './sync-records.ts'
import { describeEvent } from './sync-show.ts'

/** One line for each event, until Ctrl-C or until nobody reads any more. */
export async function watchSyncs(api: Api, out: NodeJS.WriteStream, asJson: boolean): Promise<void> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.once(signal, stop)
  out.once('error', stop)
  let names = asJson ? new Map<string, string>() : await namesOf(api)
  try {
    for await (const state of followSyncs(api, stopping.signal)) {
      if (!state) continue
      if (!asJson && !names.has(state.channel_listing_id)) names = await namesOf(api)
      out.write(`${asJson ? JSON.stringify(state) : describeEvent(state, names)}\n`)
    }
  } finally {
    for (const signal of signals) process.off(signal, stop)
    out.off('error', stop)
  }
}
