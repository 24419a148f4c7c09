import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { later } from './test/days.ts'
import { replaceStream } from './test/live.ts'
import { addUnit } from './test/units.ts'
import type { Unit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

/** All units of an organization with 20,000 are 200 requests, of 1,000 that it has in a minute. */

suite('with many units', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  test('the page of a booking, unit, listing or channel reads its own units and sync states', async () => {
    const { channel_listings } = await api<{ channel_listings: Record<string, string>[] }>(
      'GET',
      '/channel-listings?limit=1',
    )
    const { id, unit_id, channel_target_id } = channel_listings[0]!
    const { unit } = await api<{ unit: Unit }>('GET', `/units/${unit_id}`)
    const stay = { checkIn: later('08-01'), checkOut: later('08-03') }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', {
      ...{ unitId: unit_id, guestName: 'Olga One', ...stay },
    })
    const { page, witness } = await app.openAs('owner', `/bookings/${booking.id}`)
    await page.getByRole('main').getByText(unit.name, { exact: true }).waitFor()
    for (const path of [`units/${unit_id}`, `listings/${id}`, `channels/${channel_target_id}`]) {
      const read = page.waitForResponse(/sync\/status\?/)
      await page.goto(`${app.url}/${path}`)
      await read
    }
    const ofAll = /\/(units|sync\/status)\?(?!.*(unit_id|channel_target_id)=)/
    expect(witness.requested.filter((url) => ofAll.test(url))).toEqual([])
  })

  test('bookings, a new booking and the sales stops read only the units that they show', async () => {
    const unit = await addUnit(api, 'Shown By Name')
    const stay = { checkIn: later('08-11'), checkOut: later('08-13') }
    await api('POST', '/bookings', { unitId: unit.id, guestName: 'Nils Named', ...stay })
    const stop = await api<{ sales_stop: { id: string } }>('POST', '/sales-stops', { unit_id: unit.id })
    const { page, witness } = await app.openAs('owner', '/bookings?q=Nils+Named')
    await page
      .getByRole('row', { name: /Nils Named/ })
      .getByText(unit.name)
      .waitFor()
    await page.goto(`${app.url}/bookings/new?from=${later('08-21')}&to=${later('08-23')}&unit=${unit.id}`)
    await page.getByRole('heading', { name: /Shown By Name/ }).waitFor()
    await page.goto(`${app.url}/stop-sell`)
    await page.getByRole('listitem').filter({ hasText: unit.name }).waitFor()
    // Those of a filter, or of one page.
    const some = /[?&](id|unit_id|sort)=|limit=1(&|$)/
    expect(witness.requested.filter((url) => /\/units\?/.test(url) && !some.test(url))).toEqual([])
    await api('DELETE', `/sales-stops/${stop.sales_stop.id}`)
  })

  test('units that are added, changed or deleted are read by themselves', async () => {
    const [changed, deleted] = [await addUnit(api, 'Read Before'), await addUnit(api, 'Read And Deleted')]
    const { page, witness } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    await page.goto(`${app.url}/units?q=Read`)
    const shown = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true })
    await shown(changed.name).waitFor()
    await shown(deleted.name).waitFor()
    const before = witness.requested.length
    const added = await addUnit(api, 'Read Alone')
    await api('PATCH', `/units/${changed.id}`, { name: 'Read Again' })
    await api('DELETE', `/units/${deleted.id}`)
    stream.send('changes', { space: [added.space_id], unit: [added.id, changed.id, deleted.id] })
    await shown('Read Alone').waitFor()
    await shown('Read Again').waitFor()
    await expect(shown(deleted.name)).toHaveCount(0)
    const lists = witness.requested.slice(before).filter((url) => /\/units\?/.test(url))
    assert.deepEqual(
      lists.map((url) => new URL(url).searchParams.getAll('id').toSorted()),
      [[added.id, changed.id, deleted.id].toSorted()],
    )
    await stream.end()
  })
})
