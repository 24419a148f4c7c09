import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen, stopListening } from '../../sandbox/test/listen.ts'
import type { World } from './world.ts'

/** The sandbox PMS with changed responses: `edit` is given the method, the path and the text of each. */
export async function openEditedPms({ pms }: World, edit: (request: string, body: string) => string) {
  const server = createServer((request, reply) => {
    void (async () => {
      const { method = 'GET', url = '/' } = request
      const body = await text(request)
      const response = await fetch(pms.url + url, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body !== '' && { body }),
      })
      reply.writeHead(response.status, { 'content-type': 'application/json' })
      reply.end(edit(`${method} ${url}`, await response.text()))
    })()
  })
  const url = await listen(server, {})
  return { url, [Symbol.asyncDispose]: () => stopListening(server) }
}
