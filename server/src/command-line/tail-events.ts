/** Follows the event feed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openApiClient, type ApiClient, type ApiOptions } from './api-client.ts'
import type { CommandContext } from './command-context.ts'
import { CommandError, exitCodes } from './command-error.ts'
import { untilInterrupted } from './until-interrupted.ts'

export interface FeedEvent {
  id: string
  type: string
  subject_id: string | null
  occurred_at: string
  data: Record<string, unknown>
}

export interface TailOptions {
  after: string
  types?: string[]
}

interface FeedPage {
  events: FeedEvent[]
  next_cursor: string
}

/** The API holds a request without events for this long. */
const waitSeconds = 20
const retryMs = 1_000

/** Yields each page of the feed with its cursor, also across interruptions, until it is aborted. */
export async function* followFeed(
  api: ApiClient,
  { after, types = [] }: TailOptions,
  signal: AbortSignal,
): AsyncGenerator<FeedPage, void> {
  let cursor = after
  let isFollowing = false
  while (!signal.aborted) {
    // The first request says at once where the feed is.
    const query = new URLSearchParams({ after: cursor, ...(isFollowing && { wait: String(waitSeconds) }) })
    for (const type of types) query.append('types', type)
    try {
      const page = await api.request<FeedPage>('GET', `/api/v1/events?${query.toString()}`, undefined, {
        signal,
      })
      isFollowing = true
      cursor = page.next_cursor
      yield page
    } catch (error) {
      if (signal.aborted) return
      if (!isFollowing || !isAway(error)) throw error
      await sleep(retryMs, undefined, { signal }).catch(() => {})
    }
  }
}

/** The API does not respond or has a fault, which may end. */
export const isAway = (error: unknown): boolean =>
  error instanceof CommandError && error.exitCode === exitCodes.failed

export async function tailEvents(
  context: CommandContext,
  options: ApiOptions & TailOptions,
  asJson: boolean,
): Promise<void> {
  const api = await openApiClient(context, options)
  let cursor = options.after
  await untilInterrupted(context, async (signal) => {
    for await (const { events, next_cursor } of followFeed(api, options, signal)) {
      for (const event of events)
        context.out.write(`${asJson ? JSON.stringify(event) : describeEvent(event)}\n`)
      if (cursor === 'latest' && !asJson) context.err.write('Waiting for events.\n')
      cursor = next_cursor
    }
  })
  if (cursor !== 'latest')
    context.err.write(`${asJson ? JSON.stringify({ cursor }) : `Continue with --after ${cursor}`}\n`)
}

const describeEvent = ({ occurred_at, type, subject_id }: FeedEvent) =>
  `${occurred_at}  ${type.padEnd(20)}  ${subject_id ?? ''}`.trimEnd()
