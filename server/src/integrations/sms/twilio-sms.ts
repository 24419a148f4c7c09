import type { RequestClient, Twilio } from 'twilio'
import { DeliveryError } from '#errors.ts'
import type { Sms, TextMessage } from './sms.ts'

export interface TwilioOptions {
  readonly url: string
  readonly account: string
  readonly token: string
  readonly from: string
}

const timeoutMs = 10_000

/** Sends by Twilio's SDK to the configured address. The SDK is large, so it is loaded with the first message. */
export function twilioSms(options: TwilioOptions): Sms {
  let opened: Promise<Twilio> | undefined
  return {
    isConfigured: true,
    async send({ to, body, sentSince }) {
      const client = await (opened ??= openClient(options))
      try {
        const sent = sentSince && (await findSent(client, options.from, { to, body, sentSince }))
        const { sid } = sent || (await client.messages.create({ to, body, from: options.from }))
        return { providerId: sid }
      } catch (error) {
        throw toDeliveryError(error)
      }
    },
  }
}

/** For an installation without an SMS account. */
export const noSms: Sms = {
  isConfigured: false,
  send: () => Promise.reject(new DeliveryError('not_configured', 'No SMS account is configured.', false)),
}

async function openClient({ url, account, token }: TwilioOptions): Promise<Twilio> {
  const { Twilio: Client } = await import('twilio').then((loaded) => loaded.default)
  const httpClient = { request: (request: SdkRequest) => call(url, request) }
  return new Client(account, token, {
    // The SDK requires its whole class but calls only this method.
    httpClient: httpClient as unknown as RequestClient,
    autoRetry: false,
    env: {},
  })
}

/** Twilio has no idempotency keys, so an earlier message is found by its sender, recipient, text and time. */
const findSent = async (client: Twilio, from: string, { to, body, sentSince }: TextMessage) =>
  (await client.messages.list({ to, from, dateSentAfter: sentSince!, limit: 100 })).find(
    (message) => message.body === body && message.status !== 'failed' && message.status !== 'undelivered',
  )

interface SdkRequest {
  method: string
  uri: string
  username?: string
  password?: string
  headers?: Record<string, string>
  params?: Record<string, string | Date>
  data?: Record<string, string>
}

/** Sends a request of the SDK, which is addressed to api.twilio.com, to the configured address. */
async function call(baseUrl: string, { method, uri, username, password, headers, params, data }: SdkRequest) {
  const { pathname, search } = new URL(uri)
  const url = new URL(`${baseUrl}${pathname}${search}`)
  for (const [name, value] of Object.entries(params ?? {}))
    url.searchParams.set(name, value instanceof Date ? value.toISOString() : String(value))
  const response = await fetch(url, {
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
  return {
    statusCode: response.status,
    body: await response.text(),
    headers: Object.fromEntries(response.headers),
  }
}

/** Responses contain the phone number, so only their codes are kept. */
function toDeliveryError(error: unknown): DeliveryError {
  const { status, code, name } = error as { status?: number; code?: number | string; name?: string }
  const fail = (errorCode: string, message: string, retryable: boolean) =>
    new DeliveryError(errorCode, message, retryable)
  if (name === 'TimeoutError') return fail('timeout', 'The SMS provider did not respond in time.', true)
  if (typeof status !== 'number') return fail('network', 'The SMS provider could not be reached.', true)
  const suffix = ` (${status}, ${String(code ?? 'no code').slice(0, 20)}).`
  if (status === 401 || status === 403)
    return fail('auth_rejected', `The SMS provider did not accept our credentials${suffix}`, true)
  if (status === 429 || status >= 500)
    return fail('deferred', `The SMS provider asked to try again later${suffix}`, true)
  return code === 21211 || code === 21614 || code === 21610
    ? fail('recipient_refused', `The SMS provider refused the number${suffix}`, false)
    : fail('refused', `The SMS provider refused the message${suffix}`, false)
}
