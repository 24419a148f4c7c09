import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { changeAtPms, rejectRoom, setPmsFaults } from './test/pms.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('channels', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  test('a PMS is connected once the test says that it works', async () => {
    const { page, witness } = await app.openAs('owner', '/channels')
    await page.getByRole('link', { name: 'Connect a PMS' }).click()
    await page.getByText('Channex', { exact: true }).click()
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await expect(page.getByText('Fill this in')).toHaveCount(3)
    await page.getByText('Generic PMS').click()
    await page.getByLabel('Name', { exact: true }).fill('Beach desk')
    await page.getByLabel('Address of the API').fill('http://127.0.0.1:9')
    await page.getByRole('button', { name: 'Test the connection' }).press('Enter')
    await page.getByRole('alert').getByText('It does not work yet').waitFor()
    await expect(page.getByRole('button', { name: 'Test the connection' })).toBeFocused()

    await page.getByLabel('Address of the API').fill(app.product.pmsUrl)
    await page.keyboard.press('Enter')
    await page.getByText(/It works\. /).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Link units to Beach desk' }).waitFor()
    await page.getByRole('link', { name: 'Back to Beach desk' }).click()
    await page.getByText('Connected').waitFor()
    assert.deepEqual(witness.complaints, [])
  })

  test('without a PMS of the installation, the generic provider needs an address', async () => {
    const { page } = await app.openAs('owner', '/channels')
    await page.route('**/console.json', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ json: { ...((await answer.json()) as object), has_default_pms: false } })
    })
    await page.getByRole('link', { name: 'Connect a PMS' }).click()
    await page.getByText('such as https://pms.example.com/api').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Hill desk')
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await expect(page.getByLabel('Address of the API')).toBeFocused()
    await expect(page.getByText('Fill this in')).toHaveCount(1)
  })

  test('a test of other values than those in the form is not shown', async () => {
    const { page } = await app.openAs('owner', '/channels/new')
    await page.getByLabel('Name', { exact: true }).fill('Changed desk')
    const address = page.getByLabel('Address of the API')
    await address.fill(app.product.pmsUrl)
    const held = Promise.withResolvers<void>()
    await page.route('**/channel-targets/checks', async (route) => {
      await held.promise
      await route.continue()
    })
    const answered = page.waitForResponse('**/channel-targets/checks')
    const test = page.getByRole('button', { name: 'Test the connection' })
    await test.click()
    await address.fill('http://127.0.0.1:9')
    held.resolve()
    await (await answered).finished()
    await expect(test).toBeEnabled()
    await test.click()
    await page.getByRole('alert').getByText('It does not work yet').waitFor()
  })

  test('a key is never shown, and an address that does not respond is shown with the history', async () => {
    const { page } = await app.openAs('owner', '/channels')
    await page.getByRole('link', { name: 'Direct booking desk' }).click()
    await page.getByLabel('API key').fill('sesame-4711')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Stored, not shown').waitFor()
    await expect(page.getByLabel('API key')).toHaveValue('')
    assert.ok(!(await page.content()).includes('sesame-4711'))

    await page.getByLabel('Address of the API').fill('http://127.0.0.1:9')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Send the credentials again').waitFor()
    await page.getByLabel('API key').fill('sesame-4711')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^(Not working|Not reachable)$/).waitFor()
    await page.getByText(/Not working: Direct booking desk/).waitFor()
  })

  test('a channel is paused and resumed by keyboard', async () => {
    const { page } = await app.openAs('owner', '/channels')
    await page.getByRole('button', { name: 'Pause: Atlântica PMS' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('[role=dialog] button[type=submit]:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Atlântica PMS is paused').waitFor()
    const resume = page.getByRole('button', { name: 'Resume: Atlântica PMS' })
    await resume.waitFor()
    await page
      .getByRole('row', { name: /Atlântica/ })
      .getByText(/\d+ paused/)
      .waitFor()
    await resume.focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('row', { name: /Atlântica/ })
      .getByText('Connected')
      .waitFor()
  })

  test('one with listings is not deleted but says what holds it; an empty one is', async () => {
    const { page } = await app.openAs('owner', '/channels')
    await page.getByRole('link', { name: 'Atlântica PMS' }).click()
    await page.getByRole('heading', { name: 'Atlântica PMS' }).waitFor()
    await page.getByText(/in sync/).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    const held = page.getByRole('dialog')
    await held.getByText(/still has \d+ listings/).waitFor()
    await held.getByRole('listitem').nth(9).waitFor()
    await page.keyboard.press('Escape')

    await page.goto(`${app.url}/channels/new`)
    await page.getByLabel('Name', { exact: true }).fill('Spare desk')
    await expect(page.getByRole('button', { name: 'Test the connection' })).toBeEnabled()
    await page.keyboard.press('Enter')
    await page.getByText(/It works\. /).waitFor()
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('link', { name: 'Back to Spare desk' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Spare desk is deleted').waitFor()
    await page.waitForURL(`${app.url}/channels`)
    await page.goBack()
    await page.getByText('It may have been deleted').waitFor()
  })

  test('everything is sent again after asking, and a failing unit is named', async () => {
    const { page } = await app.openAs('owner', '/channels')
    await page.getByRole('link', { name: 'Atlântica PMS' }).click()
    await rejectRoom(app.product, 'RT-1003')
    await page.getByRole('button', { name: 'Send everything again' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Send everything again' }).click()
    await page.getByText(/\d+ listings are being sent again/).waitFor()
    const row = page.getByRole('row', { name: /RT-1003/ })
    await row.getByText('Failed').waitFor()
    await setPmsFaults(app.product)
    await page.reload()
    await page.getByRole('button', { name: 'Retry what failed' }).click()
    await page
      .getByRole('row', { name: /RT-1003/ })
      .getByText('In sync')
      .waitFor()
  })

  test('a room that the PMS does not have is shown as missing, not as wanted', async () => {
    const unknown = { mode: 'refuse', status: 404, code: 'unknown_unit', external_id: 'GONE-1' }
    await setPmsFaults(app.product, unknown)
    const { channel_targets: targets } = await api<{ channel_targets: { id: string; name: string }[] }>(
      'GET',
      '/channel-targets',
    )
    const target = targets.find(({ name }) => name === 'Atlântica PMS')
    const unit = await addUnit(api, 'Unbuilt Loft')
    const { channel_listing: listing } = await api<{ channel_listing: { id: string } }>(
      'POST',
      '/channel-listings',
      { unit_id: unit.id, channel_target_id: target?.id, external_id: 'GONE-1' },
    )
    const { page } = await app.openAs('owner', `/listings/${listing.id}`)
    await page.getByRole('alert').filter({ hasText: 'The PMS has no room GONE-1' }).waitFor()
    await expect(page.getByText(/as wanted/)).toHaveCount(0)
    await expect(page.locator('[data-night]')).toHaveCount(28)
    await setPmsFaults(app.product)
    await api('DELETE', `/channel-listings/${listing.id}`)
  })

  test('a night that somebody changed at the PMS is marked beside what is wanted; a unit is unlinked', async () => {
    const { page } = await app.openAs('owner', '/channels')
    await page.getByRole('link', { name: 'Atlântica PMS' }).click()
    await page
      .getByRole('row', { name: /RT-1002/ })
      .getByRole('link')
      .click()
    await page.getByText(/All 28 nights are shown there as wanted/).waitFor()
    const night = (await page.locator('[data-night]').nth(5).getAttribute('data-night')) as string
    const rate = {
      external_id: 'RT-1002',
      rate_plan: null,
      date_from: night,
      date_to: night,
      price_cents: 4300,
    }
    await changeAtPms(app.product, { property: 'first-1', rates: [rate] })
    await page.getByRole('button', { name: 'Read again' }).click()
    await page.getByText('1 night is shown differently').waitFor()
    await page.getByLabel('Only what differs').check()
    const marked = page.locator('[data-night] [data-bad="true"]')
    await expect(marked).toHaveText(['€43.00'])
    await expect(page.locator('[data-night]')).toHaveCount(1)

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByLabel('Sync state').getByText('Paused').waitFor()
    await page.getByRole('button', { name: 'Unlink' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/there may be double bookings/).waitFor()
    await dialog.getByRole('textbox').fill('unlink')
    await page.keyboard.press('Enter')
    await page.getByText(/is unlinked from Atlântica PMS/).waitFor()
    await page.getByRole('row', { name: /RT-1003/ }).waitFor()
    await page.goBack()
    await page.getByText('It may have been deleted').waitFor()
    await expect(page.getByRole('row', { name: /RT-1002/ })).toHaveCount(0)
  })

  test('the page of a listing follows when a colleague pauses it', async () => {
    const [{ id }] = (await api<{ channel_listings: [{ id: string }] }>('GET', '/channel-listings?limit=1'))
      .channel_listings
    const { page: other } = await app.openAs('owner', `/listings/${id}`)
    await other.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    await api('POST', `/channel-listings/${id}/pause`)
    await other.getByRole('button', { name: 'Resume', exact: true }).click()
    await other.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  })

  test('a viewer sees why nothing can be changed', async () => {
    const { page } = await app.openAs('viewer', '/channels')
    const pause = page.getByRole('button', { name: 'Pause: Atlântica PMS' })
    await expect(pause).toHaveAttribute('title', 'Your role may not change channels')
    await page.getByRole('link', { name: 'Atlântica PMS' }).click()
    await expect(page.getByLabel('Name', { exact: true })).toBeDisabled()
  })

  test('is accessible in every look', async () => {
    const { page } = await app.openAs('owner', '/channels')
    await page.getByRole('link', { name: 'Atlântica PMS' }).waitFor()
    await assertEveryLook(page, 'channels')
    await page.getByRole('link', { name: 'Atlântica PMS' }).click()
    await page.getByText('RT-1001').waitFor()
    await assertEveryLook(page, 'channel')
    const row = page.getByRole('row', { name: /RT-1001/ })
    await row.getByRole('link').click()
    await page.getByText(/All 28 nights/).waitFor()
    await assertEveryLook(page, 'listing')
    await page.goto(`${app.url}/channels/new`)
    await page.getByText('Hostaway', { exact: true }).click()
    await assertEveryLook(page, 'connect')
  })
})
