import type { Dispatcher } from 'undici'

/** What came back from an address that an operator gave. */
export interface Reply {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  /** In memory of its own, which may be given to a thread. */
  readonly body: Uint8Array<ArrayBuffer>
  /** The body as UTF-8. */
  readonly text: string
}

/** The answer has more bytes than are read. */
export class AnswerTooLong extends Error {
  readonly status: number
  constructor(longestBytes: number, status: number) {
    super(`The answer has more than ${longestBytes} bytes.`)
    this.name = 'AnswerTooLong'
    this.status = status
  }
}

/** Collects one answer, without the stream between that an answer of a few hundred bytes does not need. */
export function receive(
  longestBytes: number,
  signal: AbortSignal | undefined,
): { handler: Dispatcher.DispatchHandler; reply: Promise<Reply> } {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  // One piece of memory: a body that comes byte by byte would cost a hundred times its length as a list of chunks.
  let body = new Uint8Array(0)
  let bytes = 0
  let status = 0
  let headers: Reply['headers'] = {}
  let controller: Dispatcher.DispatchController | undefined
  let failure: Error | undefined

  const fail = (error: Error) => {
    failure = error
    signal?.removeEventListener('abort', giveUp)
    controller?.abort(error)
    reject(error)
  }
  const giveUp = () => fail(asError(signal!.reason))
  signal?.addEventListener('abort', giveUp, { once: true })

  return {
    reply: promise,
    handler: {
      onRequestStart(begun) {
        controller = begun
        if (failure) begun.abort(failure)
      },
      onResponseStart(_, code, answered) {
        // The last one counts: before it there may be others that only ask for patience.
        status = code
        headers = answered
        if (Number(answered['content-length']) > longestBytes) fail(new AnswerTooLong(longestBytes, status))
      },
      onResponseData(_, chunk) {
        const length = bytes + chunk.length
        if (length > longestBytes) return fail(new AnswerTooLong(longestBytes, status))
        if (length > body.length)
          body = enlarged(body, Math.min(Math.max(length, body.length * 2), longestBytes))
        body.set(chunk, bytes)
        bytes = length
      },
      onResponseEnd() {
        signal?.removeEventListener('abort', giveUp)
        const whole = body.subarray(0, bytes)
        resolve({
          status,
          headers,
          body: whole,
          get text() {
            return Buffer.from(whole.buffer, 0, whole.length).toString('utf8')
          },
        })
      },
      onResponseError(_, error) {
        signal?.removeEventListener('abort', giveUp)
        reject(error)
      },
    },
  }
}

function enlarged(body: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length)
  larger.set(body)
  return larger
}

const asError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)))
