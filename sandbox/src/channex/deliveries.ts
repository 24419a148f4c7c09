import { dateOf } from '../data/dates.ts'
import { isCopyCount } from '../http/control-routes.ts'
import { isObject } from './checks.ts'
import type { Clock } from './clock.ts'
import { badRequest } from './errors.ts'
import type { Change } from './inventory.ts'
import type { Account } from './store.ts'
import { listensTo, type Webhook } from './webhook.ts'

/** A webhook to deliver: its request, the attempts so far, and when the next one is due. */
type Notice = { url: string; headers: Record<string, string>; text: string; attempt: number; dueMs: number }

type Attempt = { url: string; attempt: number; status: number | null; notice: unknown }

/** Minutes until a delivery that got a 5xx or no answer is retried. After the last it is given up. */
const waitMinutes = [1, 2, 4, 8, 15, 30, 60, 120, 240, 360, 600]
const timeoutMs = 10_000
const keptAttempts = 10_000

export type Deliveries = ReturnType<typeof openDeliveries>

/** Posts webhooks one after the other. A test can ask for copies, hold them back, and release them in another order. */
export function openDeliveries(clock: Clock, stopping: AbortSignal) {
  let mode = { copies: 1, hold: false }
  const held: Notice[] = []
  let failed: Notice[] = []
  const attempts: Attempt[] = []
  let lastPost = Promise.resolve()

  return {
    send(webhook: Webhook, notice: object) {
      const url = new URL(webhook.callback_url)
      for (const [name, value] of Object.entries(webhook.request_params)) url.searchParams.set(name, value)
      const text = JSON.stringify(notice)
      for (let n = 0; n < mode.copies; n += 1) {
        const copy = { url: url.href, headers: webhook.headers, text, attempt: 1, dueMs: 0 }
        if (mode.hold) held.push(copy)
        else queue(copy)
      }
    },

    /** Retries what is due, and resolves when all is sent. */
    sendDue() {
      const due = failed.filter((notice) => notice.dueMs <= clock.nowMs())
      failed = failed.filter((notice) => !due.includes(notice))
      due.forEach(queue)
      return lastPost
    },

    set(body: unknown) {
      const { copies = mode.copies, hold = mode.hold } = isObject(body) ? body : {}
      if (!isCopyCount(copies)) throw badRequest('copies is a whole number from 1 to 100')
      if (![true, false, 0, 1].some((one) => one === hold)) throw badRequest('hold is true or false')
      mode = { copies, hold: Boolean(hold) }
    },

    /** Sends what was held back one by one, and resolves when all is sent. */
    release(body: unknown) {
      const order = isObject(body) ? body['order'] : undefined
      if (order !== 'given' && order !== 'reversed') throw badRequest('order is given or reversed')
      const released = held.splice(0)
      if (order === 'reversed') released.reverse()
      released.forEach(queue)
      return lastPost
    },

    read: () => ({ ...mode, held: held.length, waiting: failed.length, attempts }),

    /** Posts one webhook now, and returns the answer of the receiver. */
    async try(webhook: Pick<Webhook, 'callback_url' | 'headers'>, notice: object) {
      const response = await post(webhook.callback_url, webhook.headers, JSON.stringify(notice))
      return { status_code: response?.status ?? 0, body: (await response?.text().catch(() => '')) ?? '' }
    },
  }

  function queue(notice: Notice) {
    lastPost = lastPost.then(() => deliver(notice))
  }

  async function deliver(notice: Notice) {
    const response = await post(notice.url, notice.headers, notice.text)
    await response?.body?.cancel().catch(() => undefined)
    const { url, attempt, text } = notice
    attempts.push({ url, attempt, status: response?.status ?? null, notice: JSON.parse(text) as unknown })
    if (attempts.length > keptAttempts) attempts.shift()
    const wait = waitMinutes[attempt - 1]
    if (wait === undefined || (response !== undefined && response.status < 500)) return
    failed.push({ ...notice, attempt: attempt + 1, dueMs: clock.nowMs() + wait * 60_000 })
  }

  async function post(url: string, headers: Record<string, string>, body: string) {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])
    const init = { method: 'POST', body, signal, redirect: 'manual' as const }
    try {
      return await fetch(url, { ...init, headers: { 'content-type': 'application/json', ...headers } })
    } catch {
      return undefined
    }
  }
}

const maxNights = 1_000

/** Applies changes of one property, and sends the changed nights to the webhooks of `ari`. */
export type ApplyAndNotify = ReturnType<typeof openNightNotices>

export const openNightNotices =
  (account: Account, deliveries: Deliveries, clock: Clock) =>
  (propertyId: string, changes: readonly Change[]): void => {
    for (const change of changes) account.apply(change)
    const webhooks = [...account.webhooks.values()].filter((webhook) => listensTo(webhook, 'ari', propertyId))
    if (webhooks.length === 0 || changes.length === 0) return
    const payload = changes.flatMap(nightsOf).slice(0, maxNights)
    const timestamp = new Date(clock.nowMs()).toISOString()
    for (const webhook of webhooks)
      deliveries.send(webhook, {
        event: 'ari',
        ...(webhook.send_data ? { payload } : {}),
        property_id: propertyId,
        user_id: null,
        timestamp,
      })

    function nightsOf({ of, from, to }: Change) {
      const name = account.room_types.has(of) ? 'room_type_id' : 'rate_plan_id'
      return Array.from({ length: to - from + 1 }, (_, at) => ({ [name]: of, date: dateOf(from + at) }))
    }
  }
