import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { useConsole } from './test/use-console.ts'

suite('audit', { skip: noBrowser }, () => {
  const app = useConsole()

  const rows = (page: Page) => page.getByRole('table', { name: 'Audit' }).locator('[data-index]')

  test('a change in the console is found with who, and before and after in words', async () => {
    const { page, witness } = await app.openAs('owner', '/channels')
    await page.getByRole('link', { name: 'Atlântica PMS' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Lisbon desk')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Lisbon desk' }).waitFor()
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByLabel('What', { exact: true }).selectOption({ label: 'Channel' })
    await page.getByRole('searchbox', { name: 'Search by person or record' }).fill('Lisbon')
    await expect(rows(page)).toHaveCount(1)
    const row = rows(page).first()
    await expect(row).toContainText('Inês Carvalho')
    await expect(row).toContainText(/Name\s*Atlântica PMS\s*became\s*Lisbon desk/)

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).press('Enter')
    const file = await readFile(await (await download).path(), 'utf8')
    assert.match(
      file,
      /Inês Carvalho,user,updated,channel_target,Lisbon desk,[^,]+,name,Atlântica PMS,Lisbon desk/,
    )
    await row.getByRole('link', { name: 'Lisbon desk' }).click()
    await page.getByRole('heading', { name: 'Lisbon desk' }).waitFor()
    assert.deepEqual(witness.complaints, [])
  })

  test('no code or id is shown, and what a filter leaves out can be shown again', async () => {
    const { page } = await app.openAs('admin', '/audit')
    await rows(page).nth(3).waitFor()
    for (const details of await page.locator('details').all()) await details.locator('summary').click()
    const shown = await page.getByRole('table', { name: 'Audit' }).innerText()
    assert.doesNotMatch(shown, /[\da-f]{8}-[\da-f]{4}-|_cents|\{"/)
    await page.getByRole('searchbox', { name: 'Search by person or record' }).fill('Nobody at all')
    await page.getByText('No entry matches the filters').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await rows(page).nth(3).waitFor()
  })

  test('a problem of the API is shown in the language of the person', async () => {
    const { page } = await app.openAs('owner', '/audit')
    await page.evaluate("localStorage.setItem('language', 'de')")
    await page.goto(new URL('/audit?record=none', page.url()).href)
    await page.getByText('Eine Angabe fehlt oder ist nicht gültig.').first().waitFor()
  })

  test('a date is written in the language of the person as well', async () => {
    const { page } = await app.openAs('owner', '/audit?from=2026-11-12', { locale: 'de-DE' })
    await expect(page.locator('input[type=date]').first()).toHaveAttribute('title', /12\. Nov\. 2026$/)
  })

  test('who may not read it has no link to it', async () => {
    const { page } = await app.openAs('manager', '/channels')
    await page.getByRole('link', { name: 'Payments' }).waitFor()
    await expect(page.getByRole('link', { name: 'Audit' })).toHaveCount(0)
  })

  test('is accessible in every look', async () => {
    const { page } = await app.openAs('owner', '/audit')
    await rows(page).nth(2).waitFor()
    await page.locator('summary').first().click()
    await assertEveryLook(page, 'audit')
  })
})
