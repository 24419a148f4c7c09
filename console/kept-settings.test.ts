import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { expect, loseResponses, noBrowser } from './test/browser.ts'
import { holdChange } from './test/hold-change.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

interface Preferences {
  emails: string[]
  phones: string[]
  kinds: Record<string, { email: boolean; sms: boolean }>
}

suite('edits of settings while something else changes', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  const readPreferences = async () =>
    (await api<{ notification_preferences: Preferences }>('GET', '/notification-preferences'))
      .notification_preferences

  const openWebhook = async (url: string) => {
    const input = { url, event_types: ['*'] }
    const reply = await api<{ webhook_endpoint: { id: string } }>('POST', '/webhook-endpoints', input)
    const { id } = reply.webhook_endpoint
    return { id, ...(await app.openAs('owner', `/settings/webhooks/${id}`)) }
  }

  test('what is typed while it is saved who is notified stays', async () => {
    const { page } = await app.openAs('owner', '/settings/notifications')
    const held = Promise.withResolvers<void>()
    await page.route('**/api/v1/notification-preferences', async (route) => {
      if (route.request().method() === 'PUT') await held.promise
      await route.continue()
    })
    await page.getByLabel('E-mail addresses').fill('night@casa-atlantica.example')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Telephone numbers').fill('+351912345678')
    held.resolve()
    await page.getByText('Saved', { exact: true }).waitFor()
    await expect(page.getByLabel('E-mail addresses')).toHaveValue('night@casa-atlantica.example')
    await expect(page.getByLabel('Telephone numbers')).toHaveValue('+351912345678')
  })

  test('why something is not saved is shown where the button is', async () => {
    const { page } = await app.openAs('owner', '/settings/notifications')
    const problem = { status: 409, title: 'Conflict', detail: 'This cannot be saved.' }
    await page.route('**/api/v1/notification-preferences', (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 409, json: problem }) : route.continue(),
    )
    await page.getByLabel('E-mail addresses').fill('day@casa-atlantica.example')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('alert').getByText('This cannot be saved.')).toBeInViewport()
  })

  test('who a colleague adds to be notified is kept when another box is saved', async () => {
    const { page } = await app.openAs('owner', '/settings/notifications')
    const box = page.getByLabel('A payment is refunded: E-mail')
    const before = await readPreferences()
    await box.setChecked(!before.kinds['payment.refunded']!.email)
    const changed = { email: true, sms: !before.kinds['booking.changed']!.sms }
    const emails = ['colleague@casa-atlantica.example']
    const kinds = { ...before.kinds, 'booking.changed': changed }
    await api('PUT', '/notification-preferences', { ...before, kinds, emails })
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByRole('alert')
      .getByText(/Someone else changed this/)
      .waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const now = await readPreferences()
    assert.deepEqual(now.emails, emails)
    assert.deepEqual(now.kinds['booking.changed'], changed)
    assert.equal(now.kinds['payment.refunded']?.email, !before.kinds['payment.refunded']?.email)
  })

  test('a screen with something unsaved is left only after a question', async () => {
    const unit = await addUnit(api, 'Left Studio')
    const { page } = await app.openAs('owner', `/spaces/${unit.space_id}`)
    await page.getByRole('link', { name: unit.name }).click()
    await page.getByRole('heading', { name: unit.name, level: 1 }).waitFor()
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Left Loft')
    await page.getByText('Not saved yet').waitFor()
    await page.goBack()
    const question = page.getByRole('dialog')
    await question.getByText('Leave without saving?').waitFor()
    await page.keyboard.press('Escape')
    await expect(question).toHaveCount(0)
    await expect(page).toHaveURL(`${app.url}/units/${unit.id}`)
    await expect(name).toHaveValue('Left Loft')

    // The screen is left as soon as the person says so, also while the next one is loaded.
    const { promise: loads, resolve: load } = Promise.withResolvers<void>()
    await page.route(/\/assets\/.*\.js$/, (route) => loads.then(() => route.continue()))
    await page.getByRole('link', { name: 'Channels', exact: true }).click()
    await question.getByRole('button', { name: 'Leave' }).click()
    await expect(page).toHaveURL(`${app.url}/channels`)
    await expect(question).toHaveCount(0)
    await page.getByRole('link', { name: 'Bookings', exact: true }).click()
    await expect(page).toHaveURL(`${app.url}/bookings`, { timeout: 5_000 })
    load()
    await page.getByRole('heading', { name: 'Bookings', level: 1 }).waitFor()
    const { unit: after } = await api<{ unit: { name: string } }>('GET', `/units/${unit.id}`)
    assert.equal(after.name, unit.name)
  })

  test('what is saved or deleted is left without a question', async () => {
    const unit = await addUnit(api, 'Gone Studio')
    const { page } = await app.openAs('owner', '/spaces/new')
    await page.getByLabel('Name', { exact: true }).fill('Asked House')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Asked House', level: 1 }).waitFor()
    await page.goto(`${app.url}/units/${unit.id}`)
    await page.getByLabel('Name', { exact: true }).fill('Gone Loft')
    await page.getByRole('button', { name: 'Delete', exact: true }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('delete')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${app.url}/spaces/${unit.space_id}`)
    await expect(dialog).toHaveCount(0)
  })

  test('what is typed stays when the webhook cannot be read again', async () => {
    const { page, id } = await openWebhook('https://hooks.example.com/read')
    const description = page.getByLabel('Description')
    await description.fill('The desk')
    const address = `**/api/v1/webhook-endpoints/${id}`
    await page.route(address, (route) => route.fulfill({ status: 500, json: {} }))
    const failed = page.waitForResponse(address)
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await failed
    await page.getByRole('row', { name: /webhook\.test/ }).waitFor()
    await page.unroute(address)
    await expect(description).toHaveValue('The desk')
  })

  test('what a colleague changes of a channel is kept when another field is saved', async () => {
    const path = '/channel-targets'
    const target = { channel_type: 'pms', name: 'Shared PMS', config: { property_ref: 'before' } }
    type Reply = { channel_target: { id: string; name: string; config: { property_ref: string } } }
    const { channel_target: created } = await api<Reply>('POST', path, target)
    const { page } = await app.openAs('owner', `/channels/${created.id}`)
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await page.getByLabel('Name', { exact: true }).fill('Our PMS')
    await api('PUT', `${path}/${created.id}`, { ...target, config: { property_ref: 'after' } })
    await save.click()
    await expect(page.getByRole('alert')).toContainText('meanwhile')
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Our PMS')
    // What was shown once is not a conflict again.
    await page.getByLabel('Name', { exact: true }).fill('Our own PMS')
    await save.click()
    await expect(save).toHaveCount(0)
    const { channel_target: now } = await api<Reply>('GET', `${path}/${created.id}`)
    assert.deepEqual([now.name, now.config.property_ref], ['Our own PMS', 'after'])
  })

  test('one new secret is made when the response to the first attempt is lost', async () => {
    const { page, id } = await openWebhook('https://hooks.example.com/lost')
    const dialog = page.getByRole('dialog')
    const make = dialog.getByRole('button', { name: 'New secret' })
    const madeAt = async () =>
      (await api<{ webhook_endpoint: { updated_at: string } }>('GET', `/webhook-endpoints/${id}`))
        .webhook_endpoint.updated_at
    await page.getByRole('button', { name: 'New secret' }).click()
    const answerAgain = await loseResponses(page, '**/api/v1/webhook-endpoints/*/secret')
    await make.click()
    await dialog.getByRole('alert').waitFor()
    const first = await madeAt()
    await answerAgain()
    await make.click()
    await dialog.getByText('The secret of this endpoint').waitFor()
    assert.equal(await madeAt(), first)
  })

  test('a screen is left only after a question while a secret is made or shown', async () => {
    const { page } = await openWebhook('https://hooks.example.com/left')
    const stay = page.getByRole('dialog').getByRole('button', { name: 'Keep editing' })
    const secret = page.getByText('The secret of this endpoint')
    const change = await holdChange(page, '**/api/v1/webhook-endpoints/*/secret')
    await page.getByRole('button', { name: 'New secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
    await change.sent
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Channels', exact: true }).click()
    await stay.click()
    change.letThrough()
    await secret.waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and go anywhere' }).fill('channels')
    await page.getByRole('option', { name: 'Channels' }).first().click()
    await stay.click()
    await expect(secret).toBeVisible()
  })

  test('events of a period are sent again once, and only when both its ends are known', async () => {
    const { page } = await openWebhook('https://hooks.example.com/period')
    const keys: (string | undefined)[] = []
    await page.route('**/api/v1/webhook-endpoints/*/replay', (route) =>
      route.abort().then(() => keys.push(route.request().headers()['idempotency-key'])),
    )
    await page.getByRole('button', { name: 'Send a period again' }).click()
    const again = page.getByRole('dialog').getByRole('button', { name: 'Send again' })
    for (const sent of [3, 6]) {
      await again.click()
      await expect.poll(() => keys.length).toBe(sent)
    }
    assert.equal(new Set(keys).size, 1)
    await page.getByLabel('From').fill('')
    await expect(again).toBeDisabled()
  })

  test('what a colleague writes about a photo is kept when its field is only passed', async () => {
    const unit = await addUnit(api, 'Caption Studio')
    const { page } = await app.openAs('owner', `/units/${unit.id}`)
    const photos = page.getByRole('region', { name: 'Photos' })
    const add = async (name: string) => {
      const buffer = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 300 } })
      await photos.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer })
    }
    const read = async () =>
      (
        await api<{ media: { id: string; description: string }[] }>(
          'GET',
          `/media?unit_id=${unit.id}&sort=position`,
        )
      ).media
    await add('a.png')
    await photos.getByLabel('What photo 1 shows').fill('The terrace')
    await page.keyboard.press('Enter')
    await photos.getByRole('img', { name: 'The terrace' }).waitFor()
    await page.reload()
    await photos.getByRole('img', { name: 'The terrace' }).waitFor()
    await api('PATCH', `/media/${(await read())[0]?.id}`, { description: 'The terrace at sunset' })
    await add('b.png')
    await photos.getByRole('img', { name: 'The terrace at sunset' }).waitFor()
    await photos.getByLabel('What photo 1 shows').focus()
    await page.keyboard.press('Tab')
    await photos.getByLabel('What photo 2 shows').fill('The bath')
    await page.keyboard.press('Enter')
    await photos.getByRole('img', { name: 'The bath' }).waitFor()
    assert.deepEqual(
      (await read()).map(({ description }) => description),
      ['The terrace at sunset', 'The bath'],
    )
  })
})
