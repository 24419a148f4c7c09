import { startPayments } from '../src/payments.ts'

// The shape of an answer is what tests look at, so it is not typed here.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Body = any
type Extra = Record<string, string>

/** A stand-in for payments and somebody who calls it, with a test key unless told otherwise. */
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
    /** The door for what is not the provider's API. */
    async control(method: string, door: string, body?: object): Promise<Body> {
      const res = await fetch(`${payments.url}/_control/${door}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      return res.status === 204 ? null : await res.json()
    },
  }
}
