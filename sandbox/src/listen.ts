import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Address = { host?: string; port?: number }

/** Starts serving and tells under which address; port 0 takes a free one. */
export async function listen(server: Server, { host = '127.0.0.1', port = 0 }: Address): Promise<string> {
  server.listen(port, host)
  await once(server, 'listening')
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

/** Stops at once: whoever still waits for an answer sees the connection close. */
export async function stopListening(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
