import type { Page, Request } from '@playwright/test'

/** Why a change that was held is rejected. */
export const refusal = 'The change is not possible now.'

/** Holds what is sent to an address until it is let through or rejected. */
export const holdChange = async (page: Page, address: string | RegExp) => {
  const held = Promise.withResolvers<boolean>()
  const sent = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    const request = route.request()
    if (request.method() === 'GET' || isDryRun(request)) return await route.continue()
    sent.resolve()
    if (await held.promise) return await route.continue()
    await route.fulfill({ status: 409, json: { status: 409, title: 'Conflict', detail: refusal } })
  })
  return { sent: sent.promise, reject: () => held.resolve(false), letThrough: () => held.resolve(true) }
}

const isDryRun = (request: Request) => request.postData()?.includes('"dry_run":true') ?? false
