import type { Page, Request } from '@playwright/test'

/**
 * Takes the place of the stream of changes of a page that is opened afterwards. Each message is the whole of a connection;
 * the page then opens the next one.
 */
export const replaceStream = async (page: Page) => {
  let messages = Promise.withResolvers<string>()
  await page.route('**/api/v1/events/stream*', async (route) => {
    const body = await messages.promise
    messages = Promise.withResolvers<string>()
    await route.fulfill({ contentType: 'text/event-stream', body })
  })
  return {
    send: (event: string, data: object) =>
      messages.resolve(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    /** Before the test ends: a connection waits for a message. */
    end: () => page.unrouteAll({ behavior: 'ignoreErrors' }),
  }
}

/** Resolves when a request has been answered, or was ended by the page. */
export const untilOver = (page: Page, isMeant: (request: Request) => boolean) =>
  Promise.race([page.waitForEvent('requestfinished', isMeant), page.waitForEvent('requestfailed', isMeant)])

/** Resolves when what the page has received until now is on the screen. */
export const untilPainted = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
