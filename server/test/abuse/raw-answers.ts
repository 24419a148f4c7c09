import { connect, type Socket } from 'node:net'
import type { Reply } from '../caller.ts'

/** Raw bytes on a connection, for requests that HTTP clients do not send. */
export interface Wire extends AsyncDisposable {
  readonly socket: Socket
  write(bytes: string | Buffer): void
  /** Resolves with all that was answered, once the server has closed. */
  readonly ended: Promise<Reply[]>
}

export async function openWire(url: string): Promise<Wire> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  // A reset is an end like any other here.
  socket.on('error', () => undefined)
  const ended = new Promise<Reply[]>((resolve) =>
    socket.once('close', () => resolve(answersIn(Buffer.concat(chunks)))),
  )
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return {
    socket,
    ended,
    write: (bytes) => void (socket.writable && socket.write(bytes)),
    [Symbol.asyncDispose]: async () => {
      socket.destroy()
      await ended
    },
  }
}

/** Sends bytes as they are, and reads every answer until the server closes. */
export async function sendBytes(url: string, bytes: string | Buffer): Promise<Reply[]> {
  await using wire = await openWire(url)
  wire.write(bytes)
  return await wire.ended
}

/** Splits the received bytes into responses by their content lengths. */
function answersIn(bytes: Buffer): Reply[] {
  const found: Reply[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    // Cut off by the end of the connection.
    if (end < 0) return found
    const [line = '', ...fields] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]
    if (!status) return [...found, { status: NaN, headers: new Headers(), body: null, text: line }]
    const headers = new Headers(
      fields.map((field): [string, string] => {
        const colon = field.indexOf(':')
        return [field.slice(0, colon), field.slice(colon + 1).trim()]
      }),
    )
    rest = rest.subarray(end + 4)
    const length = headers.get('content-length')
    const isChunked = headers.get('transfer-encoding') === 'chunked'
    const body = isChunked
      ? chunked(rest)
      : { bytes: rest.subarray(0, Number(length ?? 0)), read: Number(length ?? 0) }
    rest = rest.subarray(body.read)
    const text = body.bytes.toString()
    const isWhole = length === null || body.bytes.length === Number(length)
    const isJson = headers.get('content-type')?.includes('json') && text
    found.push({ status: Number(status), headers, text, body: isJson && isWhole ? JSON.parse(text) : null })
  }
  return found
}

function chunked(bytes: Buffer): { bytes: Buffer; read: number } {
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return { bytes: Buffer.concat(parts), read: bytes.length }
    const size = Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16)
    at = end + 2 + size + 2
    if (size === 0) return { bytes: Buffer.concat(parts), read: at }
    parts.push(bytes.subarray(end + 2, end + 2 + size))
  }
}
