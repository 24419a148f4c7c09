import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { areSecretsEqual } from '#secrets/compare.ts'
import { metricsText, metricsType, startMetrics } from '#telemetry/metrics.ts'

/** Whether the sender of this header may read metrics: everybody, unless a token is configured. */
export const canScrape = (authorization: string | undefined, token: string | null): boolean =>
  token === null || areSecretsEqual(authorization ?? '', `Bearer ${token}`)

interface MonitoringServer {
  /** The first free one is used. */
  readonly ports: readonly number[]
  readonly host: string
  readonly token: string | null
  readonly version: string
  /** Updates the metrics that are not counted when they happen. */
  readonly read: () => Promise<void>
  /** The body of /health. */
  readonly readHealth: () => Promise<object>
  readonly isReady: () => Promise<boolean>
}

interface Answer {
  readonly status: number
  readonly type?: string
  readonly text?: string
}

/**
 * Serves /metrics, /health and /health/ready of a worker. Returns the address and a function that closes it.
 * @throws when none of the ports is free
 */
export async function serveMonitoring({ ports, host, token, version, ...reading }: MonitoringServer) {
  startMetrics(version)
  const answers: Record<string, (authorization: string | undefined) => Promise<Answer>> = {
    '/metrics': async (authorization) => {
      if (!canScrape(authorization, token)) return { status: 401 }
      await reading.read()
      return { status: 200, type: metricsType, text: await metricsText() }
    },
    '/health': async () => json(200, await reading.readHealth()),
    '/health/ready': async () => {
      const ready = await reading.isReady()
      return json(ready ? 200 : 503, { ready })
    },
  }
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!
    const answer = Object.hasOwn(answers, path) ? answers[path]!(request.headers.authorization) : notFound
    answer.then(
      ({ status, type, text }) =>
        response
          .writeHead(status, { 'cache-control': 'no-store', ...(type && { 'content-type': type }) })
          .end(text),
      () => response.writeHead(500).end(),
    )
  })
  const port = await listenOnFirstFree(server, host, ports)
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

const notFound = Promise.resolve<Answer>({ status: 404 })
const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
})

async function listenOnFirstFree(server: Server, host: string, ports: readonly number[]): Promise<number> {
  for (const [at, port] of ports.entries()) {
    try {
      server.listen(port, host)
      await once(server, 'listening')
      break
    } catch (error) {
      const isLast = at === ports.length - 1
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || isLast) throw error
    }
  }
  return (server.address() as { port: number }).port
}
