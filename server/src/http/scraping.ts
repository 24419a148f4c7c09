import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { metricsText, metricsType, startMetrics } from '#metrics.ts'

/** Whether figures may be shown to who sends this header: to everybody, unless there is a token. */
export function mayScrape(authorization: string | undefined, token: string | null): boolean {
  if (token === null) return true
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`))
}

interface Door {
  readonly port: number
  readonly host: string
  readonly token: string | null
  readonly version: string
  /** Looks up what is not counted as it happens. */
  readonly read: () => Promise<void>
}

/** The figures of a process that serves nothing else. Gives the address and what closes it. */
export async function listenForScrapes({ port, host, token, version, read }: Door) {
  startMetrics(version)
  const server = createServer((request, response) => {
    const status =
      request.url !== '/metrics' ? 404 : mayScrape(request.headers.authorization, token) ? 200 : 401
    if (status !== 200) return void response.writeHead(status).end()
    const text = read().then(() => metricsText())
    text.then(
      (text) => response.writeHead(200, { 'content-type': metricsType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(port, host, listening)
  })
  return {
    url: `http://${host}:${(server.address() as { port: number }).port}/metrics`,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
