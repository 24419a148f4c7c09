import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'

import type { Browser, Page } from 'playwright-core'
import { assertAccessible, noBrowser, openBrowser, openPage, signIn } from './test/browser.ts'
import type { Look } from './test/browser.ts'
import { startProduct } from './test/product.ts'
import type { Product } from './test/product.ts'

const looks: Look[] = ([320, 390, 1440] as const).flatMap((width) => [
  { width, scheme: 'light' },
  { width, scheme: 'dark' },
])
const maxNodes = 1200

suite('calendar', { skip: noBrowser }, () => {
  let product: Product
  let browser: Browser

  before(async () => {
    browser = await openBrowser()
    product = await startProduct()
  })
  after(async () => {
    await browser?.close()
    await product?.[Symbol.asyncDispose]()
  })

  const openCalendar = async (look?: Look, query = '') => {
    const opened = await openPage(browser, product.apiUrl, look)
    await signIn(opened.page, product.apiUrl, 'owner')
    await opened.page.goto(`${product.apiUrl}/calendar${query}`)
    await opened.page.locator('[data-day]:not([data-state="loading"])').first().waitFor()
    return opened
  }

  test('a dragged rectangle gets ten percent more, the PMS has it, and the undo restores it', async () => {
    const { page } = await openCalendar(undefined, '?from=2027-09-01')
    const first = await freeCell(page, 0, '2027-09-07')
    const last = await freeCell(page, 1, '2027-09-09')
    const before = await first.innerText()
    await first.hover()
    await page.mouse.down()
    await last.hover()
    await page.mouse.up()
    await page.getByText('3 nights of 2 units').waitFor()

    await page.getByRole('combobox', { name: 'Price' }).selectOption('percent')
    await page.getByRole('textbox', { name: 'Percent' }).fill('10')
    await page.getByText(/ → .* on 6 nights/).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Changed 6 nights').waitFor()
    assert.equal(Number(digits(await first.innerText())), Math.round(Number(digits(before)) * 110) / 100)
    await first.locator('[data-mark="atPms"]').waitFor()

    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The change was undone').waitFor()
    await waitForText(first, before)
  })

  test('nights are selected and blocked by keyboard alone', async () => {
    const { page } = await openCalendar(undefined, '?from=2027-10-01')
    await freeCell(page, 0, '2027-10-05').then((cell) => cell.click())
    await page.keyboard.press('Escape')
    await page.getByRole('grid').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByText('2 nights of 1 unit').waitFor()
    while (!(await page.evaluate(`document.activeElement.closest('label')?.textContent.startsWith('Block')`)))
      await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Painting')
    await page.keyboard.press('Enter')
    await page.getByText('Changed 2 nights').waitFor()
    assert.equal(await page.locator('[data-state="blocked"]').count(), 2)
    assert.match(
      (await page.locator('[data-state="blocked"]').first().getAttribute('title')) ?? '',
      /Painting/,
    )
    assert.equal(await page.evaluate('document.activeElement.getAttribute("role")'), 'grid')
  })

  test('a price of zero asks first', async () => {
    const { page } = await openCalendar(undefined, '?from=2027-11-01')
    await freeCell(page, 0, '2027-11-02').then((cell) => cell.click())
    await page.getByRole('combobox', { name: 'Price' }).selectOption('set')
    await page.getByRole('textbox', { name: /Amount/ }).fill('0')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Some nights would cost nothing.', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Save anyway' }).waitFor()
  })

  test('a role that may only look cannot save, and is told why', async () => {
    const { page } = await openPage(browser, product.apiUrl)
    await signIn(page, product.apiUrl, 'viewer')
    await page.goto(`${product.apiUrl}/calendar`)
    await page.locator('[data-state="free"]').first().click()
    await page.getByText('Your role may look at the calendar but not change it.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true)
  })

  for (const look of looks)
    test(`accessible and within ${maxNodes} nodes at ${look.width} in ${look.scheme}`, async () => {
      const { page, witness } = await openCalendar(look)
      await assertAccessible(page, 'calendar')
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), look.width)
      const nodes = await page.evaluate<number>('document.querySelectorAll("*").length')
      assert.ok(nodes <= maxNodes, `${nodes} nodes`)
      const nights = page.locator('[data-day]:not([data-outside]):not([data-stay])')
      // A bar may lie over a night that is taken.
      await (look.width < 760 ? nights : nights.and(page.locator('[data-state="free"]'))).last().click()
      if (look.width < 760) await page.getByRole('button', { name: /1 night of 1 unit/ }).click()
      await page.getByRole('form', { name: 'Change nights' }).waitFor()
      await assertAccessible(page, 'editor')
      assert.deepEqual(witness.complaints, [])
    })
})

const freeCell = async (page: Page, unitIndex: number, date: string) => {
  const day = Date.parse(date) / 86_400_000
  const cell = page.locator(`[data-row="unit"] [data-unit-index="${unitIndex}"][data-day="${day}"]`)
  await cell.and(page.locator('[data-state="free"]')).waitFor()
  return cell
}

const digits = (text: string) => text.replaceAll(/[^\d.]/g, '')

const waitForText = async (cell: ReturnType<Page['locator']>, text: string) => {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (digits(await cell.innerText()) === digits(text)) return
    await cell.page().waitForTimeout(100)
  }
  assert.equal(digits(await cell.innerText()), digits(text))
}
