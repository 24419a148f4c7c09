import type { Transporter } from 'nodemailer'
import type { SentMessageInfo } from 'nodemailer/lib/smtp-pool/index.js'
import { Undelivered } from '#errors.ts'
import type { Mail } from './mail.ts'

export interface SmtpOptions {
  readonly url: string
  readonly from: string
  /** The longest that one letter may take, its wait for a connection included. */
  readonly longestMs?: number
}

/** Of silence. */
const timeoutMs = 10_000
/** A server that says one byte now and then is never silent. */
const usualLongestMs = 60_000

/** SMTP, over connections that are kept. `smtps:` is TLS from the first byte; `smtp:` takes STARTTLS. */
export function smtpMail({ url, from, longestMs = usualLongestMs }: SmtpOptions): Mail {
  let opened: Promise<Transporter<SentMessageInfo>> | undefined
  const transport = () => (opened ??= openTransport(url))
  return {
    isConfigured: true,
    async send({ to, subject, text, html, messageId }) {
      try {
        const { response } = await (
          await transport()
        ).sendMail({
          from,
          // As objects, addresses are not parsed again: what looks like two is one that does not exist.
          to: { name: '', address: to },
          subject,
          text,
          html,
          messageId: `<${messageId}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.timeout(longestMs),
        })
        return { providerId: response.slice(0, 200) || messageId }
      } catch (error) {
        throw undelivered(error)
      }
    },
    reachable: async () =>
      (await transport()).verify().then(
        () => true,
        () => false,
      ),
    close: () => void opened?.then((transport) => transport.close()),
  }
}

/** An API process sends no mail, and starts without the library. */
async function openTransport(url: string): Promise<Transporter<SentMessageInfo>> {
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const host = hostname.replace(/^\[|\]$/g, '')
  return createTransport({
    pool: true,
    maxConnections: 5,
    host,
    port: Number(port) || (secure ? 465 : 587),
    secure,
    // A password never goes over an open wire, but to this machine itself.
    requireTLS: !secure && username !== '' && !isThisMachine(host),
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** For an installation that names no server. */
export const noMail: Mail = {
  isConfigured: false,
  send: () => Promise.reject(new Undelivered('not_configured', 'No mail server is configured.', false)),
  reachable: () => Promise.resolve(true),
  close: () => {},
}

const isThisMachine = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')

/** The answers of a server hold addresses, so only their number is kept. */
function undelivered(error: unknown): Undelivered {
  const { code = '', responseCode = 0 } = error as { code?: string; responseCode?: number }
  const saying = responseCode ? ` (${responseCode})` : ''
  const fail = (word: string, message: string, retryable: boolean) =>
    new Undelivered(word, `${message}${saying}.`, retryable)
  if (code === 'EAUTH' || code === 'ENOAUTH' || responseCode === 530 || responseCode === 535)
    return fail('auth_rejected', 'The mail server did not accept our credentials', true)
  if (responseCode >= 500)
    return code === 'EENVELOPE'
      ? fail('recipient_refused', 'The mail server refused the recipient', false)
      : fail('refused', 'The mail server refused the mail', false)
  if (responseCode >= 400) return fail('deferred', 'The mail server asked to try again later', true)
  if (code === 'ETIMEDOUT' || code === 'EABORT')
    return fail('timeout', 'The mail server did not answer in time', true)
  if (code === 'ETLS') return fail('no_tls', 'The mail server offers no safe connection', true)
  return fail('network', 'The mail server could not be reached', true)
}
