// What does counting a request cost, in the process and on Redis?
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp } from '../server/src/app.ts'
import type { Config } from '../server/src/config.ts'
import type { Counters, Limit } from '../server/src/outside/counters/counters.ts'
import { openResources } from '../server/src/resources.ts'
import { startPostgres } from '../server/src/start/postgres.ts'
import { addTiered } from '../server/test/limited.ts'
import { startRedis } from '../server/test/own-redis.ts'
import { openWorld } from '../server/test/world.ts'
import { sideBySide } from './side-by-side.ts'

/** So many that none of them reaches its budget of a thousand. */
const organizations = 120

await using parts = new AsyncDisposableStack()
const home = mkdtempSync(join(tmpdir(), 'vacancy-bench-'))
parts.defer(() => rmSync(home, { recursive: true, force: true }))
const credentials = { user: 'vacancy', password: 'bench', database: 'vacancy' }
const postgres = await startPostgres({ home, credentials, isDurable: false })
parts.defer(async () => {
  await postgres.stop()
  rmSync(postgres.dataDir, { recursive: true, force: true })
})
process.env['TEST_DATABASE_URL'] = postgres.url
const redis = parts.use(await startRedis())
const world = parts.use(await openWorld())
const agent = new Agent({ keepAlive: true })
parts.defer(() => agent.destroy())

const tokens: string[] = []
for (let n = 0; n < organizations; n++)
  tokens.push((await (await addTiered(world, 'enterprise')).as('owner')).token!)
const { config } = world
const limited = { ...config, http: { ...config.http, limitsRates: true } }
const own = await serve(limited)
const shared = await serve({ ...limited, redis: { url: redis.url, timeoutMs: 1_000 } })

console.log('\nA whole request that costs hardly anything itself (who is calling):\n')
const rivals = {
  'not counted': asking(world.url),
  'counted in the process': asking(own.url),
  'counted on Redis': asking(shared.url),
}
for (const ask of Object.values(rivals)) for (const _ of tokens) await ask()
await sideBySide(rivals, { rounds: 8, turnMs: 350, abreast: 16 })

console.log('\nThe decision alone, over two counters:\n')
await sideBySide(
  { 'in the process': deciding(own.counters), 'on Redis': deciding(shared.counters) },
  { rounds: 8, turnMs: 350, abreast: 16 },
)

async function serve(settings: Config): Promise<{ url: string; counters: Counters }> {
  const resources = await openResources(settings, 'api')
  parts.defer(() => resources.close())
  const app = await openApp(resources)
  parts.defer(() => app.close())
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), counters: resources.counters }
}

function asking(url: string): () => Promise<void> {
  let n = 0
  return () =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${tokens[n++ % organizations]}` }
      request(`${url}/api/v1/auth/session`, { agent, headers }, (answer) => {
        answer.resume()
        answer.once('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`It answers ${answer.statusCode}.`)),
        )
      })
        .once('error', reject)
        .end()
    })
}

function deciding(counters: Counters): () => Promise<void> {
  let n = 0
  const limit = (key: string): Limit => ({ key, most: 1e9, burst: null, cost: 1, windowMs: 60_000 })
  return async () => {
    const who = `{${n++ % organizations}}`
    await counters.take([limit(`${who}:budget`), limit(`${who}:GET /api/v1/units`)])
  }
}
