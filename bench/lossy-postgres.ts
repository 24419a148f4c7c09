import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A proxy of PostgreSQL that loses replies to COMMIT. */
export interface LossyPostgres extends AsyncDisposable {
  url: string
  /** The number of lost replies, by the text that identifies their transactions. */
  lost: ReadonlyMap<string, number>
}

/**
 * Forwards all bytes. When PostgreSQL has committed a transaction whose statements match `pattern`, closes both connections
 * instead of forwarding the reply, `times` times for the same match.
 */
export async function startLossyPostgres(
  databaseUrl: string,
  pattern: RegExp,
  times: (match: string) => number,
): Promise<LossyPostgres> {
  const target = new URL(databaseUrl)
  const lost = new Map<string, number>()
  const open = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    const closeBoth = () => [client, upstream].forEach((socket) => socket.destroy())
    let match: string | null = null
    let sent = ''
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true).on('error', closeBoth)
      socket.on('close', () => {
        open.delete(socket)
        closeBoth()
      })
    }
    client.on('data', (chunk) => {
      sent = (sent + chunk.toString('latin1')).slice(-4_096 - chunk.length)
      match = pattern.exec(sent)?.[0] ?? match
      upstream.write(chunk)
    })
    let rest = Buffer.alloc(0)
    upstream.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      for (let frame = frameAt(rest); frame; frame = frameAt(rest)) {
        rest = rest.subarray(frame.length)
        if (frame.toString('latin1', 5) === 'COMMIT\0') {
          const before = match === null ? 0 : (lost.get(match) ?? 0)
          if (match !== null && before < times(match)) {
            lost.set(match, before + 1)
            return closeBoth()
          }
          match = null
          sent = ''
        }
        client.write(frame)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    lost,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/** The first complete message of the server: a type byte, the length, the content. */
function frameAt(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 5) return undefined
  const length = 1 + bytes.readUInt32BE(1)
  return bytes.length < length ? undefined : bytes.subarray(0, length)
}
