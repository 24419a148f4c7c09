import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that accepts every request and never answers. */
export async function openHangingServer() {
  const requested = new Set<string>()
  let ended = 0
  const server = createServer((request, response) => {
    requested.add(request.url!)
    response.once('close', () => ended++)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The different paths that begin like this and were requested. */
    requested: (prefix: string) => [...requested].filter((path) => path.startsWith(prefix)).length,
    /** Requests whose sender gave up. */
    ended: () => ended,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
