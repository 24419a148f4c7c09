import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import type { Api } from './test/api.ts'
import { assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { later } from './test/days.ts'
import { sellAtPms, setPmsFaults } from './test/pms.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

interface Listing {
  id: string
  unit_id: string
  channel_target_id: string
  external_id: string
  unit: { name: string }
}

type Booking = Record<'id' | 'unitId' | 'departure', string>

suite('inbox', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')
  let page: Page
  /** Listings of one PMS, each of a unit with one room. */
  let listings: Listing[]

  before(async () => {
    page = (await app.openAs('owner')).page
    listings = await singleRooms(api)
  })

  const open = async (query = '') => {
    await page.goto(`${app.url}/inbox${query}`)
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  }
  const item = (title: string | RegExp) =>
    page.locator('[data-item]', { has: page.getByRole('button', { name: title }) })

  /** Two guests for the only room of a unit; the second one comes from a sales channel. */
  const bookTwice = async (listing: Listing, [here, sold]: [string, string]) => {
    const [checkIn, checkOut] = [later('03-10'), later('03-13')]
    const body = { unitId: listing.unit_id, guestName: here, checkIn, checkOut }
    const { booking } = await api<{ booking: Booking }>('POST', '/bookings', body)
    await sellAtPms(app.product, { listing, guest: sold, checkIn, checkOut })
    return booking
  }

  test('nothing needs anybody at first', async () => {
    await open()
    await page.getByText('Nothing needs you').first().waitFor()
  })

  test('a double booking is accepted in another unit, and both guests have a room', async () => {
    const [listing, other] = listings as [Listing, Listing]
    await bookTwice(listing, ['Helena Duarte', 'Oliver Brown'])
    await open()
    const conflict = item(`Double booking in ${listing.unit.name}`)
    await conflict.getByRole('button', { name: /Double booking/ }).click()
    await conflict.getByText('Helena Duarte').waitFor()
    await conflict.getByRole('button', { name: 'Accept in another unit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: new RegExp(`^${other.unit.name}`) }).check()
    await dialog.getByRole('button', { name: 'Accept here' }).click()
    await page.getByText('Accepted. The booking has its room.').waitFor()
    await conflict.waitFor({ state: 'detached' })
    assert.deepEqual(await guestsOf(api, other), ['Oliver Brown'])
    assert.deepEqual(await guestsOf(api, listing), ['Helena Duarte'])
  })

  test('the booking that is here is moved, by keyboard, and the new one takes its room', async () => {
    const [, , listing, other] = listings as [Listing, Listing, Listing, Listing]
    await bookTwice(listing, ['Nadia Haddad', 'Leon Fischer'])
    await open()
    await item(`Double booking in ${listing.unit.name}`).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/open=/)
    const move = page.getByRole('button', { name: 'Move this booking' })
    await move.press('Enter')
    const choice = page.getByRole('radio', { name: new RegExp(`^${other.unit.name}`) })
    await expect(page.getByRole('dialog')).toContainText(/The price of €[\d,.]+ stays as it is\./)
    await choice.focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await page.getByText('Moved. The new booking takes the room.').waitFor()
    assert.deepEqual(await guestsOf(api, other), ['Nadia Haddad'])
    assert.deepEqual(await guestsOf(api, listing), ['Leon Fischer'])
  })

  /** The dialog that moves the booking of a conflict to another unit, which is chosen. */
  const openMove = async (listing: Listing, other: Listing) => {
    await open()
    await item(`Double booking in ${listing.unit.name}`)
      .getByRole('button', { name: /Double/ })
      .click()
    await page.getByRole('button', { name: 'Move this booking' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: new RegExp(`^${other.unit.name}`) }).check()
    return dialog
  }

  test('a move after which the conflict could not be tried again does not say that it is solved', async () => {
    const [listing, other] = listings.slice(-2) as [Listing, Listing]
    await bookTwice(listing, ['Maria Mudada', 'Tomás Tenta'])
    const pounds = await addUnit(api, 'Pound Studio', 'gbp')
    const dialog = await openMove(listing, other)
    // The booking keeps its price.
    await expect(dialog.getByText('Pound Studio')).toHaveCount(0)
    await api('DELETE', `/units/${pounds.id}`)
    await api('DELETE', `/spaces/${pounds.space_id}`)
    await page.route('**/booking-conflicts/*/retry', (route) => route.fulfill({ status: 500, json: {} }))
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    await page.unroute('**/booking-conflicts/*/retry')
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('Moved. The new booking takes the room.').waitFor()
    assert.deepEqual(await guestsOf(api, other), ['Maria Mudada'])
  })

  test('a booking that a colleague changes while it is moved for a conflict keeps that change', async () => {
    const [listing, other] = listings.slice(7, 9) as [Listing, Listing]
    const booking = await bookTwice(listing, ['Inês Igual', 'Hugo Hotel'])
    const dialog = await openMove(listing, other)
    await api('PATCH', `/bookings/${booking.id}`, { checkOut: later('03-14') })
    await page
      .getByText(/14, \d{4}/)
      .first()
      .waitFor({ state: 'attached' })
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('Moved. The new booking takes the room.').waitFor()
    const { booking: moved } = await api<{ booking: Booking }>('GET', `/bookings/${booking.id}`)
    assert.deepEqual([moved.unitId, moved.departure], [other.unit_id, later('03-14')])
  })

  test('conflicts are dismissed together, with a reason', async () => {
    const pair = listings.slice(4, 6)
    const other = listings[9] as Listing
    for (const listing of [...pair, other]) await bookTwice(listing, ['Ana', 'Bruno'])
    await open('?show=conflicts')
    for (const { unit } of pair) await page.getByLabel(`Select Double booking in ${unit.name}`).check()
    await page.getByRole('button', { name: 'Dismiss 2 conflicts' }).click()
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: 'Dismiss' })
    await expect(confirm).toBeDisabled()
    await dialog.getByLabel('Why no action is needed').fill('The guests share the room.')
    await confirm.click()
    await page.getByText('2 conflicts dismissed').waitFor()
    await page.getByLabel(`Select Double booking in ${other.unit.name}`).check()
    await page.getByRole('button', { name: 'Dismiss 1 conflict' }).click()
    await dialog.getByLabel('Why no action is needed').fill('The guests share the room.')
    await confirm.click()
    await page.getByText('Nothing here').waitFor()
    const { booking_conflicts } = await api<{ booking_conflicts: { dismissal_reason: string }[] }>(
      'GET',
      '/booking-conflicts?status=dismissed&limit=2',
    )
    assert.equal(booking_conflicts[0]?.dismissal_reason, 'The guests share the room.')
  })

  test('listings with the same failure are one line, which shows the cause and retries all of them', async () => {
    const failing = listings.slice(0, 3)
    const faults = failing.map(({ external_id }) => ({
      mode: 'refuse',
      status: 422,
      external_id,
      calendar: true,
    }))
    await setPmsFaults(app.product, ...faults)
    await open()
    for (const [index, { unit_id }] of failing.entries())
      await api('PATCH', `/units/${unit_id}`, { base_price_cents: 20_100 + index })
    const cause = item(/refuses the values/).filter({ hasText: '3 listings' })
    await cause.getByRole('button', { name: /refuses the values$/, expanded: false }).click()
    await cause.getByText(/refused with 422/).waitFor()
    await expect(cause.getByRole('listitem')).toHaveCount(3)
    await expect(page).toHaveTitle(/^\(\d+\) Inbox/)
    await page
      .getByRole('navigation', { name: 'Screens' })
      .getByLabel(/things? needs? you/)
      .waitFor()
    await assertEveryLook(page, 'inbox with a cause')

    await setPmsFaults(app.product, ...faults.slice(1))
    await api('POST', '/sync/trigger', { channel_listing_id: failing[0]?.id })
    const rest = item(/refuses the values/).filter({ hasText: '2 listings' })
    await expect(rest.getByRole('listitem')).toHaveCount(2)

    await setPmsFaults(app.product)
    await rest.getByRole('button', { name: /^Retry all 2/ }).click()
    await page.getByText('2 listings are sent again').waitFor()
    await rest.waitFor({ state: 'detached' })
  })

  test('a viewer sees that they cannot act', async () => {
    await bookTwice(listings[6] as Listing, ['Clara', 'Duarte'])
    const { page: viewer } = await app.openAs('viewer', '/inbox')
    await viewer.getByRole('button', { name: /Double booking/ }).click()
    const dismiss = viewer.getByRole('button', { name: 'Dismiss', exact: true })
    await expect(dismiss).toHaveAttribute('title', 'Your role may look at bookings but not change them.')
    await dismiss.click({ force: true })
    await expect(viewer.getByRole('dialog')).toHaveCount(0)
  })

  test('units beyond the first hundred that are free can be chosen', async () => {
    await page.route('**/api/v1/availability?*', (route) => {
      const isFirst = !route.request().url().includes('cursor=')
      const [first, count] = isFirst ? [0, 100] : [100, 1]
      const availability = Array.from({ length: count }, (_, at) => {
        const unit_id = `0190a000-0000-7000-8000-${String(first + at).padStart(12, '0')}`
        return { unit_id, name: `Room ${first + at}`, space_name: 'Hotel', total_cents: 100, currency: 'eur' }
      })
      return route.fulfill({ json: { availability, next_cursor: isFirst ? 'next' : null } })
    })
    await open('?show=conflicts')
    await page.getByRole('button', { name: /Double booking/ }).click()
    await page.getByRole('button', { name: 'Accept in another unit' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('radio', { name: /^Room 100/ }).check()
  })
})

const singleRooms = async (api: Api): Promise<Listing[]> => {
  const { units } = await api<{ units: { id: string; quantity: number; max_guests: number }[] }>(
    'GET',
    '/units?limit=100',
  )
  const fitting = units
    .filter(({ quantity, max_guests }) => quantity === 1 && max_guests > 1)
    .map(({ id }) => id)
  const { channel_listings } = await api<{ channel_listings: Listing[] }>(
    'GET',
    '/channel-listings?limit=100',
  )
  const [first] = channel_listings
  return channel_listings.filter(
    ({ unit_id, channel_target_id }) =>
      fitting.includes(unit_id) && channel_target_id === first?.channel_target_id,
  )
}

/** Who stays in the unit in March of that year. */
const guestsOf = async (api: Api, { unit_id }: Listing): Promise<string[]> => {
  const { bookings } = await api<{ bookings: { guestName: string; status: string }[] }>(
    'GET',
    `/bookings?unit_id=${unit_id}&check_in_from=${later('03-01')}T00:00:00Z&check_in_to=${later('03-31')}T00:00:00Z`,
  )
  return bookings.filter(({ status }) => status === 'confirmed').map(({ guestName }) => guestName)
}
