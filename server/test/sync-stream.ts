import assert from 'node:assert/strict'
import type { TestCaller } from './caller.ts'

export interface StreamEvent {
  event: string
  data: { channel_listing_id?: string; status?: string; verification?: string | null }
}

export interface FollowedStream extends AsyncDisposable {
  readonly heard: StreamEvent[]
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
}

/** Opens the stream of sync statuses and collects its events. */
export async function followSyncs(url: string, caller: TestCaller): Promise<FollowedStream> {
  const stop = new AbortController()
  const answer = await fetch(`${url}/api/v1/sync/stream`, {
    headers: { authorization: `Bearer ${caller.token}` },
    signal: stop.signal,
  })
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
  const heard: StreamEvent[] = []
  const ended = (async () => {
    let text = ''
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(text.slice(0, end)) ?? []
        if (event && data) heard.push({ event, data: JSON.parse(data) as StreamEvent['data'] })
        text = text.slice(end + 2)
      }
    }
  })().catch(() => {})
  return {
    heard,
    ended,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await ended
    },
  }
}
