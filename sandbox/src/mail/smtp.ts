import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { readLetter, type Tray } from './letters.ts'

const mostBytes = 10 * 1024 * 1024

/** Called before a mail is taken; what it throws is the answer. */
export type Taking = (to: readonly string[]) => Promise<void>

/**
 * Takes every mail and delivers none. Two kinds of address say no, to try that: `refused@…` for good, and
 * `later@…` for now.
 */
export async function startSmtp(tray: Tray, { port = 0, host = '127.0.0.1', taking }: Options) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    size: mostBytes,
    logger: false,
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'somebody' }),
    onRcptTo({ address }, _session, done) {
      const [name = ''] = address.split('@')
      if (name === 'refused') return done(answer(550, `No such mailbox: ${address}`))
      if (name === 'later') return done(answer(450, 'The mailbox is busy, try again later'))
      done()
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
      stream.on('end', () => {
        if (stream.sizeExceeded) return done(answer(552, 'The message is larger than 10 MiB'))
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const { mailFrom } = session.envelope
        take(Buffer.concat(chunks), { from: mailFrom ? mailFrom.address : '', to }).then(() => done(), done)
      })
    },
  })
  const take = async (raw: Buffer, envelope: { from: string; to: string[] }) => {
    await taking?.(envelope.to)
    tray.put(await readLetter(raw, envelope))
  }
  // A client that goes away in the middle is no fault of ours.
  server.on('error', () => {})
  server.listen(port, host)
  await once(server.server, 'listening')
  return {
    url: `smtp://${host}:${(server.server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const connection of server.connections) connection.close()
      }),
  }
}

interface Options {
  port?: number
  host?: string
  taking?: Taking | undefined
}

const answer = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })
