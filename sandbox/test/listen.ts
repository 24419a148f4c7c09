import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts to listen, by default on 127.0.0.1 and a free port, and returns the URL. */
export async function listen(
  server: Server,
  { host = '127.0.0.1', port = 0 }: { host?: string; port?: number },
): Promise<string> {
  server.listen(port, host)
  await once(server, 'listening')
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

/** Stops at once: open connections are closed. */
export async function stopListening(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
