import { createServer } from 'node:http'
import { listen, stopListening } from '../../sandbox/test/listen.ts'

export const accepted = {
  status: 200,
  body: { data: [{ id: 'one', type: 'task' }], meta: { message: 'Success' } },
}
export const refusal = (details?: object) => ({
  errors: { code: 'validation_error', title: 'Validation Error', ...(details && { details }) },
})

type Message = { values: Record<string, unknown>[] }

/** A server with the given responses, which records the number of values in each message. */
export async function openFaultyChannex(respond: (message: Message) => { status: number; body: object }) {
  const valueCounts: number[] = []
  const server = createServer((req, res) => {
    let text = ''
    req.on('data', (chunk) => (text += chunk))
    req.on('end', () => {
      const message = JSON.parse(text) as Message
      valueCounts.push(message.values.length)
      const { status, body } = respond(message)
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  const url = await listen(server, {})
  return { url, sizes: valueCounts, [Symbol.asyncDispose]: () => stopListening(server) }
}
