import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Connections that sent one request and are idle since. */
export interface IdleConnections {
  /** How many are still open. */
  open(): number
  close(): void
}

/** Opens the connections in batches. @throws when one is refused, closed, or gets an error response */
export async function openIdleConnections(
  url: string,
  count: number,
  headers: Record<string, string>,
): Promise<IdleConnections> {
  const sockets: Socket[] = []
  const { hostname, port, host } = new URL(url)
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `GET /problems/forbidden HTTP/1.1\r\n${lines.join('')}\r\n`
  const openOne = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      socket.once('error', reject).once('close', () => reject(new Error('A connection was closed.')))
      socket.once('connect', () => socket.write(request))
      let response = ''
      socket.on('data', (chunk: Buffer) => {
        response += chunk.toString('latin1')
        if (response.length > 15 && !response.startsWith('HTTP/1.1 200'))
          reject(new Error(`A connection received ${response.slice(0, 40)}`))
        if (response.endsWith('</html>')) resolve()
      })
    })
  const batchSize = 100
  for (let opened = 0; opened < count; opened += batchSize)
    await Promise.all(Array.from({ length: Math.min(batchSize, count - opened) }, openOne))
  return {
    open: () => sockets.filter((socket) => socket.readyState === 'open').length,
    close: () => sockets.forEach((socket) => socket.destroy()),
  }
}

/** Sends requests at a constant rate, without waiting for responses. */
export async function sendAtRate<Result>(
  perSecond: number,
  seconds: number,
  send: () => Promise<Result>,
): Promise<Result[]> {
  const sent: Promise<Result>[] = []
  const startedAt = performance.now()
  while (sent.length < perSecond * seconds) {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond)
    while (sent.length < Math.min(due, perSecond * seconds)) sent.push(send())
    await sleep(5)
  }
  return await Promise.all(sent)
}
