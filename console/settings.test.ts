import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'

import { assertAccessible, assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { useConsole } from './test/use-console.ts'

const sections = [
  ...['organization', 'members', 'notifications', 'webhooks', 'inbox', 'exports', 'limits', 'developers'],
]

suite('settings', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')
  let receiver: Receiver

  before(async () => {
    receiver = await openReceiver()
  })
  after(async () => {
    receiver?.close()
  })

  const openAs = async (role: string, path: string) => (await app.openAs(role, path)).page

  test('a webhook shows its secret once, each delivery with its answer, and one that failed is sent again', async () => {
    const page = await openAs('owner', '/settings/webhooks')
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click()
    await page.getByLabel('Address').fill(receiver.url)
    await page.keyboard.press('Enter')
    const secret = page.getByRole('dialog', { name: 'The secret of this endpoint' })
    await expect(secret.locator('pre')).toHaveText(/^whsec_/)
    await page.mouse.click(5, 5)
    await secret.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('link', { name: receiver.url }).click()

    receiver.status = 500
    await page.getByRole('button', { name: 'Send a test event' }).click()
    const row = page.getByRole('row', { name: /webhook\.test/ })
    await row.getByText('500').waitFor()
    await row.locator('summary').click()
    await row.getByText('The receiver says 500').waitFor()
    await row.getByText('"type": "webhook.test"').waitFor()

    receiver.status = 200
    await row.getByRole('button', { name: /Send again/ }).click()
    await row.getByText('Delivered').waitFor()
    assert.ok(receiver.received >= 2)
    await expect(page.getByText('whsec_')).toHaveCount(0)
    await assertAccessible(page, 'webhook')

    await page.getByRole('button', { name: 'New secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
    await page.getByRole('dialog', { name: 'The secret of this endpoint' }).locator('pre').waitFor()
  })

  test('what is typed while a channel or a webhook is saved stays', async () => {
    const { channel_targets } = await api<{ channel_targets: { id: string; name: string }[] }>(
      'GET',
      '/channel-targets',
    )
    const channel = channel_targets.find(({ name }) => name === 'Direct booking desk')
    const input = { url: 'https://hooks.example.com/typed', event_types: ['*'] }
    const { webhook_endpoint: endpoint } = await api<{ webhook_endpoint: { id: string } }>(
      'POST',
      '/webhook-endpoints',
      input,
    )
    for (const [address, first, second] of [
      [`/channels/${channel?.id}`, 'Name', 'Property at the PMS'],
      [`/settings/webhooks/${endpoint.id}`, 'Address', 'Description'],
    ] as const) {
      const { page } = await app.openAs('owner', address)
      const held = Promise.withResolvers<void>()
      const save = page.getByRole('button', { name: 'Save' })
      await page.route('**/api/v1/*/*', async (route) => {
        if (route.request().method() !== 'GET') await held.promise
        await route.continue()
      })
      await page.getByLabel(first, { exact: true }).press('End')
      await page.keyboard.type('2')
      const saved = page.waitForResponse((response) => response.request().method() !== 'GET')
      await save.click()
      await page.getByLabel(second).fill('Later')
      held.resolve()
      assert.equal((await saved).status(), 200)
      await expect(save).toBeEnabled()
      await expect(page.getByLabel(second)).toHaveValue('Later')
      await save.click()
      await expect(save).toHaveCount(0)
      await expect(page.getByLabel(second)).toHaveValue('Later')
    }
  })

  test('of a webhook, what a colleague changed meanwhile is kept', async () => {
    const input = { url: 'https://hooks.example.com/both', event_types: ['*'] }
    const { webhook_endpoint: endpoint } = await api<{ webhook_endpoint: { id: string } }>(
      'POST',
      '/webhook-endpoints',
      input,
    )
    const { page } = await app.openAs('owner', `/settings/webhooks/${endpoint.id}`)
    await page.getByLabel('Description').fill('Accounting')
    const path = `/webhook-endpoints/${endpoint.id}`
    await api('PATCH', path, { event_types: ['booking.created'] })
    const first = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    if ((await first).status() === 412) {
      await page.getByRole('alert').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
    }
    await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
    const { webhook_endpoint: saved } = await api<{ webhook_endpoint: Record<string, unknown> }>('GET', path)
    assert.deepEqual([saved.description, saved.event_types], ['Accounting', ['booking.created']])
  })

  test('an owner exports everything, and downloads the file', async () => {
    const page = await openAs('owner', '/settings/exports')
    await page.getByText('There is no export yet.').waitFor()
    await page.getByRole('button', { name: 'Export now' }).click()
    const row = page.getByRole('list', { name: 'Exports' }).getByRole('listitem')
    await expect(row).toContainText('Ready')
    await expect(row).toContainText(/[MG]B · Will be deleted on/)
    const downloading = page.waitForEvent('download')
    await row.getByRole('button', { name: /^Download the export of/ }).click()
    const download = await downloading
    assert.match(download.suggestedFilename(), /^vacancy-export-.*\.tar$/)
    const { exports } = await app.apiAs('owner')<{ exports: { size_bytes: number }[] }>('GET', '/exports')
    assert.equal((await stat(await download.path())).size, exports[0]?.size_bytes)
    await assertEveryLook(page, 'export')
    await assertAccessible(page, 'export')

    const others = await openAs('manager', '/settings/organization')
    await others.getByRole('link', { name: 'Limits' }).waitFor()
    await expect(others.getByRole('link', { name: 'Export', exact: true })).toHaveCount(0)
  })

  test('who is notified is changed, and what must reach somebody cannot be silenced', async () => {
    const page = await openAs('owner', '/settings/notifications')
    const addresses = page.getByLabel('E-mail addresses')
    await addresses.fill('desk@example.com\n\nfront desk')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^front desk: This must be one e-mail address/).waitFor()
    await expect(addresses).toHaveAttribute('aria-invalid', 'true')
    await expect(addresses).toBeFocused()
    await addresses.fill('')
    await page.getByLabel('E-mail addresses').fill('desk@example.com\nnight@example.com')
    await page.getByLabel('A payment is refunded: E-mail').focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.reload()
    await expect(page.getByLabel('E-mail addresses')).toHaveValue('desk@example.com\nnight@example.com')
    await page.getByLabel('A booking does not fit: E-mail').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
  })

  test('who is notified is saved once when Save is clicked twice', async () => {
    const { page } = await app.openAs('owner', '/settings/notifications')
    let sent = 0
    await page.route('**/api/v1/notification-preferences', async (route) => {
      if (route.request().method() === 'PUT') sent++
      await route.continue()
    })
    await page.getByLabel('E-mail addresses').fill('twice@casa-atlantica.example')
    await page.getByRole('button', { name: 'Save' }).dblclick()
    await page.getByText('Saved', { exact: true }).waitFor()
    await expect(page.getByRole('alert')).toHaveCount(0)
    assert.equal(sent, 1)
  })

  test('a message of a PMS is listed with its state, and processed again', async () => {
    const page = await openAs('owner', '/settings/inbox')
    await page.getByText('No message yet').waitFor()
    const { channel_targets } = await app.apiAs('owner')<{ channel_targets: [{ id: string }] }>(
      'GET',
      '/channel-targets?limit=1',
    )
    const sent = await fetch(`${app.url}/webhooks/pms/${channel_targets[0].id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'message-1', type: 'unknown.kind', data: {} }),
    })
    assert.ok(sent.ok, await sent.text())
    await page.reload()
    const row = page.getByRole('row', { name: /unknown\.kind/ })
    await row.getByText('Nothing to do').waitFor()
    // The list is read before the message is processed.
    await page.route('**/api/v1/webhook-messages?*', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace('"ignored"', '"received"') })
      await page.unroute('**/api/v1/webhook-messages?*')
    })
    await row.getByRole('button', { name: /Process again/ }).click()
    await row.getByText('Waiting').waitFor()
    await page.getByText('It is being processed again').waitFor()
    await row.getByText('Nothing to do').waitFor()
  })

  test('who may only look sees the rest, with the command that changes it', async () => {
    const page = await openAs('viewer', '/settings')
    await page.waitForURL(/\/settings\/organization$/)
    await page.getByText(/npx vacancy org set/).waitFor()
    const hold = page.locator('dl > div', { hasText: 'A hold lasts' })
    for (const part of ['30 minutes', 'Default']) await expect(hold).toContainText(part)
    await expect(page.getByRole('link', { name: 'Webhooks' })).toHaveCount(0)
    await page.getByRole('link', { name: 'Limits' }).click()
    await page.getByRole('meter', { name: 'Reading a list or a record' }).waitFor()
    await expect(page.getByRole('meter', { name: 'Creating bookings' })).toHaveCount(0)
  })

  test('roles have names in the language of the person', async () => {
    const { page } = await app.openAs('owner', '/settings/members', { locale: 'pt-PT' })
    await expect(page.locator('dl > div', { hasText: 'A sua função' })).toContainText('Proprietário')
    await expect(page.locator('dl > div', { hasText: 'Gestor' })).toContainText('manager')
  })

  test('is accessible in every look', async () => {
    const page = await openAs('owner', '/settings')
    for (const section of sections) {
      await page.goto(`${app.url}/settings/${section}`)
      await page.locator('main :is(h2, [role=table], [role=status] > p)').first().waitFor()
      await assertEveryLook(page, section)
    }
  })
})

interface Receiver {
  url: string
  /** What it answers. */
  status: number
  received: number
  close: () => void
}

const openReceiver = async (): Promise<Receiver> => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      receiver.received += 1
      response.writeHead(receiver.status).end(`The receiver says ${receiver.status}`)
    })
  })
  const receiver: Receiver = { url: '', status: 200, received: 0, close: () => server.close() }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}
