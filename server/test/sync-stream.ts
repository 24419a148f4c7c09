import assert from 'node:assert/strict'
import { readEvents } from '../../client/src/event-stream.ts'
import type { TestCaller } from './caller.ts'

interface StreamEvent {
  event: string
  data: { channel_listing_id?: string; status?: string; verification?: string | null }
}

export interface FollowedStream<Event = StreamEvent> extends AsyncDisposable {
  readonly received: Event[]
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
}

/** Opens the stream of sync statuses and collects its events. */
export const followSyncs = (url: string, caller: TestCaller): Promise<FollowedStream> =>
  follow<StreamEvent>(`${url}/api/v1/sync/stream`, caller)

export interface ChangesEvent {
  event: string
  data: Record<string, string[] | null>
  id?: string | undefined
}

/** Opens the stream of changes and collects its events. */
export const followChanges = (
  url: string,
  caller: TestCaller,
  lastId?: string,
): Promise<FollowedStream<ChangesEvent>> =>
  follow<ChangesEvent>(
    `${url}/api/v1/events/stream`,
    caller,
    lastId === undefined ? {} : { 'last-event-id': lastId },
  )

async function follow<Event>(
  address: string,
  caller: TestCaller,
  headers: Record<string, string> = {},
): Promise<FollowedStream<Event>> {
  const stop = new AbortController()
  const answer = await fetch(address, {
    headers: { authorization: `Bearer ${caller.token}`, ...headers },
    signal: stop.signal,
  })
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
  const received: Event[] = []
  const ended = (async () => {
    for await (const { id, event, data } of readEvents(answer.body!))
      received.push({ event, data: JSON.parse(data) as object, ...(id && { id }) } as Event)
  })().catch(() => {})
  return {
    received,
    ended,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await ended
    },
  }
}
