import type { Page } from '@playwright/test'

/** A call of the API as the person who is signed in on the page: what a colleague would do meanwhile. */
export const callApi = async <Reply>(
  page: Page,
  method: string,
  path: string,
  body?: object,
): Promise<Reply> => {
  const token = await page.evaluate<string>(
    `Object.values(sessionStorage).map((text) => JSON.parse(text).access_token).find(Boolean)`,
  )
  const reply = await fetch(`${new URL(page.url()).origin}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`)
  return (await reply.json()) as Reply
}
