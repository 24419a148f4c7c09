// While the webhook receivers of one organization never answer, do another organization's webhooks arrive as before?
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { openDoor, type Door } from './door.ts'
import { openHouse, type House } from './house.ts'
import { scenario } from './scenario.ts'

const hangingEndpoints = 24
const promisedMs = 1_000

await scenario(import.meta, { loops: 100, short: 20 }, async (scene) => {
  await using house = await openHouse({ env: { MAX_WEBHOOK_ENDPOINTS: String(hangingEndpoints) } })
  await using receiver = await openReceiver()
  const [quiet] = house.doors
  const noisy = await openNeighbour(house)
  await addEndpoint(quiet!, `${receiver.url}/quiet`)
  const measure = async () => {
    const waits: number[] = []
    for (let n = 0; n < scene.loops; n++) waits.push(await receiver.waitFor(await addSpace(quiet!)))
    return waits.sort((one, other) => one - other)
  }
  const before = await measure()
  for (let n = 0; n < hangingEndpoints; n++) await addEndpoint(noisy, `${receiver.url}/hang/${n}`)
  for (let n = 0; n < 40; n++) await addSpace(noisy)
  await receiver.hanging()
  const during = await measure()
  const [usual, slow] = [percentile(before), percentile(during)]
  scene.verdict(`99 of 100 arrive within ${promisedMs} ms`, slow <= promisedMs, `${slow} ms`)
  scene.figure('99 of 100 before, ms', usual)
  scene.figure('99 of 100 while they hang, ms', slow)
  scene.figure('calls that hang at once, at most', receiver.mostHanging())
})

function percentile(sorted: readonly number[]): number {
  return Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1]!)
}

/** Another organization on the same processes. */
async function openNeighbour(house: House): Promise<Door> {
  const [organization] = await house.query(
    sql<{ id: string }>`insert into organizations (name, tier) values ('Noisy', 'enterprise') returning id`,
  )
  const org_id = organization!.id
  const [account] = await house.query(
    sql<{ id: string }>`insert into accounts (org_id, name) values (${org_id}, 'Noisy') returning id`,
  )
  const claims = { sub: 'neighbour', email: 'neighbour@chaos.example', org_id, account_id: account!.id }
  const door = openDoor(house.doors[0]!.url, {
    authorization: `Bearer ${await house.token(claims)}`,
    'x-internal-token': house.internalToken,
  })
  house.parts.defer(() => door.close())
  return door
}

async function post(door: Door, collection: string, body: object): Promise<Record<string, { id: string }>> {
  const answer = await door.ask({ method: 'POST', path: `/api/v1/${collection}`, body })
  if (answer.kind !== 'answered' || answer.status !== 201)
    throw new Error(`${collection}: ${JSON.stringify(answer)}`)
  return answer.body as Record<string, { id: string }>
}

function addEndpoint(door: Door, url: string) {
  return post(door, 'webhook-endpoints', { url, event_types: ['space.created'] })
}

async function addSpace(door: Door): Promise<string> {
  return (await post(door, 'spaces', { name: 'Told' }))['space']!.id
}

/** Answers what comes to /quiet and nothing else. */
async function openReceiver() {
  const arrived = new Map<string, () => void>()
  const early = new Set<string>()
  let hanging = 0
  let mostHanging = 0
  const server = createServer((request, response) => {
    if (request.url !== '/quiet') {
      mostHanging = Math.max(mostHanging, ++hanging)
      response.once('close', () => hanging--)
      return
    }
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      response.end('thanks')
      const { data } = JSON.parse(text) as { data: { space: { id: string } } }
      const take = arrived.get(data.space.id)
      if (take) take()
      else early.add(data.space.id)
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How long the webhook of a space takes from here on, in milliseconds. */
    async waitFor(spaceId: string): Promise<number> {
      const begun = performance.now()
      if (!early.has(spaceId)) await new Promise<void>((take) => arrived.set(spaceId, take))
      return performance.now() - begun
    },
    /** When calls hang. */
    async hanging() {
      while (hanging === 0) await new Promise((resolve) => setTimeout(resolve, 50))
    },
    mostHanging: () => mostHanging,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
