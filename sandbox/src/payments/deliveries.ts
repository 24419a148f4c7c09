import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isCopyCount } from '../http/control-routes.ts'
import { ApiError } from './errors.ts'
import { newId } from './intent.ts'
import type { Event, Ledger } from './store.ts'

/** The URL may be several, separated by commas: each gets every event. */
export type Endpoint = { url: string; secret: string }

type Delivery = { event: Event; url: string }

type Attempt = { event: string; url: string; type: string; attempt: number; status: number | null }

/** Stripe retries for three days. Here the same number of attempts takes a minute. */
const waitsMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000]
const timeoutMs = 10_000
const concurrency = 8
const keptAttempts = 20_000

export type Deliveries = ReturnType<typeof openDeliveries>

/** Posts signed events. A test can ask for copies, hold them back, and release them in another order. */
export function openDeliveries(first: Endpoint | undefined, stopping: AbortSignal) {
  let endpoint = first
  let mode = { copies: 1, hold: false }
  const held: Delivery[] = []
  const waiting: Delivery[] = []
  const attempts: Attempt[] = []
  let running = 0
  let retrying = 0
  let idleListeners: (() => void)[] = []

  return {
    send(event: Event) {
      if (!endpoint) return
      for (const url of endpoint.url.split(','))
        for (let n = 0; n < mode.copies; n += 1) (mode.hold ? held : waiting).push({ event, url })
      work()
    },

    set(body: unknown) {
      const given = (body ?? {}) as Record<string, unknown>
      const { url, secret, copies = mode.copies, hold = mode.hold } = given
      if (!isCopyCount(copies))
        throw new ApiError('copies is a whole number from 1 to 100', { param: 'copies' })
      if (url === null) endpoint = undefined
      else if (typeof url === 'string')
        endpoint = { url, secret: typeof secret === 'string' ? secret : (endpoint?.secret ?? '') }
      else if (typeof secret === 'string' && endpoint) endpoint = { ...endpoint, secret }
      mode = { copies, hold: Boolean(hold) }
    },

    /** Sends what was held back, and resolves when nothing is being sent. */
    async release(order: unknown) {
      const released = held.splice(0)
      if (order === 'reversed') released.reverse()
      else if (order === 'shuffled') shuffle(released)
      else if (order !== 'given')
        throw new ApiError('order is given, reversed or shuffled', { param: 'order' })
      waiting.push(...released)
      work()
      if (running > 0) await new Promise<void>((done) => idleListeners.push(done))
    },

    read: () => ({
      ...mode,
      url: endpoint?.url ?? null,
      held: held.length,
      waiting: waiting.length + running,
      retrying,
      attempts,
    }),
  }

  function work() {
    while (running < concurrency && waiting.length > 0) {
      running += 1
      void deliver(waiting.shift()!, 1).finally(() => {
        running -= 1
        work()
        if (running > 0) return
        idleListeners.forEach((done) => done())
        idleListeners = []
      })
    }
  }

  async function deliver({ event, url }: Delivery, attempt: number): Promise<void> {
    const status = await post(event, url)
    attempts.push({ event: event.id, url, type: event.type, attempt, status })
    if (attempts.length > keptAttempts) attempts.shift()
    const wait = waitsMs[attempt - 1]
    if ((status !== null && status < 300) || wait === undefined || stopping.aborted) return
    retrying += 1
    sleep(wait, undefined, { signal: stopping, ref: false })
      .then(() => deliver({ event, url }, attempt + 1))
      .catch(() => undefined)
      .finally(() => (retrying -= 1))
  }

  async function post(event: Event, url: string): Promise<number | null> {
    if (!endpoint) return null
    const body = JSON.stringify(event)
    const headers = {
      'content-type': 'application/json',
      'stripe-signature': signature(body, endpoint.secret),
    }
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])
    try {
      const answered = await fetch(url, {
        method: 'POST',
        body,
        headers,
        signal,
        redirect: 'manual',
      })
      await answered.body?.cancel().catch(() => undefined)
      return answered.status
    } catch {
      return null
    }
  }
}

export type Events = ReturnType<typeof openEvents>

/** Records and sends events. An event contains its object as it was at that moment. */
export function openEvents(ledger: Ledger, deliveries: Deliveries) {
  return {
    publish(type: string, object: object) {
      const event: Event = {
        id: newId('evt'),
        object: 'event',
        api_version: '2026-09-30.standin',
        created: Math.floor(Date.now() / 1_000),
        data: { object: structuredClone(object) },
        livemode: false,
        pending_webhooks: 1,
        request: null,
        type,
      }
      ledger.write({ event })
      deliveries.send(event)
    },
  }
}

export function signature(body: string, secret: string, seconds = Math.floor(Date.now() / 1_000)): string {
  const v1 = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${v1}`
}

function shuffle<T>(list: T[]) {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1))
    ;[list[at], list[other]] = [list[other]!, list[at]!]
  }
}
