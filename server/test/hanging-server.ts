import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that accepts every request and never responds. */
export async function openHangingServer() {
  const requested = new Set<string>()
  let countAborted = 0
  const server = createServer((request, response) => {
    requested.add(request.url!)
    response.once('close', () => countAborted++)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The number of different requested paths with this prefix. */
    requested: (prefix: string) => [...requested].filter((path) => path.startsWith(prefix)).length,
    /** The number of aborted requests. */
    ended: () => countAborted,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
