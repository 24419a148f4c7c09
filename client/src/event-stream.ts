import { createParser } from 'eventsource-parser'

export interface StreamEvent {
  event: string
  data: string
  id: string | null
}

/** Parses server-sent events. `onData` is called for every chunk, so also for heartbeat comments. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onData: () => void = () => {},
): AsyncGenerator<StreamEvent> {
  const events: StreamEvent[] = []
  const parser = createParser({
    onEvent: ({ event = 'message', data, id = null }) => events.push({ event, data, id }),
  })
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onData()
      parser.feed(value)
      yield* events.splice(0)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
