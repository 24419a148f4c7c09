import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'

import { calendarOf, openCalendarServer } from '../server/test/calendars.ts'
import { expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('calendar feeds', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  const openSite = async (context: TestContext) => {
    const site = await openCalendarServer()
    context.after(() => site.close())
    return site
  }
  const addImport = async (unit_id: string, url: string) => {
    const input = { unit_id, direction: 'import', name: 'Villa site', url }
    return (await api<{ calendar_feed: { id: string } }>('POST', '/calendar-feeds', input)).calendar_feed
  }

  test('what is typed in a dialog stays when somebody presses beside it', async () => {
    const { id } = await addUnit(api, 'Pressed Loft')
    const { page } = await app.openAs('owner', `/units/${id}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add a calendar' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Villa site')
    await page.mouse.click(5, 5)
    await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('Villa site')
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })

  test('an imported calendar appears, and is read at once when somebody asks for it', async (context) => {
    const elsewhere = await openSite(context)
    const url = elsewhere.serve('/room.ics', calendarOf())
    const { id } = await addUnit(api, 'Calendar Loft')
    const { page } = await app.openAs('owner', `/units/${id}`)
    await page.getByText('Exchange free and booked dates', { exact: false }).waitFor()
    // Somebody else adds it; nothing is done on this page until it has been read.
    await addImport(id, url)
    const row = page.getByRole('listitem').filter({ hasText: 'Villa site' })
    await row.getByText('Working').waitFor()
    await row.getByText('blocks no night').waitFor()

    elsewhere.serve('/room.ics', calendarOf([day(400), day(403)]))
    await row.getByRole('button', { name: 'Read now: Villa site' }).click()
    await page.getByText('Villa site was read').waitFor()
    await expect(row.getByText('blocks 3 nights')).toBeVisible()

    elsewhere.serve('/room.ics', 'no calendar')
    await row.getByRole('button', { name: 'Read now: Villa site' }).click()
    await expect(row.getByText('Not working')).toBeVisible()
  })

  test('nights that a user keeps blocked can be freed later', async (context) => {
    const elsewhere = await openSite(context)
    const url = elsewhere.serve('/kept.ics', calendarOf([day(401), day(404)]))
    const { id } = await addUnit(api, 'Kept Loft')
    const feed = await addImport(id, url)
    const { page } = await app.openAs('owner', `/units/${id}`)
    const row = page.getByRole('listitem').filter({ hasText: 'Villa site' })
    await row.getByText('blocks 3 nights').waitFor()
    elsewhere.serve('/kept.ics', calendarOf())
    await row.getByRole('button', { name: 'Read now: Villa site' }).click()
    await row.getByText('Decide in the inbox').waitFor()
    await api('POST', `/calendar-feeds/${feed.id}/decision`, { decision: 'keep' })
    await row.getByText('3 of them are missing from the calendar').waitFor()
    await row.getByRole('button', { name: 'Free the nights: Villa site' }).click()
    await expect(row.getByText('blocks no night')).toBeVisible()
  })

  test('a conflict says which calendar has the reservation', async (context) => {
    const elsewhere = await openSite(context)
    const url = elsewhere.serve('/sold.ics', calendarOf([day(401), day(404)]))
    const { id } = await addUnit(api, 'Sold Loft')
    const stay = { unitId: id, guestName: 'Ada Lovelace', checkIn: day(400), checkOut: day(403) }
    await api('POST', '/bookings', stay)
    await addImport(id, url)
    const { page } = await app.openAs('owner', '/inbox')
    const conflict = page.getByRole('listitem').filter({ hasText: 'sold nights of Sold Loft' })
    await expect(conflict).toContainText('Villa site')
    await conflict.getByText('sold nights of Sold Loft').click()
    await expect(page.getByText('Reservation in the imported calendar Villa site')).toBeVisible()
  })
})
