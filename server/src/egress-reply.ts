import type { Dispatcher } from 'undici'

/** What came back from an address that an operator gave. */
export interface Reply {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
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
  const chunks: Buffer[] = []
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
        bytes += chunk.length
        if (bytes > longestBytes) fail(new AnswerTooLong(longestBytes, status))
        else chunks.push(chunk)
      },
      onResponseEnd() {
        signal?.removeEventListener('abort', giveUp)
        const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
        resolve({ status, headers, text: whole.toString('utf8') })
      },
      onResponseError(_, error) {
        signal?.removeEventListener('abort', giveUp)
        reject(error)
      },
    },
  }
}

const asError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)))
