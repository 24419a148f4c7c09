import { createServer } from 'node:http'

export interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  status: { code?: number }
  attributes: { key: string; value: object }[]
}

/** A collector for OTLP over HTTP that keeps the spans it is sent, unless it is told to answer otherwise. */
export async function openCollector() {
  const spans: SentSpan[] = []
  const requests: { path: string; headers: NodeJS.Dict<string | string[]> }[] = []
  const mood = { status: 200, hangs: false }
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers })
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (mood.hangs) return
      if (mood.status === 200) spans.push(...spansIn(Buffer.concat(chunks).toString()))
      response.writeHead(mood.status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return { spans, requests, mood, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

function spansIn(text: string): SentSpan[] {
  const { resourceSpans } = JSON.parse(text) as {
    resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[]
  }
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}
