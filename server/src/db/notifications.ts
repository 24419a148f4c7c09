import type { Statement } from './sql.ts'

/** Builds the statement that notifies the listeners of a channel of all the payloads. */
export type Notify<Payload> = (payloads: readonly Payload[]) => Statement

/**
 * Sends notifications of what has been committed, those of a few milliseconds together, in transactions of their own.
 * PostgreSQL commits transactions with a notification one after the other, each with its flush to the disk: if the writes
 * carried their notifications, all writes of an installation would wait for each other. A process that is killed before it
 * has sent them loses them, as a listener that reconnects does: no listener may depend on each.
 */
export interface Notifier {
  /** Equal payloads are sent once. */
  notify<Payload>(notify: Notify<Payload>, payload: Payload): void
  /** Sends what waits. */
  close(): Promise<void>
}

const pauseMs = 10
const pauseAfterFailureMs = 1_000

/** @param send sends the statements in one transaction */
export function openNotifier(
  send: (statements: readonly Statement[]) => Promise<unknown>,
  onError: (error: Error) => void,
): Notifier {
  const waiting = new Map<Notify<unknown>, Set<unknown>>()
  /** Until the pause after it is over. */
  let sending: Promise<void> | undefined
  let pause: NodeJS.Timeout | undefined
  let isClosed = false

  const sendWaiting = async (): Promise<void> => {
    const batch = [...waiting]
    waiting.clear()
    let isSent = true
    try {
      await send(batch.map(([notify, payloads]) => notify([...payloads])))
    } catch (error) {
      isSent = false
      for (const [notify, payloads] of batch) payloads.forEach((payload) => add(notify, payload))
      onError(error as Error)
    }
    if (isClosed) return
    pause = setTimeout(continueSending, isSent ? pauseMs : pauseAfterFailureMs).unref()
  }
  const continueSending = () => void (sending = waiting.size > 0 ? sendWaiting() : undefined)
  const add = (notify: Notify<unknown>, payload: unknown) => {
    const payloads = waiting.get(notify)
    if (payloads) payloads.add(payload)
    else waiting.set(notify, new Set([payload]))
  }

  return {
    notify(notify, payload) {
      add(notify as Notify<unknown>, payload)
      // Those of one transaction are sent together.
      if (!isClosed) sending ??= Promise.resolve().then(sendWaiting)
    },
    async close() {
      isClosed = true
      clearTimeout(pause)
      await sending
      if (waiting.size > 0) await sendWaiting()
    },
  }
}
