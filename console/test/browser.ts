import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import axe from 'axe-core'
import { chromium, expect as expectNow } from '@playwright/test'
import type { Browser, Page } from '@playwright/test'
import { findCutTexts } from './text-fits.ts'

const path = process.env.TEST_CHROMIUM ?? process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

// Five times what a busy machine with two cores has needed.
const waitTimeoutMs = 120_000

/** What a page shows in the end: it is looked at until it is as expected. */
export const expect = expectNow.configure({ timeout: waitTimeoutMs })

/** Why the browser tests cannot run here; in CI that is a failure, not an excuse. */
export const noBrowser: string | false = (() => {
  if (existsSync(path)) return false
  const reason = `NOT TESTED HERE: no Chromium at ${path}; install it or set CHROMIUM_PATH`
  if (process.env.CI) throw new Error(reason)
  console.error(`\n${'!'.repeat(reason.length)}\n${reason}\n${'!'.repeat(reason.length)}\n`)
  return reason
})()

export interface Look {
  width: 320 | 390 | 1440
  scheme: 'light' | 'dark'
}

export interface PageOptions extends Partial<Look> {
  locale?: string
  timezoneId?: string
}

/** What a page asked for and complained about, from its first request to its last. */
export interface Witness {
  requested: string[]
  complaints: string[]
}

export interface OpenedPage {
  page: Page
  witness: Witness
}

export const openBrowser = (more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: path, args: [...flags, ...more] })

/** A fresh person at a fresh browser; only what `ours` complains about is held against us. */
export const openPage = async (
  browser: Browser,
  ours: string,
  { width = 1440, scheme = 'light', locale = 'en-US', timezoneId }: PageOptions = {},
): Promise<OpenedPage> => {
  const context = await browser.newContext({
    viewport: { width, height: heightOf(width) },
    colorScheme: scheme,
    // Frames of animations take a fifth of the processor time.
    reducedMotion: 'reduce',
    locale,
    ...(timezoneId && { timezoneId }),
  })
  context.setDefaultTimeout(waitTimeoutMs)
  const page = await context.newPage()
  const witness: Witness = { requested: [], complaints: [] }
  page.on('request', (request) => witness.requested.push(request.url()))
  page.on('pageerror', (error) => witness.complaints.push(error.message))
  page.on('console', (message) => {
    const { url } = message.location()
    if (['error', 'warning'].includes(message.type()) && url.startsWith(ours)) {
      witness.complaints.push(`${message.text()} (${url})`)
    }
  })
  return { page, witness }
}

const heightOf = (width: number) => (width < 1000 ? 844 : 900)

/** Signs in as one of the demonstration people, by role, of the first organization; ends at the address. */
export const signIn = async (page: Page, url: string, role: string, button = 'Sign in') => {
  await page.goto(url)
  await page.getByRole('button', { name: button }).click()
  await page.locator('button[name="person"]', { hasText: role }).first().click()
  await isShown(page)
}

/** Until a screen for people who are signed in is there. */
export const isShown = async (page: Page) => {
  await page.locator('header [aria-haspopup="menu"]').waitFor()
  await page.locator('#content h1').waitFor()
}

const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Those of axe-core that read colours. */
const colorRules = ['color-contrast', 'link-in-text-block']

export const assertAccessible = async (page: Page, place: string, rules = allRules) => {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const violations = await page.evaluate<string[]>(`axe
    .run({
      runOnly: ${JSON.stringify(rules)},
      // Descriptions of what is right take as long as the checks.
      resultTypes: ['violations'],
    })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`)
  assert.deepEqual(violations, [], place)
}

/** No text is cut off, or leaves what it is in. */
export const assertTextFits = (page: Page, place: string) =>
  expect.poll(() => page.evaluate<string[]>(findCutTexts), place).toEqual([])

/**
 * Accessible, without scrolling sideways, and with all text in its place, on each size of screen in both colour schemes;
 * ends as it was.
 */
export const assertEveryLook = async (
  page: Page,
  place: string,
  widths: readonly Look['width'][] = [1440, 390, 320],
) => {
  const size = page.viewportSize()
  for (const width of widths) {
    // A phone of 320 px shows the same as one of 390, only narrower.
    const isNarrower = width === 320
    for (const scheme of isNarrower ? (['light'] as const) : (['dark', 'light'] as const)) {
      await page.setViewportSize({ width, height: heightOf(width) })
      // Colours that are still on their way from one scheme to the other would be judged.
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', scheme)
      await expect
        .poll(() => page.evaluate('document.documentElement.scrollWidth'), `${place} at ${width}`)
        .toBe(width)
      // Only the colours differ.
      if (scheme === 'light') await assertTextFits(page, `${place} at ${width}`)
      if (isNarrower) continue
      const rules = scheme === 'light' ? allRules : colorRules
      await assertAccessible(page, `${place} at ${width} in ${scheme}`, rules)
    }
  }
  if (size) await page.setViewportSize(size)
}

/** Delays the first PATCH to these addresses, so that a second one that is sent at once would be saved before it. */
export async function delayFirstChange(
  page: Page,
  addresses: string,
): Promise<{ sent: number; saved: number }> {
  const changes = { sent: 0, saved: 0 }
  await page.route(addresses, async (route) => {
    if (route.request().method() !== 'PATCH') return await route.continue()
    if (++changes.sent === 1) await sleep(1_000)
    await route.fulfill({ response: await route.fetch() })
    changes.saved++
  })
  return changes
}

/** Lets requests with POST to these addresses arrive, and loses the responses; returns how to end that. */
export async function loseResponses(page: Page, addresses: string): Promise<() => Promise<void>> {
  await page.route(addresses, async (route) => {
    if (route.request().method() !== 'POST') return await route.continue()
    await route.fetch()
    // Playwright has let a request through that was under way when this ended.
    await route.abort().catch(() => {})
  })
  return () => page.unroute(addresses)
}
