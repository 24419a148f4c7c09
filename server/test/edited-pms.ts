import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen, stopListening } from '../../sandbox/test/listen.ts'

const keptHeaders = ['content-type', 'authorization', 'user-api-key', 'idempotency-key']

/** A PMS of the sandbox with changed responses: `edit` is given the method, the path and the text of each. */
export async function openEditedPms(pmsUrl: string, edit: (request: string, body: string) => string) {
  const server = createServer((request, reply) => {
    void (async () => {
      const { method = 'GET', url = '/' } = request
      const body = await text(request)
      const response = await fetch(pmsUrl + url, {
        method,
        headers: keptHeaders.flatMap((name) =>
          request.headers[name] === undefined ? [] : [[name, String(request.headers[name])]],
        ),
        ...(body !== '' && { body }),
      })
      reply.writeHead(response.status, { 'content-type': 'application/json' })
      reply.end(edit(`${method} ${url}`, await response.text()))
    })()
  })
  const url = await listen(server, {})
  return { url, [Symbol.asyncDispose]: () => stopListening(server) }
}
