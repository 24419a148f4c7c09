// How much time does counting a request take, in the process and on Redis?
import { Agent } from 'undici'
import { openApp } from '../server/src/app.ts'
import type { Config } from '../server/src/config/config.ts'
import type { Counters, Limit } from '../server/src/integrations/counters/counters.ts'
import { openResources } from '../server/src/resources.ts'
import { addTiered } from '../server/test/limited-world.ts'
import { startRedis } from '../server/test/own-redis.ts'
import { openWorld } from '../server/test/world.ts'
import { compareVariants } from './side-by-side.ts'
import { openBenchPostgres } from './bench-postgres.ts'

/** Enough that none of them reaches its budget of 1,000 requests. */
const organizations = 120

await using parts = new AsyncDisposableStack()
await openBenchPostgres(parts, { isDurable: false })
const redis = parts.use(await startRedis())
const world = parts.use(await openWorld())
const agent = parts.adopt(new Agent(), (one) => one.destroy())

const tokens: string[] = []
for (let n = 0; n < organizations; n++)
  tokens.push((await (await addTiered(world, 'enterprise')).as('owner')).token!)
const { config } = world
const limited = { ...config, http: { ...config.http, limitsRates: true } }
const inProcess = await serve(limited)
const onRedis = await serve({ ...limited, redis: { ...config.redis, url: redis.url, timeoutMs: 1_000 } })

console.log('\nThe cheapest request (GET /api/v1/auth/session):\n')
const variants = {
  'not counted': requester(world.url),
  'counted in the process': requester(inProcess.url),
  'counted on Redis': requester(onRedis.url),
}
for (const send of Object.values(variants)) for (const _ of tokens) await send()
await compareVariants(variants, { rounds: 8, turnMs: 350, concurrency: 16 })

console.log('\nThe counters alone, with two limits:\n')
await compareVariants(
  { 'in the process': taker(inProcess.counters), 'on Redis': taker(onRedis.counters) },
  { rounds: 8, turnMs: 350, concurrency: 16 },
)

async function serve(settings: Config): Promise<{ url: string; counters: Counters }> {
  const resources = await openResources(settings, 'api')
  parts.defer(() => resources.close())
  const app = await openApp(resources)
  parts.defer(() => app.close())
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), counters: resources.counters }
}

function requester(url: string): () => Promise<void> {
  let n = 0
  return async () => {
    const headers = { authorization: `Bearer ${tokens[n++ % organizations]}` }
    const { statusCode, body } = await agent.request({
      origin: url,
      path: '/api/v1/auth/session',
      method: 'GET',
      headers,
    })
    await body.dump()
    if (statusCode !== 200) throw new Error(`The response is ${statusCode}.`)
  }
}

function taker(counters: Counters): () => Promise<void> {
  let n = 0
  const limit = (name: string): Limit => ({ key: name, max: 1e9, burst: null, cost: 1, windowMs: 60_000 })
  return async () => {
    const key = `{${n++ % organizations}}`
    await counters.take([limit(`${key}:budget`), limit(`${key}:GET /api/v1/units`)])
  }
}
