export interface StreamEvent {
  event: string
  data: string
  id: string | null
}

/** Parses server-sent events. `onData` is called for every chunk, so also for heartbeat comments. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onData: () => void = () => {},
): AsyncGenerator<StreamEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onData()
      rest += decoder.decode(value, { stream: true })
      const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

const parseEvent = (block: string): StreamEvent | null => {
  const data: string[] = []
  let event = 'message'
  let id: string | null = null
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id') id = value
  }
  return data.length > 0 ? { event, data: data.join('\n'), id } : null
}
