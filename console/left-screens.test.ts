import { suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { expect, noBrowser } from './test/browser.ts'
import { day, dayMs, later } from './test/days.ts'
import { holdChange, refusal } from './test/hold-change.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('screens that are left while something is saved', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  const leave = async (page: Page) => {
    await page.getByRole('link', { name: 'Channels', exact: true }).click()
    await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor()
  }

  test('a form that could not be saved says so on the next screen', async () => {
    const unit = await addUnit(api, 'Left Studio')
    const { page } = await app.openAs('owner', `/units/${unit.id}`)
    const change = await holdChange(page, `**/api/v1/units/${unit.id}`)
    await page.getByLabel('Name', { exact: true }).fill('Left Loft')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await change.sent
    await leave(page)
    change.reject()
    await page.getByText(refusal).waitFor()
  })

  test('a price that could not be saved says so on the next screen', async () => {
    const unit = await addUnit(api, 'Left Price')
    const { page } = await app.openAs('owner', '/units?q=Left%20Price')
    const change = await holdChange(page, `**/api/v1/units/${unit.id}`)
    await page.locator('[data-price]').click()
    await page.keyboard.type('95')
    await page.keyboard.press('Enter')
    await change.sent
    await leave(page)
    change.reject()
    await page.getByText(refusal).waitFor()
  })

  test('what failed on a screen that was left says so on the next one', async () => {
    const unit = await addUnit(api, 'Left Photos')
    const { channel_target: target } = await api<{ channel_target: { id: string } }>(
      'POST',
      '/channel-targets',
      { channel_type: 'pms', name: 'Left PMS', config: { property_ref: 'left-house' } },
    )
    const cases: [path: string, address: string, start: (page: Page) => Promise<void>][] = [
      [
        `/channels/${target.id}`,
        `**/api/v1/channel-targets/${target.id}`,
        async (page) => {
          await page.getByLabel('Name', { exact: true }).fill('Left channel')
          await page.getByRole('button', { name: 'Save', exact: true }).click()
        },
      ],
      [
        '/settings/exports',
        '**/api/v1/exports',
        (page) => page.getByRole('button', { name: 'Export now' }).click(),
      ],
      [
        `/units/${unit.id}`,
        '**/media',
        (page) => {
          const file = { name: 'left.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('left') }
          return page.locator('input[type=file]').setInputFiles(file)
        },
      ],
    ]
    for (const [path, address, start] of cases) {
      const { page } = await app.openAs('owner', path)
      const change = await holdChange(page, address)
      await start(page)
      await change.sent
      await page.getByRole('link', { name: 'Bookings', exact: true }).click()
      const question = page.getByRole('dialog').getByRole('button', { name: 'Leave' })
      const bookings = page.getByRole('heading', { name: 'Bookings', level: 1 })
      await question.or(bookings).first().waitFor()
      if (await question.isVisible()) await question.click()
      await bookings.waitFor()
      change.reject()
      await page.getByRole('status').getByText(refusal).waitFor()
    }
  })

  test('the result of applying a season is shown after its dialog was closed', async () => {
    const unit = await addUnit(api, 'Left Season Studio')
    const value = { date_from: later('09-01'), date_to: later('09-01'), price_percent: 10 }
    await api('POST', '/seasons', { name: 'Left season', values: [value] })
    for (const message of [refusal, 'Changed 1 night']) {
      const { page } = await app.openAs('owner', `/calendar?${new URLSearchParams({ q: unit.name })}`)
      const change = await holdChange(page, '**/seasons/*/apply')
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'Seasons' }).click()
      const season = dialog.getByRole('listitem').filter({ hasText: 'Left season' })
      await season.getByRole('button', { name: 'Apply' }).click()
      await season.getByText('1 night changes').waitFor()
      await season.getByRole('button', { name: 'Apply' }).last().click()
      await change.sent
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
      await page.getByRole('button', { name: 'Seasons' }).click()
      await dialog.waitFor()
      if (message === refusal) change.reject()
      else change.letThrough()
      await page.getByRole('status').getByText(message).waitFor()
      await expect(dialog).toBeVisible()
    }
  })

  const takeBooking = async (guestName: string) => {
    const { id } = await addUnit(api, `Left by ${guestName}`)
    const { page } = await app.openAs('owner', `/bookings/new?from=${day(60)}&to=${day(62)}&unit=${id}`)
    const change = await holdChange(page, '**/api/v1/bookings')
    await page.getByLabel('Name', { exact: true }).fill(guestName)
    await page.getByRole('button', { name: 'Take the booking' }).click()
    await change.sent
    await leave(page)
    return { page, change }
  }

  test('a booking that was not taken says so on the next screen', async () => {
    const { page, change } = await takeBooking('Rui Recusado')
    change.reject()
    await page.getByText(refusal).waitFor()
  })

  test('who left while a booking was taken is not called back to it', async () => {
    const { page, change } = await takeBooking('Ana Aceite')
    change.letThrough()
    await page.getByText('The booking was taken').waitFor()
    await expect(page).toHaveURL(/\/channels$/)
  })

  test('who left while something was deleted is not called back', async () => {
    const unit = await addUnit(api, 'Left Deleted')
    const { webhook_endpoint: endpoint } = await api<{ webhook_endpoint: { id: string } }>(
      'POST',
      '/webhook-endpoints',
      { url: 'https://hooks.example.com/left', event_types: ['*'] },
    )
    const paths = [`/units/${unit.id}`, `/spaces/${unit.space_id}`, `/settings/webhooks/${endpoint.id}`]
    for (const path of paths) {
      const { page } = await app.openAs('owner', path)
      const deletion = await holdChange(page, /\/api\/v1\/(units|spaces|webhook-endpoints)\/[^/]+$/)
      const remove = page.locator('#content').getByRole('button', { name: 'Delete', exact: true })
      await remove.first().click()
      await page.getByRole('dialog').getByRole('textbox').fill('delete')
      await page.keyboard.press('Enter')
      await deletion.sent
      await page.keyboard.press('Escape')
      await leave(page)
      deletion.letThrough()
      await page.getByRole('status').getByText('is deleted').waitFor()
      await expect(page, path).toHaveURL(/\/channels$/)
    }
  })

  test('a dialog of one unit is not open on the page of another', async () => {
    const [one, other] = [await addUnit(api, 'Dialog One'), await addUnit(api, 'Dialog Other')]
    const { page } = await app.openAs('owner', `/units/${other.id}`)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and go anywhere' }).fill(one.name)
    await page.getByRole('option', { name: one.name }).first().click()
    await page.getByRole('heading', { name: one.name, level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Edit: Standard' }).click()
    await page.getByRole('dialog').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: other.name, level: 1, includeHidden: true }).waitFor()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  const openCalendar = async (unitName: string, month: string) => {
    await addUnit(api, unitName)
    const search = new URLSearchParams({ q: unitName, from: later(`${month}-01`) })
    const { page } = await app.openAs('owner', `/calendar?${search}`)
    const nightOf = (date: string) =>
      page.locator(`[data-row="unit"] [data-day="${Date.parse(later(date)) / dayMs}"][data-state="free"]`)
    const editor = page.getByRole('form', { name: 'Change nights' })
    const change = await holdChange(page, '**/api/v1/calendar')
    await nightOf(`${month}-05`).click()
    await editor.getByRole('radio', { name: '± %' }).check()
    await editor.getByRole('textbox', { name: 'Percent' }).fill('10')
    await editor.getByRole('button', { name: 'Save', exact: true }).click()
    await change.sent
    return { page, editor, change, nightOf }
  }

  test('nights that could not be changed say so on the next screen', async () => {
    const { page, change } = await openCalendar('Left Nights', '05')
    await leave(page)
    change.reject()
    await page.getByText(refusal).waitFor()
  })

  test('the failure of a change is not shown at the next one', async () => {
    const { page, editor, change, nightOf } = await openCalendar('Left Editor', '06')
    await editor.getByRole('button', { name: 'Close' }).click()
    await nightOf('06-09').click()
    await editor.getByRole('textbox', { name: 'Min. nights' }).fill('3')
    change.reject()
    await page.getByRole('status').getByText(refusal).waitFor()
    await expect(editor.getByText(refusal)).toHaveCount(0)
    await expect(editor.getByRole('textbox', { name: 'Min. nights' })).toHaveValue('3')
  })

  test('what is edited next stays when the change before is saved', async () => {
    const { page, editor, change, nightOf } = await openCalendar('Left Open', '07')
    await editor.getByRole('button', { name: 'Close' }).click()
    await nightOf('07-09').click()
    await editor.getByRole('textbox', { name: 'Min. nights' }).fill('3')
    change.letThrough()
    await page.getByText('Changed 1 night').waitFor()
    await expect(editor.getByRole('textbox', { name: 'Min. nights' })).toHaveValue('3')
  })
})

suite('the way back', { skip: noBrowser }, () => {
  const app = useConsole()

  test('from a booking leads to the list as it was left', async () => {
    const { page } = await app.openAs('owner', '/bookings?status=confirmed')
    const first = page.getByRole('row').nth(1).getByRole('link').first()
    await first.click()
    await page.waitForURL(/\/bookings\/[\da-f-]{36}/)
    await page.getByRole('link', { name: 'Back to Bookings' }).click()
    await expect(page).toHaveURL(/\/bookings\?status=confirmed$/)
    await page.goto(`${app.url}/bookings`)
    await first.click()
    await page.getByRole('link', { name: 'Back to Bookings' }).click()
    await expect(page).toHaveURL(/\/bookings$/)
  })
})
