// How much time does compressing a response take, and how many bytes does it save?
import { Agent } from 'undici'
import { addUnit } from '../server/test/records.ts'
import { openWorld } from '../server/test/world.ts'
import { compareVariants } from './side-by-side.ts'
import { openBenchPostgres } from './bench-postgres.ts'

await using parts = new AsyncDisposableStack()
await openBenchPostgres(parts, { isDurable: false })
const world = parts.use(await openWorld())
const agent = parts.adopt(new Agent(), (one) => one.destroy())

const owner = await world.home.as('owner')
for (let nth = 0; nth < 100; nth++) await addUnit(owner, { name: `Apartment ${nth}` })

for (const limit of [1, 20, 100]) {
  const [identity, br, gzip] = ['identity', 'br', 'gzip'].map((encoding) => requester(encoding, limit))
  const bytes = [await identity!(), await br!(), await gzip!()]
  console.log(`\n${limit} units: ${bytes[0]} bytes, br ${bytes[1]}, gzip ${bytes[2]}\n`)
  const variants = { 'not compressed': identity!, br: br!, gzip: gzip! }
  await compareVariants(variants, { rounds: 8, turnMs: 350, concurrency: 16 })
}

/** Returns a function that reads a list and counts the received bytes. */
function requester(encoding: string, limit: number): () => Promise<number> {
  const headers = { authorization: `Bearer ${owner.token}`, 'accept-encoding': encoding }
  const path = `/api/v1/units?limit=${limit}`
  return async () => {
    const { statusCode, body } = await agent.request({ origin: world.url, path, method: 'GET', headers })
    if (statusCode !== 200) throw new Error(`The response is ${statusCode}.`)
    return (await body.bytes()).length
  }
}
