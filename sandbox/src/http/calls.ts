/** A call as it arrived. `status` is null until it is answered. */
export type Call = {
  n: number
  at: string
  method: string
  path: string
  property: string | null
  external_id: string | null
  /** Every unit that a call of the calendar names. */
  external_ids?: string[]
  status: number | null
  idempotency_key: string | null
  traceparent: string | null
  /** The mode of the fault that was applied. */
  fault: string | null
  /** The body as text, which takes far less memory than the parsed value. */
  text: string
}

const maxCalls = 20_000
const maxBytes = 32 * 1024 * 1024

export type Calls = ReturnType<typeof openCalls>

/** The last calls, so that a test can see what was sent and how often. */
export function openCalls() {
  const calls = new Map<number, Call>()
  let last = 0
  let first = 1
  let bytes = 0

  return {
    record(arrived: Omit<Call, 'n' | 'at' | 'status' | 'fault'>): Call {
      last += 1
      const call = { n: last, at: new Date().toISOString(), status: null, fault: null, ...arrived }
      calls.set(last, call)
      bytes += call.text.length
      while (calls.size > 1 && (calls.size > maxCalls || bytes > maxBytes)) drop()
      return call
    },

    after(n: number) {
      const listed: object[] = []
      for (let next = Math.max(n + 1, first); next <= last; next += 1) {
        const { text, ...call } = calls.get(next) as Call
        listed.push({ ...call, body: parseOrText(text) })
      }
      return { calls: listed, last }
    },

    /** Drops the calls. The numbers go on, so that the `after` of a reader stays valid. */
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

function parseOrText(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
