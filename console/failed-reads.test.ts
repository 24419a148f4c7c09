import { suite, test } from 'node:test'

import type { Locator, Page } from '@playwright/test'
import { expect, noBrowser } from './test/browser.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('parts that cannot be read', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  /** Opens a screen while requests to these addresses fail; returns it and how to end that. */
  const openFailing = async (path: string, addresses: RegExp) => {
    const { page } = await app.openAs('owner', '/settings')
    await page.route(addresses, (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto(app.url + path)
    return { page, answerAgain: () => page.unroute(addresses) }
  }
  const retryIn = (part: Page | Locator) => part.getByRole('button', { name: 'Try again' })

  test('each section of a unit is read again when the person says so', async () => {
    const { id } = await addUnit(api, 'Unread Studio')
    const { page, answerAgain } = await openFailing(
      `/units/${id}`,
      /\/api\/v1\/(rate-plans|charges|calendar-feeds|channel-listings|bookings|media)\?/,
    )
    const names = [
      'Rate plans',
      'Fees, taxes and discounts',
      'Calendar feeds',
      'Listings',
      'Bookings',
      'Photos',
    ]
    const sections = names.map((name) => page.getByRole('region', { name }))
    for (const section of sections) await retryIn(section).waitFor()
    await answerAgain()
    for (const section of sections) {
      await retryIn(section).click()
      await expect(section.getByRole('alert')).toHaveCount(0)
    }
  })

  test('the sums of the payments are read again when the person says so', async () => {
    const { page, answerAgain } = await openFailing('/payments', /\/api\/v1\/payment-totals/)
    await retryIn(page.getByRole('alert')).waitFor()
    await answerAgain()
    await retryIn(page.getByRole('alert')).click()
    await expect(retryIn(page)).toHaveCount(0)
  })
})
