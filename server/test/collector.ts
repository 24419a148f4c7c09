import { createServer } from 'node:http'

export interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  status: { code?: number }
  attributes: { key: string; value: object }[]
}

/** A collector for OTLP over HTTP that records the received spans. `behavior` makes it fail or hang. */
export async function openCollector() {
  const spans: SentSpan[] = []
  const requests: { path: string; headers: NodeJS.Dict<string | string[]> }[] = []
  const behavior = { status: 200, hangs: false }
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers })
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (behavior.hangs) return
      if (behavior.status === 200) spans.push(...spansIn(Buffer.concat(chunks).toString()))
      response.writeHead(behavior.status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return { spans, requests, behavior, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

function spansIn(text: string): SentSpan[] {
  const { resourceSpans } = JSON.parse(text) as {
    resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[]
  }
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}
