import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { assertEveryLook, expect, loseResponses, noBrowser } from './test/browser.ts'
import { rejectRoom, setPmsFaults } from './test/pms.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('stop-sell', { skip: noBrowser }, () => {
  const app = useConsole()

  test('everything is stopped after a typed word, reaches the PMS, and is resumed', async () => {
    const { page, witness } = await app.openAs('manager', '/stop-sell')
    await page.getByText('Nothing is stopped').waitFor()
    await page.getByText('Everything', { exact: true }).click()
    await page.getByText(/\d+ units stop selling/).waitFor()
    await page.getByLabel('Reason').fill('Fire alarm')
    await page.getByRole('button', { name: 'Stop sales' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Stop sales now' })).toBeDisabled()
    await dialog.getByRole('textbox').fill('stop')
    await dialog.getByRole('button', { name: 'Stop sales now' }).click()

    const stop = page.getByRole('region', { name: 'Stopped now' }).getByRole('listitem')
    await stop.getByText('Fire alarm').waitFor()
    await stop.getByText(/Closed at all \d+ listings/).waitFor()
    await stop.getByRole('button', { name: 'Resume sales: Everything' }).click()
    await dialog.getByText(/\d+ units sell again/).waitFor()
    await dialog.getByRole('button', { name: 'Resume sales' }).click()
    await page.getByText('Nothing is stopped').waitFor()
    const earlier = page.getByRole('table', { name: 'Earlier stops' })
    await earlier.getByText(/Open again at all \d+ listings/).waitFor()
    assert.deepEqual(witness.complaints, [])
  })

  test('spaces are stopped by keyboard; what the PMS refuses is shown until it is accepted', async () => {
    await rejectRoom(app.product, 'RT-1001')
    const { page } = await app.openAs('manager', '/stop-sell')
    await page.getByRole('radio', { name: /^Spaces/ }).press('Space')
    await expect(page).toHaveURL(/what=space/)
    const [first, second] = [page.getByRole('checkbox').nth(0), page.getByRole('checkbox').nth(1)]
    await first.press('Space')
    await second.press('Space')
    await page.getByText('2 chosen').waitFor()
    await page.getByText(/\d+ units stop selling/).waitFor()
    await page.getByRole('button', { name: 'Stop sales' }).press('Enter')
    await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused()
    await page.keyboard.type('stop')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    const stops = page.getByRole('region', { name: 'Stopped now' }).getByRole('listitem')
    await expect(stops).toHaveCount(2)

    const refused = stops.filter({ hasText: 'see why' })
    await expect(refused).toHaveCount(1)
    await refused.getByText(/Closed at \d+ of \d+ listings/).waitFor()
    await setPmsFaults(app.product)
    await refused.getByRole('link', { name: /see why/ }).click()
    await page
      .getByRole('button', { name: /^Retry/ })
      .first()
      .click()
    await page.goto(`${app.url}/stop-sell`)
    await expect(stops.getByText(/Closed at (its|all)/)).toHaveCount(2)
    await expect(stops.getByText('see why')).toHaveCount(0)
  })

  test('a channel page links here with its channel chosen, and a role that may not stop sales sees why', async () => {
    const { page } = await app.openAs('viewer', '/channels')
    await page.getByRole('link', { name: 'Atlântica PMS' }).click()
    await page.getByRole('link', { name: 'Stop sales' }).click()
    await expect(page.getByRole('radio', { name: 'Atlântica PMS' })).toBeChecked()
    const stop = page.getByRole('button', { name: 'Stop sales' })
    await expect(stop).toHaveAttribute('title', 'Your role may not stop or resume sales')
    await expect(stop).toBeDisabled()
  })

  test('is accessible in every look', async () => {
    const { page } = await app.openAs('owner', '/stop-sell?what=unit')
    await page.getByRole('checkbox').first().waitFor()
    await page.getByRole('region', { name: 'Stopped now' }).waitFor()
    await assertEveryLook(page, 'choice')
    await page.getByText('Everything', { exact: true }).click()
    await page.getByRole('button', { name: 'Stop sales …' }).click()
    await page.getByRole('dialog').waitFor()
    await assertEveryLook(page, 'dialog')
  })

  test('stops beyond the first page are shown, and one whose reach cannot be read can be ended', async () => {
    const api = app.apiAs('owner')
    const { id: unit_id, space_id } = await addUnit(api, 'Second Page Studio')
    type Created = { sales_stop: { id: string } }
    const { sales_stop: oldest } = await api<Created>('POST', '/sales-stops', { unit_id })
    await api('POST', '/sales-stops', { space_id })
    const { page } = await app.openAs('owner', '/settings')
    // As if there were a page of stops for each one.
    await page.route('**/api/v1/sales-stops?*lifted=false*', (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/limit=\d+/, 'limit=1'),
      }),
    )
    await page.route('**/api/v1/sales-stops/*/reach', (route) => route.fulfill({ status: 503, body: '' }))
    await page.goto(`${app.url}/stop-sell`)
    const stops = page.getByRole('region', { name: 'Stopped now' })
    await stops.getByText('Zambujeira House', { exact: true }).waitFor()
    await stops.getByRole('button', { name: 'Show more' }).click()
    const end = stops.getByRole('button', { name: 'Resume sales: Second Page Studio' })
    await end.click()

    const dialog = page.getByRole('dialog')
    await dialog.getByText(/is unknown/).waitFor()
    const resume = dialog.getByRole('button', { name: 'Resume sales' })
    await expect(resume).toBeEnabled()
    // Held until the button is pressed: a change that arrives has the reach read again too, and the button would go.
    const retried = Promise.withResolvers<void>()
    await page.route('**/api/v1/sales-stops/*/reach', (route) => retried.promise.then(() => route.continue()))
    await dialog.getByRole('button', { name: 'Try again' }).click()
    retried.resolve()
    await dialog.getByText(/sells? again/).waitFor()
    await expect(dialog.getByText(/is unknown/)).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    await page.route('**/api/v1/sales-stops/*/reach', (route) => route.fulfill({ status: 503, body: '' }))
    await page.reload()
    await stops.getByRole('button', { name: 'Resume sales: Zambujeira House' }).click()
    await dialog.getByText(/is unknown/).waitFor()
    await resume.click()
    await expect(stops.getByText('Zambujeira House', { exact: true })).toHaveCount(0)
    await api('DELETE', `/sales-stops/${oldest.id}`)
  })

  test('a stop whose response was lost is not made twice', async () => {
    const api = app.apiAs('owner')
    const unit = await addUnit(api, 'Lost Stop Studio')
    const { page } = await app.openAs('owner', `/stop-sell?what=unit&ids=${unit.id}`)
    await page.getByText('1 unit stops selling').waitFor()
    await page.getByRole('button', { name: 'Stop sales' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('stop')
    const answerAgain = await loseResponses(page, '**/api/v1/sales-stops')
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').waitFor()
    await answerAgain()
    await dialog.getByRole('button', { name: 'Stop sales now' }).click()
    await expect(dialog).toHaveCount(0)
    const { sales_stops: stops } = await api<{ sales_stops: { id: string; unit_id: string | null }[] }>(
      'GET',
      '/sales-stops?lifted=false&limit=100',
    )
    const own = stops.filter(({ unit_id }) => unit_id === unit.id)
    for (const { id } of own) await api('DELETE', `/sales-stops/${id}`)
    assert.equal(own.length, 1)
  })
})
