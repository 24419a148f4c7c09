import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { useConsole } from './test/use-console.ts'

suite('analytics', { skip: noBrowser }, () => {
  const app = useConsole()

  const open = async (query: string, role = 'owner') => {
    const { page } = await app.openAs(role, `/analytics${query}`)
    await page.getByRole('heading', { name: 'Analytics' }).waitFor()
    return page
  }
  const plotOf = (page: Page, name: string) => page.getByRole('slider', { name })
  const upcoming = `?from=${day(1)}&to=${day(28)}`

  test('a period is grouped, and what the plot shows is in the table and in the file', async () => {
    const page = await open(upcoming)
    await plotOf(page, 'Occupancy').locator('canvas').waitFor()
    await page.getByLabel('Group by').selectOption('week')
    await expect(page).toHaveURL(/by=week/)
    const card = page.getByRole('region', { name: 'Revenue', exact: true })
    await card.getByText('Show as a table').click()
    const rows = card.getByRole('row')
    await expect(rows.nth(4)).toBeVisible()
    // The days are shown until the weeks are there.
    await expect.poll(() => rows.count()).toBeLessThan(8)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
    await expect(rows).toHaveCount(lines.length)
    assert.match(lines[0] ?? '', /^\uFEFFfrom,to,nights_sold,/)
    const cents = Number(lines[1]?.split(',').at(-1))
    assert.ok(cents > 0)
    const written = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'EUR' }).format(cents / 100)
    await expect(rows.nth(1)).toContainText(written)
  })

  test('the figures of the period before are not taken for those of the chosen one', async () => {
    const page = await open(upcoming)
    await page.getByText('Nights sold').waitFor()
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/v1/admin/analytics?*', async (route) => {
      await answer.promise
      await route.fallback()
    })
    await page.getByLabel('Period').selectOption('last-365')
    await expect(page.locator('#content [aria-busy="true"]').getByText('Nights sold')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Export CSV' })).toBeDisabled()
    answer.resolve()
    await expect(page.getByRole('button', { name: 'Export CSV' })).toBeEnabled()
  })

  test('by keyboard each value of a plot can be read', async () => {
    const page = await open(upcoming)
    const plot = plotOf(page, 'Occupancy')
    await plot.locator('canvas').waitFor()
    await plot.focus()
    await page.keyboard.press('Home')
    await expect(plot).toHaveAttribute('aria-valuenow', '0')
    await page.keyboard.press('ArrowRight')
    await expect(plot).toHaveAttribute('aria-valuenow', '1')
    await expect(plot).toHaveAttribute('aria-valuetext', /Occupancy \d+%/)
    await page.keyboard.press('End')
    await expect(plot).toHaveAttribute('aria-valuenow', '27')
  })

  test('the year before and one space are compared, and the address keeps both', async () => {
    const page = await open(upcoming)
    await page.getByLabel('Compare with the year before').check()
    await expect(page.getByText('the year before', { exact: false }).nth(1)).toBeVisible()
    await expect(page.getByText('Occupancy, year before')).toBeVisible()
    const nights = page.locator('dd').filter({ hasText: / of \d/ })
    const all = await nights.textContent()
    await page.getByLabel('Space').selectOption({ label: 'Ribeira 14' })
    await expect(nights).not.toHaveText(all ?? '')
    await expect(page).toHaveURL(/compare=true/)
    await page.reload()
    await expect(page.getByText('Occupancy, year before')).toBeVisible()
    await expect(page.getByLabel('Space')).not.toHaveValue('')
  })

  test('an end that is typed leaves the beginning as it is', async () => {
    const page = await open('?from=2026-10-28&to=2026-11-26')
    await page.getByLabel('To', { exact: true }).focus()
    await page.keyboard.type('12052026')
    await expect(page).toHaveURL(/from=2026-10-28&to=2026-12-05/)
  })

  test('today is the day of the property, not of the browser', async () => {
    const dayIn = (timeZone: string) => new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date())
    const today = dayIn('Europe/Lisbon')
    const elsewhere = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].find((zone) => dayIn(zone) !== today)
    const { page } = await app.openAs('owner', '/analytics', { timezoneId: elsewhere ?? '' })
    await expect(page.getByLabel('To', { exact: true })).toHaveValue(today)
  })

  test('what cannot be shown says why', async () => {
    const unknown = await open('?space=0190a000-0000-7000-8000-00000000dead')
    await expect(unknown.getByRole('alert')).toContainText('space')
    const viewer = await open('', 'viewer')
    await expect(viewer.getByRole('alert')).toBeVisible()
    await expect(viewer.getByRole('link', { name: 'Analytics' })).toHaveCount(0)
  })

  test('is accessible in every look', async () => {
    const page = await open(`${upcoming}&compare=true`)
    await plotOf(page, 'Occupancy').locator('canvas').waitFor()
    await page.getByText('Show as a table').first().click()
    await assertEveryLook(page, 'analytics')
  })
})
