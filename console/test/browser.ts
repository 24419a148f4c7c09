import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'

import axe from 'axe-core'
import { chromium, expect as expectNow } from '@playwright/test'
import type { Browser, Page } from '@playwright/test'

const path = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
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
const longestWaitMs = 120_000

/** What a page shows in the end: it is looked at until it is as expected. */
export const expect = expectNow.configure({ timeout: longestWaitMs })

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

/** What a page asked for and complained about, from its first request to its last. */
export interface Witness {
  requested: string[]
  complaints: string[]
}

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: path, args: flags })

const defaultLook: Look = { width: 1440, scheme: 'light' }

/** A fresh person at a fresh browser; only what `ours` complains about is held against us. */
export const openPage = async (
  browser: Browser,
  ours: string,
  look: Look = defaultLook,
  locale = 'en-US',
) => {
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.width < 1000 ? 844 : 900 },
    colorScheme: look.scheme,
    locale,
  })
  context.setDefaultTimeout(longestWaitMs)
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

/** Signs in as one of the demonstration people, by role, of the first organization; ends at the address. */
export const signIn = async (page: Page, url: string, role: string, button = 'Sign in') => {
  await page.goto(url)
  await page.getByRole('button', { name: button }).click()
  await page.locator('button[name="person"]', { hasText: role }).first().click()
  await page.locator('header [aria-haspopup="menu"]').waitFor()
  await page.locator('#content h1').waitFor()
}

/** Signs in and waits for the list of units. */
export const openUnits = async (page: Page, url: string, role: string, button?: string) => {
  await signIn(page, `${url}/units`, role, button)
  await page.locator('[data-unit]').first().waitFor()
}

export const assertAccessible = async (page: Page, place: string) => {
  await page.evaluate(axe.source)
  const violations = await page.evaluate<string[]>(`axe
    .run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`)
  assert.deepEqual(violations, [], place)
}
