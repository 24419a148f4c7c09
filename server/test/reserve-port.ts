import { once } from 'node:events'
import { createServer } from 'node:net'
import { isFree } from '#start/ports.ts'

/** `vacancy start` takes the five after its own for the parts that it starts. */
const taken = 6

/**
 * A free port that nothing else here takes, also while what listens on it is not yet started or is restarted: it is below
 * those that the product and the system choose, and until it ends this process holds a port after it, so that no other
 * test process reserves the same.
 */
export async function reservePort(): Promise<number> {
  for (let port = 7_000; port < 9_400; port += taken + 1)
    if ((await holdUntilExit(port + taken)) && (await isFree(port))) return port
  throw new Error('No port from 7000 to 9400 is free.')
}

async function holdUntilExit(port: number): Promise<boolean> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true })
  server.unref()
  return once(server, 'listening').then(
    () => true,
    () => false,
  )
}
