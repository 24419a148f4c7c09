import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { parseMessage, type Inbox } from './messages.ts'

const maxMailBytes = 10 * 1024 * 1024

/** Called before a mail is accepted; an error it throws is the answer. */
export type BeforeAccept = (to: readonly string[]) => Promise<void>

/** Accepts every mail and delivers none. To try refusals, `refused@…` answers 550 and `later@…` 450. */
export async function startSmtp(inbox: Inbox, { port = 0, host = '127.0.0.1', beforeAccept }: Options) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    size: maxMailBytes,
    logger: false,
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anonymous' }),
    onRcptTo({ address }, _session, done) {
      const [name = ''] = address.split('@')
      if (name === 'refused') return done(smtpError(550, `No such mailbox: ${address}`))
      if (name === 'later') return done(smtpError(450, 'The mailbox is busy, try again later'))
      done()
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
      stream.on('end', () => {
        if (stream.sizeExceeded) return done(smtpError(552, 'The message is larger than 10 MiB'))
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const { mailFrom } = session.envelope
        accept(Buffer.concat(chunks), { from: mailFrom ? mailFrom.address : '', to }).then(() => done(), done)
      })
    },
  })
  const accept = async (raw: Buffer, envelope: { from: string; to: string[] }) => {
    await beforeAccept?.(envelope.to)
    inbox.add(await parseMessage(raw, envelope))
  }
  // A client that disconnects in the middle is not an error of the server.
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
  beforeAccept?: BeforeAccept | undefined
}

const smtpError = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode })
