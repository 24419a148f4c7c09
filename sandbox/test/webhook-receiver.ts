import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen, stopListening } from './listen.ts'

/** Receives webhooks, and answers with the status that is set. */
export async function openReceiver() {
  const seen = {
    status: 200,
    bodies: [] as { object: string; event: string; accountId: number; data: { n: number } }[],
    logins: [] as (string | undefined)[],
    paths: [] as (string | undefined)[],
  }
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      seen.bodies.push(JSON.parse(body))
      seen.logins.push(req.headers.authorization)
      seen.paths.push(req.url)
      res.writeHead(seen.status).end('seen')
    })
  })
  const url = await listen(server, {})
  return Object.assign(seen, {
    url,
    async close() {
      if (!server.listening) return
      await stopListening(server)
    },
  })
}
