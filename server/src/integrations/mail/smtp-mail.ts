import type { Transporter } from 'nodemailer'
import type { SentMessageInfo } from 'nodemailer/lib/smtp-pool/index.js'
import { DeliveryError } from '#errors.ts'
import type { Mail } from './mail.ts'

export interface SmtpOptions {
  readonly url: string
  readonly from: string
  /** The limit for one message, with the wait for a connection. */
  readonly maxSendMs?: number
}

/** How long the server may send nothing. */
const inactivityTimeoutMs = 10_000
/** A server that sends a byte now and then never reaches the inactivity timeout. */
const defaultMaxSendMs = 60_000

/** Sends by SMTP over pooled connections. `smtps:` uses TLS from the start, `smtp:` uses STARTTLS when offered. */
export function smtpMail({ url, from, maxSendMs = defaultMaxSendMs }: SmtpOptions): Mail {
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
          // As an object, the address is not parsed: text with two addresses cannot reach a second recipient.
          to: { name: '', address: to },
          subject,
          text,
          html,
          messageId: `<${messageId}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.timeout(maxSendMs),
        })
        return { providerId: response.slice(0, 200) || messageId }
      } catch (error) {
        throw toDeliveryError(error)
      }
    },
    async verify() {
      try {
        await (await transport()).verify()
      } catch (error) {
        throw toDeliveryError(error)
      }
    },
    close: () => void opened?.then((transport) => transport.close()),
  }
}

/** Loads the library with the first message: API processes send none. */
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
    // A password is never sent unencrypted, except to this machine.
    requireTLS: !secure && username !== '' && !isThisMachine(host),
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: inactivityTimeoutMs,
    greetingTimeout: inactivityTimeoutMs,
    socketTimeout: inactivityTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** For an installation without a mail server. */
export const noMail: Mail = {
  isConfigured: false,
  send: () => Promise.reject(notConfigured()),
  verify: () => Promise.reject(notConfigured()),
  close: () => {},
}

const notConfigured = () => new DeliveryError('not_configured', 'No mail server is configured.', false)

const isThisMachine = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')

/** Responses of mail servers contain addresses, so only their status code is kept. */
function toDeliveryError(error: unknown): DeliveryError {
  const { code = '', responseCode = 0 } = error as { code?: string; responseCode?: number }
  const suffix = responseCode ? ` (${responseCode})` : ''
  const fail = (errorCode: string, message: string, retryable: boolean) =>
    new DeliveryError(errorCode, `${message}${suffix}.`, retryable)
  if (code === 'EAUTH' || code === 'ENOAUTH' || responseCode === 530 || responseCode === 535)
    return fail('auth_rejected', 'The mail server did not accept our credentials', true)
  if (responseCode >= 500)
    return code === 'EENVELOPE'
      ? fail('recipient_refused', 'The mail server refused the recipient', false)
      : fail('refused', 'The mail server refused the message', false)
  if (responseCode >= 400) return fail('deferred', 'The mail server asked to try again later', true)
  if (code === 'ETIMEDOUT' || code === 'EABORT')
    return fail('timeout', 'The mail server did not respond in time', true)
  if (code === 'ETLS') return fail('no_tls', 'The mail server offers no TLS connection', true)
  return fail('network', 'The mail server could not be reached', true)
}
