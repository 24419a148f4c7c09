/** Finds free ports of this machine. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * The first preferred port that is free, or another. It is below those that the system gives to connections, which could
 * take it before it is used, and none that browsers block.
 */
export async function findFreePort(...preferred: (number | undefined)[]) {
  for (const port of preferred) if (port && port < 65_536 && (await isFree(port))) return port
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(11_000, 32_768)
    if (await isFree(port)) return port
  }
  return tryPort(0)
}

export async function isFree(port: number, host = '127.0.0.1') {
  try {
    await tryPort(port, host)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE' || code === 'EACCES') return false
    // Without IPv6 nothing listens on that address.
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return true
    throw error
  }
}

function tryPort(port: number, host = '127.0.0.1') {
  return new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })
}
