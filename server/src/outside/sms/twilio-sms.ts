import type { RequestClient, Twilio } from 'twilio'
import { Undelivered } from '#errors.ts'
import type { Sms, Text } from './sms.ts'

export interface TwilioOptions {
  readonly url: string
  readonly account: string
  readonly token: string
  readonly from: string
}

const timeoutMs = 10_000

/** Twilio by its own SDK, towards a host that is configured. Loaded with the first message: it is large. */
export function twilioSms(options: TwilioOptions): Sms {
  let opened: Promise<Twilio> | undefined
  return {
    isConfigured: true,
    async send({ to, body, triedSince }) {
      const client = await (opened ??= open(options))
      try {
        const sent = triedSince && (await earlier(client, options.from, { to, body, triedSince }))
        const { sid } = sent || (await client.messages.create({ to, body, from: options.from }))
        return { providerId: sid }
      } catch (error) {
        throw undelivered(error)
      }
    },
  }
}

/** For an installation that names no account. */
export const noSms: Sms = {
  isConfigured: false,
  send: () => Promise.reject(new Undelivered('not_configured', 'No SMS account is configured.', false)),
}

async function open({ url, account, token }: TwilioOptions): Promise<Twilio> {
  const { Twilio: Client } = await import('twilio').then((loaded) => loaded.default)
  const { origin } = new URL(url)
  const httpClient = { request: (asked: Asked) => call(origin, asked) }
  return new Client(account, token, {
    // The SDK asks for its whole class, of which it calls one method.
    httpClient: httpClient as unknown as RequestClient,
    autoRetry: false,
    env: {},
  })
}

/** Twilio keeps no key of ours, so a lost answer is found by what was said, to whom, and since when. */
const earlier = async (client: Twilio, from: string, { to, body, triedSince }: Text) =>
  (await client.messages.list({ to, from, dateSentAfter: triedSince!, limit: 100 })).find(
    (message) => message.body === body && message.status !== 'failed' && message.status !== 'undelivered',
  )

interface Asked {
  method: string
  uri: string
  username?: string
  password?: string
  headers?: Record<string, string>
  params?: Record<string, string | Date>
  data?: Record<string, string>
}

/** The SDK names api.twilio.com; the message goes to the configured host. */
async function call(origin: string, { method, uri, username, password, headers, params, data }: Asked) {
  const asked = new URL(uri)
  const url = new URL(asked.pathname + asked.search, origin)
  for (const [name, value] of Object.entries(params ?? {}))
    url.searchParams.set(name, value instanceof Date ? value.toISOString() : String(value))
  const answer = await fetch(url, {
    method,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      ...headers,
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      ...(data && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(data && { body: new URLSearchParams(data) }),
  })
  return { statusCode: answer.status, body: await answer.text(), headers: Object.fromEntries(answer.headers) }
}

/** The answers repeat the number, so only their codes are kept. */
function undelivered(error: unknown): Undelivered {
  const { status, code, name } = error as { status?: number; code?: number | string; name?: string }
  const fail = (word: string, message: string, retryable: boolean) =>
    new Undelivered(word, message, retryable)
  if (name === 'TimeoutError') return fail('timeout', 'The SMS provider did not answer in time.', true)
  if (typeof status !== 'number') return fail('network', 'The SMS provider could not be reached.', true)
  const saying = ` (${status}, ${String(code ?? 'no code').slice(0, 20)}).`
  if (status === 401 || status === 403)
    return fail('auth_rejected', `The SMS provider did not accept our credentials${saying}`, true)
  if (status === 429 || status >= 500)
    return fail('deferred', `The SMS provider asked to try again later${saying}`, true)
  return code === 21211 || code === 21614 || code === 21610
    ? fail('recipient_refused', `The SMS provider refused the number${saying}`, false)
    : fail('refused', `The SMS provider refused the message${saying}`, false)
}
