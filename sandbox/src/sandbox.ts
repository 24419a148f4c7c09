import type { Imitated } from './identity/imitations.ts'
import type { People } from './identity/people.ts'
import { startIdentity } from './identity/server.ts'
import { startMail } from './mail/server.ts'
import { startPayments } from './payments/server.ts'
import { startPms } from './pms/server.ts'

export type SandboxOptions = {
  people: People
  home?: string | undefined
  identityPort?: number
  pmsPort?: number
  paymentsPort?: number
  mailPort?: number
  smtpPort?: number
  /** The URL that payment events are posted to, and the secret that signs them. */
  paymentsWebhook?: { url: string; secret: string } | undefined
  consoleOrigin?: string
  audience?: string
  clientId?: string
  scopes?: string
  imitates?: Imitated | undefined
}

/** The identity provider, the PMS, the payment provider and the mail server in one process. */
export async function startSandbox(options: SandboxOptions) {
  const { home, identityPort = 0, pmsPort = 0, paymentsPort = 0, mailPort = 0, smtpPort = 0 } = options
  const identity = await startIdentity({ ...options, home, port: identityPort })
  const pms = await startPms({ home, port: pmsPort })
  const payments = await startPayments({ home, port: paymentsPort, webhook: options.paymentsWebhook })
  const mail = await startMail({ port: mailPort, smtpPort })
  return {
    issuer: identity.issuer,
    pms_url: pms.url,
    payments_url: payments.url,
    mail_url: mail.url,
    smtp_url: mail.smtpUrl,
    close: () => Promise.all([identity.close(), pms.close(), payments.close(), mail.close()]),
  }
}
