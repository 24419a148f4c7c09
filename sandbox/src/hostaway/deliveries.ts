import { addDays, dateAt } from './dates.ts'
import type { Records } from './store.ts'
import type { Attempt, Delivery, Webhook } from './webhook.ts'

const timeoutMs = 20_000
/** A fast first retry, then growing pauses, all within an hour. */
const retryDelaysMs = [10_000, 5 * 60_000, 45 * 60_000]
/** A webhook that fails on this many consecutive days is disabled. */
const patienceDays = 5
const keptDeliveries = 5000
const maxTimerMs = 60 * 60_000

export type Deliveries = ReturnType<typeof openDeliveries>

/** Delivers events to webhooks. A test can hold them back, repeat them, or change their order. */
export function openDeliveries(records: Records, now: () => number) {
  const closing = new AbortController()
  const underWay = new Map<number, Promise<void>>()
  let mode = { hold: false, copies: 1 }
  let timer: NodeJS.Timeout | undefined
  schedule()

  return {
    notify(payload: Delivery['payload']) {
      const webhooks = records
        .list('webhook')
        .filter(({ accountId, isEnabled }) => accountId === payload.accountId && isEnabled === 1)
      for (const { id: webhookId } of webhooks) {
        for (let copy = 0; copy < mode.copies; copy += 1) add(webhookId, payload)
      }
      void sendDue()
    },

    mode: () => mode,
    setMode(changed: Partial<typeof mode>) {
      mode = { ...mode, ...changed }
    },

    /** Sends what was held back one by one. */
    async release(order: 'given' | 'reversed') {
      const held = records.list('delivery').filter(({ state }) => state === 'held')
      for (const delivery of order === 'reversed' ? held.reverse() : held) await send(delivery)
    },

    sendDue,

    list: () => records.list('delivery'),
    clear: () => records.save(...records.list('delivery').map(({ id }) => ['delivery', id, null] as const)),

    async close() {
      clearTimeout(timer)
      closing.abort()
      await Promise.all(underWay.values())
    },
  }

  function add(webhookId: number, payload: Delivery['payload']) {
    const all = records.list('delivery')
    const old = all.length < keptDeliveries ? undefined : all.find(({ state }) => isOver(state))
    if (old) records.save(['delivery', old.id, null])
    const state = mode.hold ? ('held' as const) : ('waiting' as const)
    const delivery = { id: records.nextId(), webhookId, payload, state, dueAtMs: now(), attempts: [] }
    records.save(['delivery', delivery.id, { ...delivery, alerted: null }])
  }

  /** Sends all that is due at once, and resolves when it is sent. */
  async function sendDue() {
    const due = records
      .list('delivery')
      .filter(({ state, dueAtMs }) => state === 'waiting' && dueAtMs <= now())
    await Promise.all(due.map(send))
  }

  function send(delivery: Delivery): Promise<void> {
    const sending =
      underWay.get(delivery.id) ??
      attempt(delivery).finally(() => {
        underWay.delete(delivery.id)
        schedule()
      })
    underWay.set(delivery.id, sending)
    return sending
  }

  async function attempt(delivery: Delivery) {
    const webhook = records.find('webhook', delivery.webhookId)
    if (webhook?.isEnabled !== 1) return settle(delivery, { state: 'failed' })
    const outcome = { atMs: now(), ...(await post(webhook, delivery.payload, closing.signal)) }
    if (closing.signal.aborted) return
    const attempts = [...delivery.attempts, outcome]
    const present = records.find('webhook', webhook.id)
    if (isSuccess(outcome)) {
      if (present) records.save(['webhook', present.id, { ...present, failingDays: [] }])
      return settle(delivery, { state: 'delivered', attempts })
    }
    const delayMs = retryDelaysMs[attempts.length - 1]
    if (isPassing(outcome) && delayMs !== undefined) {
      return settle(delivery, { state: 'waiting', attempts, dueAtMs: now() + delayMs })
    }
    if (present) records.save(['webhook', present.id, afterFailure(present, dateAt(now()))])
    const alerted = webhook.alertingEmailAddress ?? 'the owner of the account'
    return settle(delivery, { state: 'failed', attempts, alerted })
  }

  function settle(delivery: Delivery, changed: Partial<Delivery>) {
    if (records.find('delivery', delivery.id)) {
      records.save(['delivery', delivery.id, { ...delivery, ...changed }])
    }
  }

  function schedule() {
    clearTimeout(timer)
    if (closing.signal.aborted) return
    let next = Infinity
    for (const { state, dueAtMs } of records.list('delivery')) {
      if (state === 'waiting') next = Math.min(next, dueAtMs)
    }
    if (next === Infinity) return
    timer = setTimeout(() => void sendDue(), Math.min(Math.max(0, next - now()), maxTimerMs)).unref()
  }
}

async function post(webhook: Webhook, payload: object, closing: AbortSignal): Promise<Omit<Attempt, 'atMs'>> {
  const { url, login, password } = webhook
  const secret = Buffer.from(`${login ?? ''}:${password ?? ''}`).toString('base64')
  try {
    const res = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        ...(login === null ? {} : { authorization: `Basic ${secret}` }),
      },
      body: JSON.stringify(payload),
      signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]),
    })
    return { status: res.status, body: (await res.text()).slice(0, 1000) }
  } catch (error) {
    return { status: null, body: String(error) }
  }
}

const isOver = (state: Delivery['state']) => state === 'delivered' || state === 'failed'
const isSuccess = ({ status }: Attempt) => status !== null && status >= 200 && status < 300

/** Errors that are retried: the network, a 5xx, and 429. */
const isPassing = ({ status }: Attempt) => status === null || status >= 500 || status === 429

function afterFailure(webhook: Webhook, day: string): Webhook {
  const last = webhook.failingDays.at(-1)
  if (last === day) return webhook
  const failingDays = last === addDays(day, -1) ? [...webhook.failingDays, day] : [day]
  return { ...webhook, failingDays, isEnabled: failingDays.length >= patienceDays ? 0 : webhook.isEnabled }
}
