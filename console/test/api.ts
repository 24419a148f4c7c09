import type { Product } from './product.ts'

/** A call of the API that must succeed; resolves with the body. */
export type Api = <Reply>(method: string, path: string, body?: object) => Promise<Reply>

/** The token in what the browser keeps of a person who has signed in. */
export const tokenIn = (session: string): string =>
  Object.values(JSON.parse(session) as Record<string, string>)
    .map((text) => (JSON.parse(text) as { access_token?: string }).access_token)
    .find((token) => token !== undefined) ?? ''

export const callApi = async <Reply>(
  { apiUrl, internalToken }: Pick<Product, 'apiUrl' | 'internalToken'>,
  authorization: string,
  method: string,
  path: string,
  body?: object,
): Promise<Reply> => {
  const reply = await fetch(`${apiUrl}/api/v1${path}`, {
    method,
    headers: {
      authorization,
      'x-internal-token': internalToken,
      'content-type': 'application/json',
      ...(method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`)
  return (reply.status === 204 ? undefined : await reply.json()) as Reply
}
