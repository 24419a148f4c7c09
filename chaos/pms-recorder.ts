import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A push that reached the PMS: which cell sent it, and for which property. */
export interface RecordedPush {
  readonly cell: string
  readonly property: string
}

/** Passes the calls of a cell on to the PMS, and records its pushes in the order in which they arrive. */
export async function recordPushes(cell: string, pmsUrl: string, pushes: RecordedPush[]) {
  const server = createServer((request, response) => {
    const [, property] = /^\/properties\/([^/?]+)/.exec(request.url ?? '') ?? []
    if (property !== undefined && request.method !== 'GET') pushes.push({ cell, property })
    forward(request, pmsUrl).then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function forward(request: IncomingMessage, pmsUrl: string) {
  const { authorization, 'content-type': contentType } = request.headers
  const body = await buffer(request)
  const answer = await fetch(`${pmsUrl}${request.url}`, {
    method: request.method!,
    headers: {
      ...(authorization && { authorization }),
      ...(contentType && { 'content-type': contentType }),
    },
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  })
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? 'application/json',
    body: Buffer.from(await answer.arrayBuffer()),
  }
}
