import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Browser, Page } from '@playwright/test'
import { format, resolveConfig } from 'prettier'
import { openBrowser, openPage, signIn } from '../test/browser.ts'
import { startProduct } from '../test/product.ts'
import { countClicks } from './clicks.ts'
import { multiplyUnits, unitsPerSpace } from './many-units.ts'
import { measureLighthouse } from './lighthouse.ts'
import { takeScreens } from './screens.ts'
import { coldSizes, fling, median, percentile, slow4g, slowDown, visit } from './measure.ts'
import type { Row } from './measure.ts'

/**
 * `npm run figures` measures what the console costs, and writes the table of console/README.md; with `-- calendar sync` it
 * measures these parts only, and writes nothing; with `-- screens` it takes the pictures of the README.
 */

const unitCount = 1000
const readme = join(import.meta.dirname, '../README.md')

const signedIn = async (browser: Browser, url: string) => {
  const { page } = await openPage(browser, url)
  await signIn(page, url, 'owner')
  return page
}

const measureCalendar = async (browser: Browser, url: string): Promise<Row[]> => {
  const address = `${url}/calendar`
  const what = `calendar of ${unitCount.toLocaleString('en')} units`
  const times: number[] = []
  const page = await signedIn(browser, url)
  await multiplyUnits(page, unitCount)
  for (let round = 0; round < 5; round += 1) times.push((await visit(page, address)).firstNightsMs)
  // Header, units, and a line for each ten of them, which are a space.
  await page.locator(`[role="grid"][aria-rowcount="${1 + unitCount + unitCount / unitsPerSpace}"]`).waitFor()
  const down = await fling(page, 'top')
  const across = await fling(page, 'left')
  const script = [...down.scriptMs, ...across.scriptMs]
  await page.setViewportSize({ width: 1920, height: 1080 })
  await page.goto(`${address}?density=compact`)
  await page.locator('[data-row="unit"] [data-day]').first().waitFor()
  const wide = await fling(page, 'top')
  await page.context().close()

  const slow = await signedIn(browser, url)
  await multiplyUnits(slow, unitCount, slow4g)
  await slowDown(slow)
  const cold = await visit(slow, address)
  await slow.context().close()

  // With routes of Playwright nothing is kept between visits, so these are the units that the product has.
  const again = await signedIn(browser, url)
  await visit(again, address)
  await slowDown(again)
  const later = await visit(again, address)
  await again.context().close()
  return [
    [`${what}, first nights on a desktop, median of 5`, '400 ms', ms(median(times))],
    [`${what}, first paint on slow 4G with 4 × CPU`, '1,500 ms', ms(cold.firstPaintMs)],
    [`${what}, first nights on slow 4G with 4 × CPU`, '1,500 ms', ms(cold.firstNightsMs)],
    ['calendar on a later visit, first nights on slow 4G with 4 × CPU', '1,500 ms', ms(later.firstNightsMs)],
    [`${what}, script per frame of a fling, median`, '8 ms', ms(median(script), 1)],
    [`${what}, script per frame of a fling, p95`, '16 ms', ms(percentile(script, 95), 1)],
    [`${what}, nodes at any time at 1440 px`, '1,200', String(Math.max(down.maxNodes, across.maxNodes))],
    [`${what}, nodes at 1920 px in compact rows`, '1,200', String(wide.maxNodes)],
  ]
}

const measureSizes = async (browser: Browser, url: string): Promise<Row[]> => {
  const page = await signedIn(browser, url)
  const paths = await page.evaluate<string[]>(
    `[...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'))`,
  )
  const sizes: Record<string, { script: number; style: number }> = {}
  for (const path of paths) sizes[path] = await coldSizes(page, url + path)
  await page.context().close()
  const list = (kind: 'script' | 'style') =>
    Object.entries(sizes)
      .map(([path, size]) => `\`${path}\` ${size[kind].toFixed(0)}`)
      .join(', ')
  return [
    ['script of a cold route, compressed, KiB', '200', list('script')],
    ['styles of a cold route, compressed, KiB', '25', list('style')],
  ]
}

/** From the click on Save to the mark that says that the PMS has the night. */
const measureSync = async (browser: Browser, url: string): Promise<Row[]> => {
  const page = await signedIn(browser, url)
  await page.goto(`${url}/calendar?from=2027-03-01`)
  const times: number[] = []
  for (let round = 0; round < 9; round += 1) {
    // Nights of one unit: a price that changes by more than half is asked for twice.
    const cell = page.locator('[data-row="unit"]').first().locator('[data-state="free"]').nth(round)
    await cell.click()
    await page.getByRole('radio', { name: 'Set', exact: true }).check()
    await page.getByRole('textbox', { name: /Amount/ }).fill(String(150 + round))
    times.push(await saveAndWait(page))
  }
  await page.context().close()
  return [['change seen as “at the PMS”, median of 9', '1,000 ms', ms(median(times))]]
}

const saveAndWait = async (page: Page): Promise<number> => {
  const saved = page.evaluate<number>(`new Promise((resolve) => {
    const start = performance.now()
    const form = document.querySelector('form[aria-label="Change nights"]')
    form.requestSubmit()
    let wasSending = false
    const look = () => {
      const marks = [...document.querySelectorAll('[data-mark]')].map((mark) => mark.dataset.mark)
      const isSending = marks.includes('sending')
      wasSending ||= isSending
      if (wasSending && !isSending && marks.includes('atPms')) resolve(performance.now() - start)
      else requestAnimationFrame(look)
    }
    look()
  })`)
  return saved
}

const ms = (value: number, digits = 0) =>
  `${value.toLocaleString('en', { maximumFractionDigits: digits })} ms`

const tableOf = (rows: Row[]) =>
  [['what', 'goal', 'measured'], ['---', '---', '---'], ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')

const writeReadme = async (table: string) => {
  const [before, rest = ''] = readFileSync(readme, 'utf8').split('<!-- figures -->')
  const [, after] = rest.split('<!-- end of figures -->')
  if (before === undefined || after === undefined) throw new Error(`${readme} has no place for figures`)
  const text = `${before}<!-- figures -->\n\n${table}\n\n<!-- end of figures -->${after}`
  writeFileSync(readme, await format(text, { ...(await resolveConfig(readme)), parser: 'markdown' }))
}

const measure = async (names: readonly string[]) => {
  await using product = await startProduct()
  const browser = await openBrowser()
  try {
    const rows: Row[] = []
    const parts: Record<string, () => Promise<Row[]>> = {
      sizes: () => measureSizes(browser, product.apiUrl),
      calendar: () => measureCalendar(browser, product.apiUrl),
      sync: () => measureSync(browser, product.apiUrl),
      clicks: async () => countClicks(await signedIn(browser, product.apiUrl), product),
      lighthouse: () => measureLighthouse(product),
    }
    for (const [name, measurePart] of Object.entries(parts)) {
      if (names.length > 0 && !names.includes(name)) continue
      console.error(`Measuring: ${name} …`)
      rows.push(...(await measurePart().catch((error: unknown) => failedPart(name, error))))
    }
    const table = tableOf(rows)
    console.log(table)
    if (names.length === 0) await writeReadme(table)
  } finally {
    await browser.close()
  }
}

/** The other parts are worth their time without it, so the table says what is missing. */
const failedPart = (name: string, error: unknown): Row[] => {
  console.error(error)
  process.exitCode = 1
  return [[name, '', 'failed']]
}

const names = process.argv.slice(2)
await (names.includes('screens') ? takeScreens() : measure(names))
