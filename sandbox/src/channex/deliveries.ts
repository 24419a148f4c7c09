import { isObject } from './checks.ts'
import type { Clock } from './clock.ts'
import { badRequest } from './rejection.ts'
import type { Webhook } from './webhook.ts'

/** A notice on its way: what is posted, how often that was tried, and when it is due again. */
type Notice = { url: string; headers: Record<string, string>; text: string; attempt: number; dueMs: number }

type Attempt = { url: string; attempt: number; status: number | null; notice: unknown }

/** Minutes until a notice that met a 5xx or nobody at all is tried again; after the last it is given up. */
const waitMinutes = [1, 2, 4, 8, 15, 30, 60, 120, 240, 360, 600]
const patienceMs = 10_000
const keptAttempts = 10_000

export type Deliveries = ReturnType<typeof openDeliveries>

/** Posts notices one after the other, unless told to send copies or to hold them and let them go in another order. */
export function openDeliveries(clock: Clock, stopping: AbortSignal) {
  let manner = { copies: 1, hold: false }
  const held: Notice[] = []
  let failed: Notice[] = []
  const attempts: Attempt[] = []
  let lastPost = Promise.resolve()

  return {
    send(webhook: Webhook, notice: object) {
      const url = new URL(webhook.callback_url)
      for (const [name, value] of Object.entries(webhook.request_params)) url.searchParams.set(name, value)
      const text = JSON.stringify(notice)
      for (let n = 0; n < manner.copies; n += 1) {
        const copy = { url: url.href, headers: webhook.headers, text, attempt: 1, dueMs: 0 }
        if (manner.hold) held.push(copy)
        else queue(copy)
      }
    },

    /** Sends again what is due, and waits for the end of it. */
    tick() {
      const due = failed.filter((notice) => notice.dueMs <= clock.nowMs())
      failed = failed.filter((notice) => !due.includes(notice))
      due.forEach(queue)
      return lastPost
    },

    set(body: unknown) {
      const { copies = manner.copies, hold = manner.hold } = isObject(body) ? body : {}
      if (!Number.isInteger(copies) || Number(copies) < 1)
        throw badRequest('copies is a whole number above 0')
      if (![true, false, 0, 1].some((one) => one === hold)) throw badRequest('hold is true or false')
      manner = { copies: Number(copies), hold: Boolean(hold) }
    },

    /** Sends what was held back, one after the other, and waits for the end of it. */
    release(body: unknown) {
      const order = isObject(body) ? body['order'] : undefined
      if (order !== 'given' && order !== 'reversed') throw badRequest('order is given or reversed')
      const going = held.splice(0)
      if (order === 'reversed') going.reverse()
      going.forEach(queue)
      return lastPost
    },

    read: () => ({ ...manner, held: held.length, waiting: failed.length, attempts }),

    /** One notice now, and what came back. */
    async try(webhook: Pick<Webhook, 'callback_url' | 'headers'>, notice: object) {
      const answered = await post(webhook.callback_url, webhook.headers, JSON.stringify(notice))
      return { status_code: answered?.status ?? 0, body: (await answered?.text().catch(() => '')) ?? '' }
    },
  }

  function queue(notice: Notice) {
    lastPost = lastPost.then(() => deliver(notice))
  }

  async function deliver(notice: Notice) {
    const answered = await post(notice.url, notice.headers, notice.text)
    await answered?.body?.cancel().catch(() => undefined)
    const { url, attempt, text } = notice
    attempts.push({ url, attempt, status: answered?.status ?? null, notice: JSON.parse(text) as unknown })
    if (attempts.length > keptAttempts) attempts.shift()
    const wait = waitMinutes[attempt - 1]
    if (wait === undefined || (answered !== undefined && answered.status < 500)) return
    failed.push({ ...notice, attempt: attempt + 1, dueMs: clock.nowMs() + wait * 60_000 })
  }

  async function post(url: string, headers: Record<string, string>, body: string) {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(patienceMs)])
    const init = { method: 'POST', body, signal, redirect: 'manual' as const }
    try {
      return await fetch(url, { ...init, headers: { 'content-type': 'application/json', ...headers } })
    } catch {
      return undefined
    }
  }
}
