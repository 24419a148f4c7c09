/** Sends events to a program on this machine, as webhooks are sent to public addresses. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readJson, writeJson } from '#start/home-files.ts'
import { openApiClient, type ApiOptions } from './api-client.ts'
import { errorMessage, type CommandContext } from './command-context.ts'
import { CommandError } from './command-error.ts'
import { openProfiles } from './profiles.ts'
import { followFeed, type FeedEvent, type TailOptions } from './tail-events.ts'
import { untilInterrupted } from './until-interrupted.ts'

export interface ForwardOptions {
  forwardTo: string
}

/** As long as the service waits for an endpoint. */
const timeoutMs = 15_000

export async function forwardWebhooks(
  context: CommandContext,
  options: ApiOptions & ForwardOptions & TailOptions,
  asJson: boolean,
): Promise<void> {
  const api = await openApiClient(context, options)
  const secret = webhookSecret(context)
  let isReady = false
  await untilInterrupted(context, async (signal) => {
    for await (const { events } of followFeed(api, options, signal)) {
      if (!isReady)
        context.err.write(
          asJson
            ? `${JSON.stringify({ secret })}\n`
            : `Forwarding to ${options.forwardTo}. The secret of this machine is ${secret}\n`,
        )
      isReady = true
      for (const event of events) report(context, await deliver(event, options.forwardTo, secret), asJson)
    }
  })
}

export async function triggerWebhook(
  context: CommandContext,
  type: string,
  options: ApiOptions & ForwardOptions,
  asJson: boolean,
): Promise<void> {
  const api = await openApiClient(context, options)
  const query = new URLSearchParams({ types: type, limit: '100' }).toString()
  const { events } = await api.request<{ events: FeedEvent[] }>('GET', `/api/v1/events?${query}`)
  const sample = events.at(-1)
  if (!sample) throw new CommandError('notFound', `There has been no event of the type ${type} yet.`)
  const event = { ...sample, id: randomUUID(), occurred_at: new Date().toISOString() }
  const delivery = await deliver(event, options.forwardTo, webhookSecret(context))
  report(context, delivery, asJson)
  if (delivery.error) throw new CommandError('failed', delivery.error)
}

interface Delivery {
  id: string
  type: string
  status: number | null
  duration_ms: number
  error: string | null
}

async function deliver(event: FeedEvent, url: string, secret: string): Promise<Delivery> {
  const body = JSON.stringify({ timestamp: event.occurred_at, ...event })
  const seconds = String(Math.floor(Date.now() / 1_000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${event.id}.${seconds}.${body}`).digest('base64')
  const startedAt = performance.now()
  const finish = (status: number | null, error: string | null) => ({
    ...{ id: event.id, type: event.type, status, error },
    duration_ms: Math.round(performance.now() - startedAt),
  })
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Vacancy',
        'webhook-id': event.id,
        'webhook-timestamp': seconds,
        'webhook-signature': `v1,${signature}`,
      },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    return finish(response.status, response.ok ? null : `${url} responded with ${response.status}.`)
  } catch (error) {
    return finish(null, `${url} does not respond: ${errorMessage(error)}.`)
  }
}

function report({ out }: CommandContext, delivery: Delivery, asJson: boolean): void {
  const { type, id, status, duration_ms, error } = delivery
  const result = error ?? `${status} in ${duration_ms} ms`
  out.write(
    asJson
      ? `${JSON.stringify(delivery)}\n`
      : `${new Date().toISOString()}  ${type.padEnd(20)}  ${id}  ${result}\n`,
  )
}

/** Made once, so that a receiver keeps working after a restart. */
function webhookSecret({ env }: CommandContext): string {
  const path = join(dirname(openProfiles(env).path), 'webhook-secret.json')
  const known = readJson<{ secret: string }>(path)
  if (known) return known.secret
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeJson(path, { secret })
  return secret
}
