import { suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { replaceStream, untilPainted } from './test/live.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

interface Booking {
  id: string
  guestName: string
}

interface Listing {
  id: string
  unit: { id: string; name: string }
}

suite('work while records change', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  const firstListing = async () =>
    (await api<{ channel_listings: [Listing] }>('GET', '/channel-listings?limit=1')).channel_listings[0]
  const addBooking = async (unitId: string, guestName: string, [checkIn, checkOut]: [string, string]) => {
    const body = { unitId, guestName, guests: 2, status: 'confirmed', checkIn, checkOut }
    return (await api<{ booking: Booking }>('POST', '/bookings', body)).booking
  }

  test('the earlier entries of a history are shown although a sync went on meanwhile', async () => {
    const { id } = await firstListing()
    const { audit } = await api<{ audit: [{ id: string }] }>(
      'GET',
      `/sync/audit?limit=1&channel_listing_id=${id}`,
    )
    const status = await api<object>('GET', `/sync/status/${id}`)
    const { page } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    let times = 0
    await page.route('**/api/v1/sync/audit?*', (route) => {
      const isNext = route.request().url().includes('cursor=')
      // The first request for the earlier ones is not answered before the change is read.
      if (isNext && times++ === 0) return stream.send('sync', status)
      const entry = { ...audit[0], action: 'sync.completed', id: `${isNext ? 'earlier' : 'later'}` }
      const json = { audit: [entry], next_cursor: isNext ? null : 'next', has_more: !isNext }
      return route.fulfill({ json })
    })
    await page.goto(`${app.url}/listings/${id}`)
    await page.getByRole('button', { name: 'Show earlier' }).click()
    const history = page.getByRole('region', { name: 'History' })
    await expect(history.getByRole('list').first().locator('> li')).toHaveCount(2)
    await stream.end()
  })

  test('what changes while a list is read for the first time is read afterwards', async () => {
    const unit = await addUnit(api, 'First Read Studio')
    const booking = await addBooking(unit.id, 'Prima Lida', [day(330), day(332)])
    const { page } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    const isRead = Promise.withResolvers<void>()
    let times = 0
    await page.route('**/api/v1/bookings?*', async (route) => {
      const isFirst = times++ === 0
      if (isFirst) {
        stream.send('changes', { booking: null })
        await isRead.promise
      }
      const bookings = [{ ...booking, guestName: isFirst ? 'Read Before' : 'Read Afterwards' }]
      await route.fulfill({ json: { bookings, next_cursor: null, has_more: false } })
    })
    let days = 0
    // What the navigation counts is read again by the same change.
    await page.route('**/api/v1/today', async (route) => {
      if (++days > 1) isRead.resolve()
      await route.continue()
    })
    await page.goto(`${app.url}/bookings`)
    await page.getByRole('link', { name: 'Read Afterwards' }).waitFor()
    await stream.end()
  })

  test('what changes before the stream begins at last is read then', async () => {
    const unit = await addUnit(api, 'Late Stream Studio')
    await addBooking(unit.id, 'Tarda Tardia', [day(330), day(332)])
    const { page } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    await page.goto(`${app.url}/bookings?q=Tarda`)
    await page.getByRole('link', { name: 'Tarda Tardia' }).waitFor()
    await page.locator('[data-connection="polling"]').waitFor()
    await addBooking(unit.id, 'Tarda Outra', [day(340), day(342)])
    stream.send('hello', {})
    await page.getByRole('link', { name: 'Tarda Outra' }).waitFor()
    await stream.end()
  })

  test('a page follows the names of the records that its own one belongs to', async () => {
    const unit = await addUnit(api, 'Follow Studio')
    const { page } = await app.openAs('owner', `/units/${unit.id}`)
    await page
      .getByText(/^Follow Studio/)
      .first()
      .waitFor()
    await api('PATCH', `/spaces/${unit.space_id}`, { name: 'Casa do Novo Nome' })
    await page.getByText('Casa do Novo Nome').first().waitFor()
    const listing = await firstListing()
    await page.goto(`${app.url}/listings/${listing.id}`)
    await page.getByRole('heading', { name: listing.unit.name }).waitFor()
    await api('PATCH', `/units/${listing.unit.id}`, { name: 'Novo Nome Studio' })
    await page.getByRole('heading', { name: 'Novo Nome Studio' }).waitFor()
    await api('PATCH', `/units/${listing.unit.id}`, { name: listing.unit.name })
  })

  test('the dialog of conflicts is closed with the last of them, and says why', async () => {
    const [{ id: targetId }] = (await api<{ channel_targets: [{ id: string }] }>('GET', '/channel-targets'))
      .channel_targets
    const { page } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    const since = new Date().toISOString()
    const conflict = {
      ...{ id: crypto.randomUUID(), reason: 'no_room', unit: null, channel_target: null, created_at: since },
      ...{ booking: {}, external_id: 'A-1', booking_id: null, occupants: [], conflicts: [], blocks: [] },
    }
    const failure = {
      ...{ id: 'cause', error_code: 'timeout', channel_target_id: targetId, channel_target_name: 'PMS' },
      ...{ count: 1, failed: 1, retrying: 0, first_at: since, last_at: since, message: '', listings: [] },
    }
    let isOpen = true
    await page.route('**/api/v1/booking-conflicts?*', (route) =>
      route.fulfill({
        json: { booking_conflicts: isOpen ? [conflict] : [], next_cursor: null, has_more: false },
      }),
    )
    await page.route('**/api/v1/sync/failures*', (route) =>
      route.fulfill({ json: { sync_failures: [failure] } }),
    )
    await page.goto(`${app.url}/inbox`)
    const items = page.locator('[data-item] input[type=checkbox]')
    await expect(items).toHaveCount(2)
    for (const item of await items.all()) await item.check()
    await page.getByRole('button', { name: 'Dismiss 1 conflict' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('Settled by telephone')
    isOpen = false
    stream.send('changes', { booking_conflict: null })
    await expect(items).toHaveCount(1)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.getByText('settled or deleted meanwhile').waitFor()
    await stream.end()
  })

  test('a price is typed on although the unit leaves the state that is shown', async () => {
    const listing = await firstListing()
    const status = await api<object>('GET', `/sync/status/${listing.id}`)
    const { page } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    await page.goto(`${app.url}/units?${new URLSearchParams({ q: listing.unit.name })}`)
    stream.send('hello', {})
    await page.locator('[data-unit] [data-state="in-sync"]').first().waitFor()
    stream.send('sync', { ...status, status: 'failed' })
    await page.locator('[data-unit] [data-state="failed"]').first().waitFor()
    await page.getByRole('button', { name: /Failed/ }).click()
    await page.waitForURL(/state=failed/)
    const price = page.locator('[data-price]').first()
    await price.click()
    const field = page.getByRole('textbox', { name: new RegExp(listing.unit.name) })
    await field.fill('95')
    stream.send('sync', { ...status, status: 'in_progress' })
    await page.locator('[data-unit] [data-state="syncing"]').first().waitFor()
    await expect(field).toHaveValue('95')
    await stream.end()
  })

  test('of several replies about a unit, the newest is shown', async () => {
    const { id } = await addUnit(api, 'Newest Studio')
    const { unit } = await api<{ unit: object }>('GET', `/units/${id}`)
    const { page } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    await page.goto(`${app.url}/units?q=Newest`)
    const price = page.locator('[data-price]')
    await expect(price).toHaveText('€90.00')

    const isById = (url: URL) => url.pathname === '/api/v1/units' && url.searchParams.has('id')
    const isOfAll = (url: URL) => url.pathname === '/api/v1/units' && !url.searchParams.has('id')
    const [list, older] = [1, 2].map(() => Promise.withResolvers<void>())
    await page.route(isOfAll, async (route) => {
      const response = await route.fetch()
      await list!.promise
      await route.fulfill({ response })
    })
    const listRead = page.waitForRequest((request) => isOfAll(new URL(request.url())))
    stream.send('changes', { unit: null })
    await listRead
    let times = 0
    const isRead = Promise.withResolvers<void>()
    await page.route(isById, async (route) => {
      const at = times++
      isRead.resolve()
      if (at === 0) await older!.promise
      const newer = { base_price_cents: 12_300, updated_at: new Date().toISOString() }
      await route.fulfill({ json: { units: [{ ...unit, ...(at > 0 && newer) }], next_cursor: null } })
    })
    stream.send('changes', { unit: [id] })
    await isRead.promise
    stream.send('changes', { unit: [id] })
    await expect(price).toHaveText('€123.00')
    const replies = [isOfAll, isById].map((isMeant) =>
      page.waitForResponse((response) => isMeant(new URL(response.url()))),
    )
    older!.resolve()
    list!.resolve()
    await Promise.all(replies)
    await untilPainted(page)
    await expect(price).toHaveText('€123.00')
    await stream.end()
  })

  test('a listing that cannot be read again stays beside the list of units', async () => {
    const listing = await firstListing()
    const { page } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    await page.goto(`${app.url}/units/listings/${listing.id}`)
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('heading', { name: 'History' }).waitFor()
    const address = `**/api/v1/channel-listings/${listing.id}`
    const problem = { status: 404, title: 'Not found', detail: 'There is no such listing.' }
    await page.route(address, (route) => route.fulfill({ status: 404, json: problem }))
    const failed = page.waitForResponse(address)
    stream.send('changes', { channel_listing: null })
    await failed
    await untilPainted(page)
    await expect(drawer.getByText('This listing could not be shown')).toHaveCount(0)
    await expect(drawer.getByRole('heading', { name: 'History' })).toBeVisible()
    await stream.end()
  })

  test('a unit that a colleague deletes says so on its page, and what is typed stays', async () => {
    const { id } = await addUnit(api, 'Deleted Studio')
    const { page } = await app.openAs('owner', `/units/${id}`)
    await page.getByLabel('Name', { exact: true }).fill('Deleted Loft')
    await api('DELETE', `/units/${id}`)
    await page.getByRole('alert').getByText('This has been deleted').waitFor()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Deleted Loft')
    await expect(page.getByRole('button', { name: 'Delete', exact: true })).toHaveCount(0)
  })
})
