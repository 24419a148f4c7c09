import { suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('changes that are refused', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  test('what is wrong with a changed webhook is shown at its field', async () => {
    const input = { url: 'https://hooks.example.com/refused', event_types: ['*'] }
    const created = await api<{ webhook_endpoint: { id: string } }>('POST', '/webhook-endpoints', input)
    const { page } = await app.openAs('owner', `/settings/webhooks/${created.webhook_endpoint.id}`)
    const url = page.getByLabel('Address')
    const save = page.getByRole('button', { name: 'Save changes' })
    await url.fill('nowhere')
    await save.click()
    await expect(url).toHaveAccessibleDescription(/must be an address/)
    await expect(url).toBeFocused()
    await url.fill('https://hooks.example.com/accepted')
    await page.getByLabel('All events').uncheck()
    await page.getByLabel('booking.created').uncheck()
    await save.click()
    await page.getByRole('group', { name: 'Events' }).getByText('at least 1').waitFor()
  })
})
