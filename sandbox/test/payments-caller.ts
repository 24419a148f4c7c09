import { startPayments } from '../src/payments/server.ts'

// Tests check the shape of an answer, so it is not typed here.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Body = any
type Extra = Record<string, string>

/** A payment provider and its caller, with a test key by default. */
export async function openPayments(options: { home?: string } = {}) {
  const payments = await startPayments(options)

  async function ask(method: string, path: string, form?: string, headers: Extra = {}) {
    const res = await fetch(payments.url + path, {
      method,
      headers: {
        authorization: 'Bearer sk_test_1',
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      ...(form !== undefined && { body: form }),
    })
    return { status: res.status, headers: res.headers, body: (await res.json()) as Body }
  }
  const post = (path: string, form = '', headers: Extra = {}) => ask('POST', path, form, headers)

  return {
    ...payments,
    post,
    get: (path: string, headers: Extra = {}) => ask('GET', path, undefined, headers),
    make: async (form = 'amount=2000&currency=usd') => (await post('/v1/payment_intents', form)).body,
    confirm: (id: string, method: string) =>
      post(`/v1/payment_intents/${id}/confirm`, `payment_method=${method}`),
    /** Calls a control route. */
    async control(method: string, path: string, body?: object): Promise<Body> {
      const res = await fetch(`${payments.url}/_control/${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      return res.status === 204 ? null : await res.json()
    },
  }
}
