import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { sql } from 'kysely'
import { expectStatus } from './expect.ts'
import type { TestCaller } from './caller.ts'
import { until } from './stock.ts'
import type { TestOrganization, World } from './world.ts'

/** What a receiver got, with what it answered. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
  status: number
  json: { id: string; type: string; timestamp: string; data: Record<string, Record<string, unknown>> }
}

interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string
  /** Never ends. */
  hangs?: boolean
}

const thanks: Answer = { status: 200 }

/** A partner's server: answers each path as it is told to, and remembers what came. */
export async function openReceiver() {
  const received: Received[] = []
  const answers = new Map<string, (nth: number) => Answer>()
  let open = 0
  let mostOpen = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    mostOpen = Math.max(mostOpen, ++open)
    response.once('close', () => open--)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url!
      const nth = received.filter((one) => one.path === path).length
      const { status, headers = {}, body = 'thanks', hangs } = answers.get(path)?.(nth) ?? thanks
      const text = Buffer.concat(chunks).toString()
      received.push({
        path,
        headers: request.headers,
        body: text,
        status,
        json: JSON.parse(text) as Received['json'],
      })
      if (!hangs) response.writeHead(status, headers).end(body)
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    received,
    mostOpen: () => mostOpen,
    answer: (path: string, how: Answer | ((nth: number) => Answer)) =>
      void answers.set(path, typeof how === 'function' ? how : () => how),
    at: (path: string) => received.filter((one) => one.path === path),
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
export type Receiver = Awaited<ReturnType<typeof openReceiver>>

export const endpointsPath = '/api/v1/webhook-endpoints'

export interface TestEndpoint {
  id: string
  secret: string
  url: string
}

export const addEndpoint = async (caller: TestCaller, url: string, fields: object = {}) =>
  expectStatus(await caller.post(endpointsPath, { url, event_types: ['*'], ...fields }), 201)
    .webhook_endpoint as TestEndpoint & Record<string, unknown>

/** An endpoint with a delivery that is over, so that nothing is sent anywhere. */
export async function addDelivery(
  { resources: { database } }: World,
  { id: orgId, accountId, as }: TestOrganization,
) {
  const endpoint = await addEndpoint(await as('owner'), 'https://partner.example/webhooks', {
    event_types: ['target.error'],
  })
  const [rows] = await database.pipelined({ orgId }, [
    sql`with event as (insert into events (org_id, account_id, type, data)
        values (${orgId}, ${accountId}, 'target.error', '{}') returning id)
      insert into webhook_deliveries (org_id, webhook_endpoint_id, event_id, event_type, status, attempts, delivered_at)
      select ${orgId}, ${endpoint.id}, id, 'target.error', 'delivered', 1, now() from event returning id, event_id`,
  ])
  const [{ id, event_id }] = rows as [{ id: string; event_id: string }]
  return { webhook_endpoint_id: endpoint.id, webhook_delivery_id: id, event_id }
}

/** Throws unless the library of the standard accepts it. */
export const verified = ({ headers, body }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

export interface TestDelivery {
  id: string
  event_id: string
  event_type: string
  status: string
  attempts: number
  next_attempt_at: string | null
  response_status: number | null
  response_body: string | null
  error_message: string | null
  duration_ms: number | null
}

export const deliveriesOf = async (caller: TestCaller, { id }: { id: string }) =>
  expectStatus(await caller.get(`${endpointsPath}/${id}/deliveries?limit=100`), 200)
    .webhook_deliveries as TestDelivery[]

/** The only delivery of an endpoint, as soon as it is as wanted. */
export const deliveryOf = async (
  caller: TestCaller,
  endpoint: { id: string },
  holds: (delivery: TestDelivery) => boolean,
) =>
  (
    await until(
      () => deliveriesOf(caller, endpoint),
      ([one]) => one !== undefined && holds(one),
    )
  )[0]!

/** Time goes by for everything that waits for an endpoint. */
export const hurry = async ({ resources: { database } }: World, orgId: string, endpointId: string) => {
  await database.pipelined({ orgId }, [
    sql`select 1 from webhook_endpoints where id = ${endpointId} for no key update`,
    sql`update webhook_deliveries set next_attempt_at = now() - interval '1 second'
      where webhook_endpoint_id = ${endpointId} and status = 'pending'`,
  ])
}
