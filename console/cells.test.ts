import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findProgram } from '../chaos/managed-process.ts'
import { openTwoCells } from '../chaos/two-cells.ts'
import { addUnit } from '../server/test/records.ts'
import { expect, isShown, noBrowser, openBrowser, openPage } from './test/browser.ts'

const missing = findProgram('haproxy') ? noBrowser : 'NOT TESTED: haproxy is not installed'

test('an open console goes on when its organization moves to another cell', { skip: missing }, async () => {
  await using cells = await openTwoCells()
  const { organization } = cells.main
  const client = await cells.clientOf(organization)
  await addUnit(client, { name: 'Before the move' })
  const browser = await openBrowser()
  try {
    const { page } = await openPage(browser, cells.url)
    const settings = (await (await fetch(`${cells.url}/console.json`)).json()) as Record<
      'issuer' | 'client_id',
      string
    >
    // What the identity provider of both cells gives; it does not know where an organization lives.
    const session = { access_token: await cells.main.token(), token_type: 'Bearer' }
    const key = `oidc.user:${settings.issuer}:${settings.client_id}`
    await page.addInitScript(`sessionStorage.setItem('${key}', '${JSON.stringify(session)}')`)
    await page.goto(`${cells.url}/units`)
    await isShown(page)
    await expect(page.getByText('Before the move').first()).toBeVisible()

    await cells.move('main')
    const left = await (await cells.clientOf(organization, 'main')).get('/api/v1/spaces')
    assert.equal(left.status, 421)
    await addUnit(client, { name: 'After the move' })
    await expect(page.getByText('After the move').first()).toBeVisible()
    await page.reload()
    await isShown(page)
    await expect(page.getByText('After the move').first()).toBeVisible()
  } finally {
    await browser.close()
  }
})
