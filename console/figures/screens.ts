import { join } from 'node:path'

import { openBrowser, openPage, signIn } from '../test/browser.ts'
import { startProduct } from '../test/product.ts'

const folder = join(import.meta.dirname, '../../docs/screens')

/** What is on each screen once it has been read. */
const screens = [
  ['today', '/', '[data-part="conflicts"]'],
  ['calendar', '/calendar', '[data-row="unit"] [data-day]:not([data-state="loading"])'],
  ['inbox', '/inbox', 'text=/things need you/'],
  ['analytics', '/analytics', 'main svg, main canvas'],
] as const

/** Takes the pictures of the README, of the demonstration business with its year of bookings. */
export const takeScreens = async (): Promise<void> => {
  await using product = await startProduct({ seed: 'true' })
  const browser = await openBrowser()
  try {
    const { page } = await openPage(browser, product.apiUrl)
    await page.setViewportSize({ width: 1280, height: 800 })
    await signIn(page, product.apiUrl, 'owner')
    for (const [name, path, content] of screens) {
      await page.goto(product.apiUrl + path)
      await page.locator(content).first().waitFor()
      await page.waitForLoadState('load')
      await page.mouse.move(0, 0)
      await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
      console.log(`docs/screens/${name}.png`)
    }
  } finally {
    await browser.close()
  }
}
