/** One call as it arrived; `status` is null until, and unless, it is answered. */
export type Call = {
  n: number
  at: string
  method: string
  path: string
  property: string | null
  external_id: string | null
  /** Every unit that a call speaks of which may speak of many. */
  external_ids?: string[]
  status: number | null
  idempotency_key: string | null
  traceparent: string | null
  /** The mode of the fault that befell it. */
  fault: string | null
  /** Kept as text, which takes far less room than the value. */
  text: string
}

const keptCalls = 20_000
const keptBytes = 32 * 1024 * 1024

export type Calls = ReturnType<typeof openCalls>

/** The last calls received, so that a test can see what was sent and how often. */
export function openCalls() {
  const calls = new Map<number, Call>()
  let last = 0
  let first = 1
  let bytes = 0

  return {
    note(arrived: Omit<Call, 'n' | 'at' | 'status' | 'fault'>): Call {
      last += 1
      const call = { n: last, at: new Date().toISOString(), status: null, fault: null, ...arrived }
      calls.set(last, call)
      bytes += call.text.length
      while (calls.size > 1 && (calls.size > keptCalls || bytes > keptBytes)) drop()
      return call
    },

    after(n: number) {
      const found: object[] = []
      for (let next = Math.max(n + 1, first); next <= last; next += 1) {
        const { text, ...call } = calls.get(next) as Call
        found.push({ ...call, body: readable(text) })
      }
      return { calls: found, last }
    },

    /** Forgets the calls; numbers go on, so that a reader's `after` stays true. */
    clear() {
      calls.clear()
      first = last + 1
      bytes = 0
    },
  }

  function drop() {
    bytes -= calls.get(first)?.text.length ?? 0
    calls.delete(first)
    first += 1
  }
}

function readable(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
