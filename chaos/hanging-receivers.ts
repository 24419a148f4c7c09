// Do the webhooks of one organization arrive in time while the receivers of another never respond?
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from '../server/src/db/sql.ts'
import { callerFor, type TestCaller } from '../server/test/caller.ts'
import { openCluster, type Cluster } from './cluster.ts'
import { runScenario } from './scenario.ts'

const hangingEndpoints = 24
const maxP99Ms = 1_000

await runScenario(import.meta, { loops: 100, short: 20 }, async (context) => {
  await using cluster = await openCluster({ env: { MAX_WEBHOOK_ENDPOINTS: String(hangingEndpoints) } })
  await using receiver = await openReceiver()
  const [client] = cluster.clients
  const hanging = await openOtherOrganization(cluster)
  await addEndpoint(client!, `${receiver.url}/healthy`)
  const measure = async () => {
    const waits: number[] = []
    for (let n = 0; n < context.loops; n++) waits.push(await receiver.waitFor(await addSpace(client!)))
    return waits.sort((one, other) => one - other)
  }
  const before = await measure()
  for (let n = 0; n < hangingEndpoints; n++) await addEndpoint(hanging, `${receiver.url}/hang/${n}`)
  for (let n = 0; n < 40; n++) await addSpace(hanging)
  await receiver.waitUntilHanging()
  const during = await measure()
  const [p99Before, p99During] = [percentile(before), percentile(during)]
  context.verdict(`p99 within ${maxP99Ms} ms`, p99During <= maxP99Ms, `${p99During} ms`)
  context.metric('p99 before, ms', p99Before)
  context.metric('p99 while the receivers hang, ms', p99During)
  context.metric('maximum of hanging calls', receiver.maxHanging())
})

function percentile(sorted: readonly number[]): number {
  return Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1]!)
}

/** Opens a client of another organization on the same processes. */
async function openOtherOrganization(cluster: Cluster): Promise<TestCaller> {
  const [organization] = await cluster.query(
    sql<{ id: string }>`insert into organizations (name, tier) values ('Hanging', 'enterprise') returning id`,
  )
  const org_id = organization!.id
  const [account] = await cluster.query(
    sql<{ id: string }>`insert into accounts (org_id, name) values (${org_id}, 'Hanging') returning id`,
  )
  const claims = { sub: 'neighbour', email: 'neighbour@chaos.example', org_id, account_id: account!.id }
  return callerFor(cluster.clients[0]!.url, await cluster.token(claims), {
    'x-internal-token': cluster.internalToken,
  })
}

async function post(
  client: TestCaller,
  collection: string,
  body: object,
): Promise<Record<string, { id: string }>> {
  const response = await client.attempt({ method: 'POST', path: `/api/v1/${collection}`, body })
  if (response.kind !== 'answered' || response.status !== 201)
    throw new Error(`${collection}: ${JSON.stringify(response)}`)
  return response.body as Record<string, { id: string }>
}

function addEndpoint(client: TestCaller, url: string) {
  return post(client, 'webhook-endpoints', { url, event_types: ['space.created'] })
}

async function addSpace(client: TestCaller): Promise<string> {
  return (await post(client, 'spaces', { name: 'Space' }))['space']!.id
}

/** A receiver that responds to /healthy only. */
async function openReceiver() {
  const waiting = new Map<string, () => void>()
  const received = new Set<string>()
  let hanging = 0
  let maxHanging = 0
  const server = createServer((request, response) => {
    if (request.url !== '/healthy') {
      maxHanging = Math.max(maxHanging, ++hanging)
      response.once('close', () => hanging--)
      return
    }
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      response.end('ok')
      const { data } = JSON.parse(text) as { data: { space: { id: string } } }
      const resolve = waiting.get(data.space.id)
      if (resolve) resolve()
      else received.add(data.space.id)
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Waits for the webhook of a space; returns the milliseconds. */
    async waitFor(spaceId: string): Promise<number> {
      const startedAt = performance.now()
      if (!received.has(spaceId)) await new Promise<void>((resolve) => waiting.set(spaceId, resolve))
      return performance.now() - startedAt
    },
    /** Resolves when a call hangs. */
    async waitUntilHanging() {
      while (hanging === 0) await new Promise((resolve) => setTimeout(resolve, 50))
    },
    maxHanging: () => maxHanging,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
