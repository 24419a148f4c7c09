import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to PostgreSQL on which answers to COMMIT get lost. */
export interface LossyPostgres extends AsyncDisposable {
  url: string
  /** Answers that never arrived, by the words that marked their transactions. */
  lost: ReadonlyMap<string, number>
}

/**
 * Passes everything on, except: when PostgreSQL has committed a transaction that `marks` recognizes in what was sent
 * for it, both sides lose the connection, so often as `times` says of these words, and only PostgreSQL knows how it ended.
 */
export async function startLossyPostgres(
  databaseUrl: string,
  marks: RegExp,
  times: (words: string) => number,
): Promise<LossyPostgres> {
  const target = new URL(databaseUrl)
  const lost = new Map<string, number>()
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname)
    const cut = () => [near, far].forEach((socket) => socket.destroy())
    let words: string | null = null
    let sent = ''
    for (const socket of [near, far]) {
      open.add(socket)
      socket.setNoDelay(true).on('error', cut)
      socket.on('close', () => {
        open.delete(socket)
        cut()
      })
    }
    near.on('data', (chunk) => {
      sent = (sent + chunk.toString('latin1')).slice(-4_096 - chunk.length)
      words = marks.exec(sent)?.[0] ?? words
      far.write(chunk)
    })
    let rest = Buffer.alloc(0)
    far.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      for (let frame = frameAt(rest); frame; frame = frameAt(rest)) {
        rest = rest.subarray(frame.length)
        if (frame.toString('latin1', 5) === 'COMMIT\0') {
          const before = words === null ? 0 : (lost.get(words) ?? 0)
          if (words !== null && before < times(words)) {
            lost.set(words, before + 1)
            return cut()
          }
          words = null
          sent = ''
        }
        near.write(frame)
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

/** The first whole message of the server: a letter, its length, the rest. */
function frameAt(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 5) return undefined
  const length = 1 + bytes.readUInt32BE(1)
  return bytes.length < length ? undefined : bytes.subarray(0, length)
}
