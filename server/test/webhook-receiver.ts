import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { sql } from '#db/sql.ts'
import { expectStatus } from './expect.ts'
import type { TestCaller } from './caller.ts'
import { until } from './linked-units.ts'
import type { TestOrganization, World } from './world.ts'

/** A received webhook with the status of the response. */
export interface ReceivedWebhook {
  path: string
  headers: IncomingHttpHeaders
  body: string
  status: number
  json: { id: string; type: string; timestamp: string; data: Record<string, Record<string, unknown>> }
}

interface ReceiverResponse {
  status: number
  headers?: Record<string, string>
  body?: string
  /** Never responds. */
  hangs?: boolean
  /** Responds only then. */
  after?: Promise<unknown>
}

const defaultResponse: ReceiverResponse = { status: 200 }

/** Starts a receiver with a response for each path, which records all webhooks. */
export async function openReceiver() {
  const received: ReceivedWebhook[] = []
  const answers = new Map<string, (nth: number) => ReceiverResponse>()
  let open = 0
  let maxOpen = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    maxOpen = Math.max(maxOpen, ++open)
    response.once('close', () => open--)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url!
      const nth = received.filter((one) => one.path === path).length
      const {
        status,
        headers = {},
        body = 'thanks',
        hangs,
        after,
      } = answers.get(path)?.(nth) ?? defaultResponse
      const text = Buffer.concat(chunks).toString()
      received.push({
        path,
        headers: request.headers,
        body: text,
        status,
        json: JSON.parse(text) as ReceivedWebhook['json'],
      })
      const respond = () => void response.writeHead(status, headers).end(body)
      if (after) void after.then(respond)
      else if (!hangs) respond()
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    received,
    maxOpen: () => maxOpen,
    answer: (path: string, how: ReceiverResponse | ((nth: number) => ReceiverResponse)) =>
      void answers.set(path, typeof how === 'function' ? how : () => how),
    /** Closes the connections that are open, such as those of requests that hang. */
    closeConnections: () => server.closeAllConnections(),
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

/** Adds an endpoint with a completed delivery, so that nothing is sent. */
export async function addDelivery(
  { resources: { database } }: World,
  { id: orgId, accountId, as }: TestOrganization,
) {
  const endpoint = await addEndpoint(await as('owner'), 'https://partner.example/webhooks', {
    event_types: ['target.error'],
  })
  const [rows] = await database.pipelined({ orgId }, [
    sql`with event as (insert into events (org_id, account_id, type, data)
        values (${orgId}, ${accountId}, 'target.error', '{}') returning id, occurred_at)
      insert into webhook_deliveries (org_id, webhook_endpoint_id, event_id, event_occurred_at, event_type, status, attempts, delivered_at)
      select ${orgId}, ${endpoint.id}, id, occurred_at, 'target.error', 'delivered', 1, now() from event returning id, event_id`,
  ])
  const [{ id, event_id }] = rows as [{ id: string; event_id: string }]
  return { webhook_endpoint_id: endpoint.id, webhook_delivery_id: id, event_id }
}

/** Verifies the signature with the library of Standard Webhooks. @throws */
export const verifySignature = ({ headers, body }: ReceivedWebhook, secret: string) =>
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

/** Waits until the only delivery of an endpoint meets the condition. */
export const deliveryOf = async (
  caller: TestCaller,
  endpoint: { id: string },
  condition: (delivery: TestDelivery) => boolean,
) =>
  (
    await until(
      () => deliveriesOf(caller, endpoint),
      ([one]) => one !== undefined && condition(one),
    )
  )[0]!

/** Makes all pending deliveries of an endpoint due. */
export const makeDeliveriesDue = async (
  { resources: { database } }: World,
  orgId: string,
  endpointId: string,
) => {
  await database.pipelined({ orgId }, [
    sql`select 1 from webhook_endpoints where id = ${endpointId} for no key update`,
    sql`update webhook_deliveries set next_attempt_at = now() - interval '1 second'
      where webhook_endpoint_id = ${endpointId} and status = 'pending'`,
  ])
}
