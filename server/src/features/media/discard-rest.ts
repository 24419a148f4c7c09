import type { Readable } from 'node:stream'

const mostBytes = 32 * 1_048_576

/**
 * Reads on past what is wanted of a body, so that whoever still sends it can read the answer; who sends on for too
 * long is cut off.
 */
export function discardRest(body: Readable): void {
  if (body.readableEnded || body.destroyed) return
  let left = mostBytes
  body.unpipe()
  body.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) body.destroy()
  })
  body.resume()
}
