import { suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { expect, noBrowser } from './test/browser.ts'
import { useConsole } from './test/use-console.ts'

suite('the keyboard alone', { skip: noBrowser }, () => {
  const app = useConsole()

  /** The lowest point of what has the focus, or null when it is not in the content of the page. */
  const focusBottom = (page: Page) =>
    page.evaluate<number | null>(
      `document.activeElement.closest('#content') && document.activeElement.getBoundingClientRect().bottom`,
    )

  test('nothing that gets the focus on a phone is under the navigation', async () => {
    const { page } = await app.openAs('owner', '/settings/notifications', { width: 390 })
    await page.getByRole('checkbox').first().waitFor()
    const navigation = page.getByRole('navigation', { name: 'Screens' })
    const top = (await navigation.boundingBox())?.y ?? 0
    const last = page.getByRole('checkbox').last()
    const isLast = () => last.evaluate((box) => box === box.ownerDocument.activeElement)
    for (let stops = 0; stops < 100 && !(await isLast()); stops++) {
      await page.keyboard.press('Tab')
      expect((await focusBottom(page)) ?? 0).toBeLessThan(top)
    }
    await expect(last).toBeFocused()
  })
})
