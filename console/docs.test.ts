import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { assertAccessible, expect, noBrowser } from './test/browser.ts'
import { useConsole } from './test/use-console.ts'

suite('documentation', { skip: noBrowser }, () => {
  const app = useConsole()

  /** The address of every page of the navigation, and of a problem. */
  const listPages = async () => {
    const text = await (await fetch(`${app.url}/docs`)).text()
    const menu = /<nav id="menu".*?<\/nav>/s.exec(text)![0]
    const found = [...menu.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!)
    assert.ok(found.length > 20, `only ${found.length} pages`)
    return ['/docs', ...found, '/problems/booking-conflict']
  }

  test('every page is accessible, loads nothing from elsewhere and fits a narrow screen', async () => {
    const everyLook = ['/docs', '/docs/guides/limits', '/docs/errors', '/docs/reference']
    const { page, witness } = await app.openSignedOut('/docs')
    for (const path of await listPages()) {
      await page.setViewportSize({ width: 320, height: 844 })
      // Colours that are still on their way from one scheme to the other would be judged.
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await page.goto(app.url + path)
      await page.locator('h1').first().waitFor()
      for (const width of everyLook.includes(path) ? [320, 390, 1440] : [320])
        for (const colorScheme of width === 320 ? (['light'] as const) : (['light', 'dark'] as const)) {
          await page.setViewportSize({ width, height: 844 })
          await page.emulateMedia({ colorScheme })
          // Swagger UI's class follows the scheme in an event, which comes a frame or two later.
          const withClass = path === '/docs/reference' && colorScheme === 'dark'
          await expect(page.locator('html.dark-mode')).toHaveCount(withClass ? 1 : 0)
          await expect
            .poll(() => page.evaluate('document.documentElement.scrollWidth'), `${path} at ${width}`)
            .toBe(width)
          await assertAccessible(page, `${path} at ${width} in ${colorScheme}`)
        }
    }
    assert.deepEqual(
      witness.requested.filter((url) => !url.startsWith(app.url)),
      [],
    )
    assert.deepEqual(witness.complaints, [])
  })

  test('every link leads to a page, and to a heading that is there', async () => {
    const texts = new Map<string, string>()
    const read = async (path: string) => {
      if (!texts.has(path)) {
        const response = await fetch(app.url + path)
        assert.equal(response.status, 200, path)
        texts.set(path, await response.text())
      }
      return texts.get(path)!
    }
    for (const page of await listPages())
      for (const [, href = ''] of (await read(page)).matchAll(/href="([/#][^"]*)"/g)) {
        const [path, id] = href.split('#')
        const text = await read(path || page)
        if (id) assert.ok(text.includes(`id="${id}"`), `${page} links to ${href}`)
      }
    const markdown = [...(await read('/llms.txt')).matchAll(/\((https?:[^)]+)\)/g)]
    assert.ok(markdown.length > 20)
    for (const [, url = ''] of markdown) assert.match(await read(new URL(url).pathname), /^# /)
  })

  test('the search finds guides, operations and errors, and opens them by keyboard', async () => {
    const { page, witness } = await app.openSignedOut('/docs')
    await page.keyboard.press('/')
    const input = page.getByRole('searchbox')
    await input.fill('take booking')
    await expect(page.locator('dialog li').first()).toContainText('Take a booking')
    await input.press('Enter')
    await expect(page).toHaveURL(`${app.url}/docs/guides/take-a-booking`)
    // The address is there before the script of the page.
    await page.waitForLoadState()

    await page.getByRole('button', { name: /^Search/ }).click()
    await input.fill('quote-expired')
    await expect(page.locator('dialog li').first()).toContainText('quote-expired')
    await input.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${app.url}/docs/errors#quote-expired`)
    await page.waitForLoadState()

    await page.keyboard.press('/')
    await input.fill('POST /api/v1/quotes')
    const first = page.locator('dialog li a').first()
    await expect(first).toContainText('POST /api/v1/quotes')
    await first.click()
    await expect(page.locator('.opblock.is-open .opblock-summary-path')).toHaveText('/api/v1/quotes')
    assert.deepEqual(witness.complaints, [])
  })

  test('the menu opens on a narrow screen, and a block of code is copied', async () => {
    const { page } = await app.openSignedOut('/docs/guides/start', { width: 390 })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await expect(page.getByRole('link', { name: 'Limits' })).toBeHidden()
    const menu = page.getByRole('button', { name: 'Menu' })
    await menu.click()
    await expect(menu).toHaveAttribute('aria-expanded', 'true')
    await page.getByRole('link', { name: 'Limits' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Limits')

    const block = page.locator('.code').first()
    await block.getByRole('button', { name: 'Copy' }).click()
    await expect(block.getByRole('button')).toHaveText('Copied')
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    await expect(block.locator('code')).toHaveText(copied)
  })
})
