import { createServer } from 'node:http'
import { listen, stopListening } from '../../sandbox/src/listen.ts'

export const taken = {
  status: 200,
  body: { data: [{ id: 'one', type: 'task' }], meta: { message: 'Success' } },
}
export const refusal = (details?: object) => ({
  errors: { code: 'validation_error', title: 'Validation Error', ...(details && { details }) },
})

type Message = { values: Record<string, unknown>[] }

/** A server that answers messages as told, and notes how many values each had. */
export async function openUnruly(answer: (message: Message) => { status: number; body: object }) {
  const sizes: number[] = []
  const server = createServer((req, res) => {
    let text = ''
    req.on('data', (chunk) => (text += chunk))
    req.on('end', () => {
      const message = JSON.parse(text) as Message
      sizes.push(message.values.length)
      const { status, body } = answer(message)
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  const url = await listen(server, {})
  return { url, sizes, [Symbol.asyncDispose]: () => stopListening(server) }
}
