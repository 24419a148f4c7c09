import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'

import type { Page } from '@playwright/test'
import { assertEveryLook, expect, noBrowser, signIn } from './test/browser.ts'
import type { PageOptions } from './test/browser.ts'
import { setPmsFaults } from './test/pms.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('console', { skip: noBrowser }, () => {
  const app = useConsole()

  const openUnits = async (role: string, options?: PageOptions) => {
    const opened = await app.openAs(role, '/units', options)
    await opened.page.locator('[data-unit]').first().waitFor()
    return opened
  }

  test('a changed price is seen going to the PMS, and the PMS has it', async () => {
    const { page, witness } = await openUnits('owner')
    await page.getByText('Live', { exact: true }).waitFor()
    const line = page.locator('[data-listing][data-state="in-sync"]').first()
    const row = page.locator('[data-unit]', { has: line }).first()
    const [unitId, listingId] = [await row.getAttribute('data-unit'), await line.getAttribute('data-listing')]
    const seen = await watchStates(page, listingId as string)
    await setPmsFaults(app.product, { mode: 'slow', delay_ms: 9_000 })

    const price = page.locator(`[data-unit="${unitId}"] button[data-price]`)
    const before = await price.innerText()
    await price.press('Enter')
    const field = page.locator(`[data-unit="${unitId}"] input[data-price]`)
    await field.fill('twelve')
    await field.press('Enter')
    await expect(page.getByRole('alert')).toHaveText(/Enter an amount like/)
    await field.fill('147.35')
    await field.press('Enter')

    await page.locator(`[data-listing="${listingId}"][data-state="syncing"]`).waitFor()
    // Takes the delay along.
    await setPmsFaults(app.product)
    await page.locator(`[data-listing="${listingId}"][data-state="in-sync"]`).waitFor()
    assert.match((await seen()).join(), /\bsyncing,in-sync$/)
    await expect(price).toHaveText(/147\.35/)
    assert.equal(await page.evaluate('window.loads'), 1, 'the page was not loaded again')
    const externalId = await externalIdOf(page, listingId as string)
    await expect.poll(() => priceAtPms(app.product.pmsUrl, externalId)).toBe(14735)

    await page.locator(`[data-listing="${listingId}"] a`).click()
    const history = page.getByRole('dialog')
    await history.getByText('HTTP 200').first().waitFor()
    const newest = history.getByRole('listitem').first()
    await expect(newest).toContainText(before)
    await expect(newest).toContainText('147.35')
    await page.keyboard.press('Escape')
    await history.waitFor({ state: 'detached' })
    assert.deepEqual(witness.complaints, [])
  })

  test('a refused sync says why, and Retry mends it', async () => {
    const { page } = await openUnits('owner')
    const line = page.locator('[data-listing][data-state="in-sync"]').last()
    const listingId = await line.getAttribute('data-listing')
    const unit = page.locator('[data-unit]', { has: page.locator(`[data-listing="${listingId}"]`) })
    const externalId = await externalIdOf(page, listingId as string)
    await setPmsFaults(app.product, { mode: 'refuse', status: 422, external_id: externalId })

    await unit.locator('button[data-price]').click()
    await unit.locator('input[data-price]').fill('151')
    await unit.getByRole('button', { name: 'Save the price' }).click()
    const failed = page.locator(`[data-listing="${listingId}"][data-state="failed"]`)
    await failed.waitFor()
    await expect(page).toHaveTitle(/^\(\d+\) Units/)

    const german = (await openUnits('owner', { locale: 'de-DE' })).page
    const reason = german.locator(`[data-listing="${listingId}"]`)
    await expect(reason).toContainText('lehnt die Werte ab.')
    await expect(reason.locator('q[lang="en"]')).not.toBeEmpty()

    await setPmsFaults(app.product)
    await failed.getByRole('button', { name: /Retry/ }).click()
    await page.locator(`[data-listing="${listingId}"][data-state="in-sync"]`).waitFor()
    await expect.poll(() => priceAtPms(app.product.pmsUrl, externalId)).toBe(15100)
  })

  test('a price that someone else changed meanwhile is not overwritten unseen', async () => {
    const { page } = await openUnits('owner')
    const row = page.locator('[data-unit]').nth(1)
    const looked = page.waitForResponse(/\/api\/v1\/units\//)
    await row.locator('button[data-price]').click()
    await looked
    const change = { base_price_cents: 9900 }
    await app.apiAs('owner')('PATCH', `/units/${await row.getAttribute('data-unit')}`, change)
    const field = row.locator('input[data-price]')
    await field.fill('111')
    await field.press('Enter')
    await row.getByText('its price is now', { exact: false }).waitFor()
    await expect(row.getByRole('alert')).toHaveText(/Someone else .*99\.00/s)
    await field.press('Enter')
    await page.getByRole('status').getByText('111.00').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByRole('button', { name: /99\.00/ }).waitFor()
  })

  test('search and state live in the address', async () => {
    const { page } = await openUnits('owner')
    const name = await page.locator('[data-unit] h3').first().innerText()
    await page.keyboard.press('/')
    await page.keyboard.type(name)
    await page.waitForURL((url) => url.searchParams.get('q') === name)
    await expect(page.locator('[data-unit]').filter({ hasNotText: name })).toHaveCount(0)
    await expect(page.locator('[data-unit]').filter({ hasText: name })).not.toHaveCount(0)
    await page.reload()
    await page.locator('[data-unit]').first().waitFor()
    await expect(page.getByRole('searchbox')).toHaveValue(name)
    await page.goto(`${app.url}/units?q=no+such+unit+anywhere`)
    await page.getByText('Nothing matches').waitFor()
  })

  test('by keyboard, several units are changed at once, and the one that cannot be changed says why', async () => {
    const api = app.apiAs('owner')
    const [open, archived] = [await addUnit(api, 'Bulk Loft'), await addUnit(api, 'Bulk Attic')]
    await api('PATCH', `/units/${archived.id}`, { status: 'archived' })
    const { page } = await app.openAs('owner', '/units?q=Bulk')
    await page.getByRole('checkbox', { name: 'Select Bulk Loft' }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('region', { name: '1 selected' }).waitFor()
    await page.getByRole('checkbox', { name: 'Select Bulk Attic' }).click({ modifiers: ['Shift'] })
    await page.getByRole('region', { name: '2 selected' }).waitFor()
    await assertEveryLook(page, 'units, two selected')
    await page.getByRole('button', { name: 'Change…' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Change 2 units' })
    await expect(dialog.getByLabel('Status')).toBeFocused()
    await expect(dialog.getByRole('button', { name: 'Change 2 units' })).toBeDisabled()
    await dialog.getByLabel('Type').selectOption('Villa')
    await dialog.getByRole('button', { name: 'Change 2 units' }).click()
    const alert = page.getByRole('alert').filter({ hasText: '1 could not be changed' })
    await alert.getByText('Bulk Attic: The unit is archived').waitFor()
    await page.locator(`[data-unit="${open.id}"]`).getByText('Villa').waitFor()
    await expect(page.locator(`[data-unit="${archived.id}"]`).getByText('Studio')).toHaveCount(1)
    await expect(page.getByRole('region', { name: /selected/ })).toHaveCount(0)
  })

  test('a viewer cannot change a price, and sees why', async () => {
    const { page } = await openUnits('viewer')
    await expect(page.getByRole('checkbox')).toHaveCount(0)
    const price = page.locator('[data-price]').first()
    await expect(price).toHaveAttribute('title', /may look at prices but not change them/)
    await price.click({ force: true })
    await expect(page.locator('input[data-price]')).toHaveCount(0)
  })

  test('an organization that exceeds its rate limit sees how long to wait', async () => {
    const { page } = await openUnits('Dana Whitfield')
    const authorization = await app.authorizationOf('Dana Whitfield')
    const figures = `${app.url}/api/v1/admin/analytics`
    const spend = () => fetch(figures, { headers: { authorization } })
    const answers = await Promise.all(Array.from({ length: 25 }, spend))
    assert.ok(answers.some(({ status }) => status === 429))
    while ((await fetch(`${app.url}/api/v1/units`, { headers: { authorization } })).ok);
    await page.reload()
    await page
      .getByText(/Too many requests at once\. Try again in \d+ seconds?\./)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Try again' }).first().waitFor()
  })

  test('signing out ends the token too', async () => {
    // The others go on with the session of their own.
    const { page } = await app.openSignedOut()
    const asked = page.waitForRequest((request) => request.headers()['authorization'] !== undefined)
    await signIn(page, app.url, 'owner')
    const { authorization = '' } = (await asked).headers()
    await page.getByRole('button', { name: /account menu/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    const answer = await fetch(`${app.url}/api/v1/auth/session`, { headers: { authorization } })
    assert.equal(answer.status, 401)
    assert.doesNotMatch(await page.evaluate<string>('JSON.stringify(sessionStorage)'), /token/)
  })

  test('accessible, and nothing from elsewhere, in every look', async () => {
    const { page: signedOut } = await app.openSignedOut()
    await signedOut.getByRole('button', { name: 'Sign in' }).waitFor()
    await assertEveryLook(signedOut, 'sign in')
    const { page, witness } = await openUnits('owner')
    await assertEveryLook(page, 'units')
    await page.locator('button[data-price]').first().click()
    await page.locator('input[data-price]').press('Escape')
    await page.locator('[data-listing] a').first().click()
    await page.getByRole('dialog').getByText('History').waitFor()
    await assertEveryLook(page, 'listing')
    const elsewhere = witness.requested.filter(
      (url) => !/^(data:|http:\/\/(127\.0\.0\.1|localhost):)/.test(url),
    )
    assert.deepEqual(elsewhere, [])
    assert.deepEqual(witness.complaints, [])
  })

  test('the first page weighs at most 200 KiB of script', async () => {
    const { page, witness } = await app.openSignedOut()
    await page.waitForLoadState('networkidle')
    const scripts = witness.requested.filter((url) => url.endsWith('.js'))
    const sizes = await Promise.all(
      scripts.map(async (url) => gzipSync(await (await fetch(url)).text(), { level: 6 }).length),
    )
    const total = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(sizes.length > 0 && total <= 200 * 1024, `${total} bytes`)
  })
})

/** Notes every state a listing's badge passes through, as the page draws it. */
const watchStates = async (page: Page, listingId: string) => {
  await page.evaluate(`
    window.loads = (window.loads ?? 0) + 1
    window.states = []
    new MutationObserver(() => {
      const state = document.querySelector('[data-listing="${listingId}"]').dataset.state
      if (window.states.at(-1) !== state && (window.states.length > 0 || state !== 'in-sync')) window.states.push(state)
    }).observe(document.body, { subtree: true, childList: true, attributes: true })`)
  return () => page.evaluate<string[]>('window.states')
}

const externalIdOf = (page: Page, listingId: string): Promise<string> =>
  page.locator(`[data-listing="${listingId}"] a span`).nth(1).innerText()

/** Read back from the PMS itself; the property is the one its last call named. */
const priceAtPms = async (pmsUrl: string, externalId: string): Promise<number> => {
  const { calls } = (await (await fetch(`${pmsUrl}/_control/calls`)).json()) as {
    calls: { external_id: string; property: string }[]
  }
  const property = calls.findLast((call) => call.external_id === externalId)?.property
  const reader = { headers: { authorization: 'Bearer reader' } }
  const answer = await fetch(`${pmsUrl}/properties/${property}/units/${externalId}`, reader)
  return ((await answer.json()) as { unit: { base_price_cents: number } }).unit.base_price_cents
}
