import type { Dispatcher } from 'undici'

/** The response of an address that an operator gave. */
export interface EgressResponse {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  /** In an ArrayBuffer of its own, so that it can be transferred to a worker thread. */
  readonly body: Uint8Array<ArrayBuffer>
  /** The body as UTF-8. */
  readonly text: string
}

/** The response has more bytes than the caller accepts. */
export class ResponseTooLarge extends Error {
  readonly status: number
  constructor(maxBytes: number, status: number) {
    super(`The response has more than ${maxBytes} bytes.`)
    this.name = 'ResponseTooLarge'
    this.status = status
  }
}

/** Collects one response. Without undici's body stream, which costs more than a response of a few hundred bytes. */
export function receiveResponse(
  maxBytes: number,
  signal: AbortSignal | undefined,
): { handler: Dispatcher.DispatchHandler; reply: Promise<EgressResponse> } {
  const { promise, resolve, reject } = Promise.withResolvers<EgressResponse>()
  // One growing buffer: as a list of chunks, a body that arrives byte by byte would take a hundred times its length.
  let body = new Uint8Array(0)
  let bytes = 0
  let status = 0
  let headers: EgressResponse['headers'] = {}
  let controller: Dispatcher.DispatchController | undefined
  let failure: Error | undefined

  const fail = (error: Error) => {
    failure = error
    signal?.removeEventListener('abort', abort)
    controller?.abort(error)
    reject(error)
  }
  const abort = () => fail(toError(signal!.reason))
  signal?.addEventListener('abort', abort, { once: true })

  return {
    reply: promise,
    handler: {
      onRequestStart(started) {
        controller = started
        if (failure) started.abort(failure)
      },
      onResponseStart(_, code, received) {
        // Called for 1xx responses too; the last call is the final response.
        status = code
        headers = received
        if (Number(received['content-length']) > maxBytes) fail(new ResponseTooLarge(maxBytes, status))
      },
      onResponseData(_, chunk) {
        const length = bytes + chunk.length
        if (length > maxBytes) return fail(new ResponseTooLarge(maxBytes, status))
        if (length > body.length) body = grow(body, Math.min(Math.max(length, body.length * 2), maxBytes))
        body.set(chunk, bytes)
        bytes = length
      },
      onResponseEnd() {
        signal?.removeEventListener('abort', abort)
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
        signal?.removeEventListener('abort', abort)
        reject(error)
      },
    },
  }
}

function grow(body: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length)
  larger.set(body)
  return larger
}

const toError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)))
