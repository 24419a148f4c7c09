// Finds ports of 127.0.0.1 that nobody listens on.
import { createServer } from 'node:net'

/** Any port when none is preferred; the preferred ones in their order otherwise. */
export async function findFreePort(...preferred: (number | undefined)[]) {
  for (const port of preferred) if (port && port < 65_536 && (await isFree(port))) return port
  return listenOnce(0)
}

export async function isFree(port: number, host = '127.0.0.1') {
  try {
    await listenOnce(port, host)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE' || code === 'EACCES') return false
    // A machine without IPv6 has nobody listening there either.
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return true
    throw error
  }
}

function listenOnce(port: number, host = '127.0.0.1') {
  return new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })
}
