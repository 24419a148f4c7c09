import { suite, test } from 'node:test'

import { noBrowser } from './test/browser.ts'
import { later } from './test/days.ts'
import { sellAtPms } from './test/pms.ts'
import { useConsole } from './test/use-console.ts'

suite('a booking for what is not linked', { skip: noBrowser }, () => {
  const app = useConsole()

  test('names its number and its room at the PMS', async () => {
    const { channel_listings } = await app.apiAs('owner')<{
      channel_listings: [{ channel_target_id: string }]
    }>('GET', '/channel-listings?limit=1')
    const listing = { ...channel_listings[0], external_id: 'ROOM-LOFT' }
    const [checkIn, checkOut] = [later('04-10'), later('04-13')]
    await sellAtPms(app.product, { listing, guest: 'Ivo Incerto', checkIn, checkOut })
    const { page } = await app.openAs('owner', '/inbox?show=conflicts')
    await page.getByRole('button', { name: 'Booking for a room that is not linked' }).click()
    await page.getByText(/^Booking OTA-[\da-f]{8} · room ROOM-LOFT$/).waitFor()
  })
})
