// What does compressing an answer cost, and what does it save?
import { randomBytes, randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { Agent, request } from 'undici'
import { compressAnswers } from '../server/src/http/compression.ts'
import { sideBySide } from './side-by-side.ts'

const orgId = randomUUID()
const agent = new Agent({ connections: 16 })
const plain = await serve(async () => {})
const compressing = await serve(compressAnswers)

for (const units of [1, 20, 200]) {
  const bytes = async (encoding: string) => (await call(compressing.url, units, encoding)).byteLength
  const [identity, br, gzip] = [await bytes('identity'), await bytes('br'), await bytes('gzip')]
  console.log(`\n${units} units: ${identity} bytes, br ${br}, gzip ${gzip}\n`)
  await sideBySide(
    {
      'without compression': () => call(plain.url, units, 'br, gzip'),
      'not asked for': () => call(compressing.url, units, 'identity'),
      br: () => call(compressing.url, units, 'br'),
      gzip: () => call(compressing.url, units, 'gzip'),
    },
    { rounds: 8, turnMs: 350, abreast: 16 },
  )
}
await agent.close()
await Promise.all([plain.app.close(), compressing.app.close()])

async function serve(prepare: (app: FastifyInstance) => Promise<void>) {
  const app = Fastify()
  await prepare(app)
  const answers = new Map([1, 20, 200].map((units) => [String(units), unitsJson(units)]))
  app.get<{ Params: { units: string } }>('/:units', (incoming, reply) =>
    reply.type('application/json; charset=utf-8').send(answers.get(incoming.params.units)),
  )
  return { app, url: await app.listen({ port: 0, host: '127.0.0.1' }) }
}

async function call(url: string, units: number, encoding: string): Promise<ArrayBuffer> {
  const headers = { 'accept-encoding': encoding }
  const { body } = await request(`${url}/${units}`, { dispatcher: agent, headers })
  return body.arrayBuffer()
}

/** Members that differ as they do in life: ids and times are most of what does not compress. */
function unitsJson(count: number): string {
  const at = () => new Date(Date.now() - randomBytes(4).readUInt32BE()).toISOString()
  const unit = (nth: number) => ({
    ...{
      id: randomUUID(),
      org_id: orgId,
      account_id: orgId,
      space_id: randomUUID(),
      name: `Apartment ${nth}`,
    },
    ...{ type: 'apartment', bedrooms: nth % 4, bathrooms: 1, max_guests: 2 + (nth % 5), quantity: 1 },
    ...{
      base_price_cents: 9_000 + nth * 137,
      currency: 'EUR',
      status: 'active',
      created_at: at(),
      updated_at: at(),
    },
  })
  return JSON.stringify({ units: Array.from({ length: count }, (_, nth) => unit(nth)) })
}
