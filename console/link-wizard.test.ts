import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { assertAccessible, assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { addOrganization } from './test/product.ts'
import { addPmsRoom, changeAtPms, readPmsNights, setPmsFaults } from './test/pms.ts'
import { useConsole } from './test/use-console.ts'

const maxClicks = 12
const unitCount = 20

interface Unit {
  id: string
  name: string
  max_guests: number
  quantity: number
  base_price_cents: number
  currency: string
  type: string
  bedrooms: number
  bathrooms: number
}

suite('linking units to a PMS', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')
  let page: Page
  let units: Unit[]
  let targetId: string
  const property = 'partner-house'

  before(async () => {
    page = (await app.openAs('owner')).page
    units = (await api<{ units: Unit[] }>('GET', `/units?limit=${unitCount}`)).units
    const target = { channel_type: 'pms', name: 'Partner PMS', config: { property_ref: property } }
    const made = await api<{ channel_target: { id: string } }>('POST', '/channel-targets', target)
    targetId = made.channel_target.id
    for (const [at, unit] of units.entries()) await addRoom(`R-${at}`, unit)
    // Somebody closed these nights at the PMS; here they are open.
    const night = { external_id: 'R-0', available: 0 }
    const nights = { ...night, date_from: closed[0], date_to: closed[1] }
    await changeAtPms(app.product, { property, rooms: [nights] })
  })

  const closed: [string, string] = [day(300), day(304)]

  const addRoom = (id: string, unit: Unit, at = property) => {
    const { name, type, bedrooms, bathrooms, max_guests, quantity, base_price_cents, currency } = unit
    const room = { id, name, type, bedrooms, bathrooms, max_guests, quantity, base_price_cents, currency }
    return addPmsRoom(app.product, at, room)
  }

  test(`${unitCount} units in at most ${maxClicks} clicks, and closed nights stay closed`, async () => {
    let clicks = 0
    const click = async (name: RegExp | string) => {
      await page.getByRole('button', { name }).or(page.getByRole('link', { name })).first().click()
      clicks++
    }
    await click('Channels')
    await click('Partner PMS')
    await click('Link units')
    await click(`Check ${unitCount} units`)
    await page.getByText('5 nights are closed at the PMS and open here').waitFor()
    await expect(page.getByRole('radio', { name: /Keep them closed/ })).toBeChecked()
    await page.getByRole('region', { name: units[0]!.name }).getByText('Show what changes').click()
    await expect(page.locator('tr[data-opens=true]').first()).toContainText(closed[0].slice(0, 4))
    const sent = await api<{ channel_listings: { status: string }[] }>(
      'GET',
      `/channel-listings?channel_target_id=${targetId}`,
    )
    assert.ok(sent.channel_listings.every(({ status }) => status === 'paused'))
    await assertAccessible(page, 'check')

    // One unit is refused by the PMS: the others go live, and its line says why.
    const refusal = { property, mode: 'refuse_values', external_id: 'R-3', code: 'invalid' }
    await setPmsFaults(app.product, { ...refusal, message: 'Room in renovation' })
    await click(`Go live with ${unitCount} units`)
    await page.getByText(`${unitCount - 1} units are live, 1 unit failed`).waitFor()
    await page.getByText(/Room in renovation/).waitFor()
    await assertAccessible(page, 'live')
    await setPmsFaults(app.product)
    await click('Try again')
    await page.getByText(`${unitCount} units are live`, { exact: true }).waitFor()
    assert.ok(clicks <= maxClicks + 1, `${clicks} clicks`)

    const { rates } = await readPmsNights(app.product, property, 'R-0', closed)
    assert.ok(rates.every(({ stop_sell }) => stop_sell === true))
    const { rooms } = await readPmsNights(app.product, property, 'R-1', closed)
    assert.ok(rooms.every(({ available }) => available > 0))
  })

  test('a wrong suggestion is corrected with one click, and a room without a unit is not linked', async () => {
    const [first, second] = await Promise.all(
      ['Harbour View One', 'Harbour View Two'].map((name) => addUnit(name)),
    )
    await addRoom('H-1', { ...(first as Unit), name: 'Harbour View' })
    await addRoom('H-2', { ...(second as Unit), name: 'Boiler room' })
    await page.goto(`${app.url}/channels/${targetId}/link?step=match`)
    const unit = page.getByRole('combobox', { name: 'Unit for Harbour View' })
    await unit.waitFor()
    const before = await unit.locator('option:checked').innerText()
    const other = before === 'Harbour View One' ? 'Harbour View Two' : 'Harbour View One'
    await page.getByRole('button', { name: `or ${other}` }).click()
    await expect(unit.locator('option:checked')).toHaveText(other)
    await expect(page.getByRole('checkbox', { name: 'Link Boiler room' })).toBeDisabled()
    await page.getByRole('link', { name: 'Channels', exact: true }).click()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await expect(unit.locator('option:checked')).toHaveText(other)

    await page.getByRole('button', { name: 'Check 1 unit' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: other }).waitFor()
    await page.getByRole('button', { name: `Unlink again: ${other}` }).click()
    await page.getByText('Choose at least one unit').waitFor()
  })

  test('what cannot be compared stays paused, and going back or loading again loses nothing', async () => {
    const house = 'second-house'
    const target = { channel_type: 'pms', name: 'Second PMS', config: { property_ref: house } }
    const made = await api<{ channel_target: { id: string } }>('POST', '/channel-targets', target)
    const link = `${app.url}/channels/${made.channel_target.id}/link`
    const names = ['read', 'unread', 'refused', 'left out'].map((part) => `Chapel ${part}`)
    const [read, unread, refused, leftOut] = names as [string, string, string, string]
    for (const [at, name] of names.entries()) await addRoom(`C-${at}`, await addUnit(name), house)
    await addRoom('C-5', { ...(units[0] as Unit), name: `${read}er` }, house)
    await setPmsFaults(app.product, {
      ...{ property: house, mode: 'refuse', status: 503, calendar: true, external_id: 'C-1', method: 'GET' },
    })
    const button = (name: string) => page.getByRole('button', { name, exact: true })

    await page.goto(link)
    await page.getByRole('checkbox', { name: `Link ${leftOut}` }).uncheck()
    await button('Check 3 units').click()
    await page.getByRole('alert').getByText('1 unit stays paused').waitFor()
    await expect(page.locator('#content')).toBeFocused()
    await button('Add more units').click()
    // A unit that is linked is not suggested again.
    await expect(page.getByRole('checkbox', { name: `Link ${read}er` })).toBeDisabled()
    await expect(page.getByRole('checkbox', { name: `Link ${leftOut}` })).not.toBeChecked()

    await page.goto(link)
    await button('Go live with 2 units').waitFor()
    const { channel_listings: listings } = await api<{
      channel_listings: { id: string; external_id: string }[]
    }>('GET', `/channel-listings?channel_target_id=${made.channel_target.id}`)
    const refusedId = listings.find(({ external_id }) => external_id === 'C-2')?.id
    await page.route(`**/channel-listings/${refusedId}/pause`, (route) =>
      route.fulfill({ status: 403, contentType: 'application/problem+json', body: '{}' }),
    )
    await button('Go live with 2 units').click()
    await page.getByText('1 unit is live').waitFor()
    await expect(page.getByRole('alert')).toContainText(refused)
    await page.reload()
    await page.getByRole('link', { name: read }).waitFor()

    await page.goto(link)
    await button('Try again').waitFor()
    await setPmsFaults(app.product)
    await button('Try again').click()
    await button('Go live with 2 units').waitFor()
    await button(`Unlink again: ${unread}`).click()
    await expect(page.locator('#content button:focus')).toBeVisible()
    await button('Add more units').click()
    await expect(page.getByRole('combobox', { name: `Unit for ${unread}` })).toContainText(unread)
  })

  test('rooms that another channel of the same property has are counted as linked', async () => {
    const target = { channel_type: 'pms', name: 'Partner PMS again', config: { property_ref: property } }
    const made = await api<{ channel_target: { id: string } }>('POST', '/channel-targets', target)
    await page.goto(`${app.url}/channels/${made.channel_target.id}/link`)
    await page.getByText(/^\d+ rooms at the PMS, [1-9]\d* linked already$/).waitFor()
  })

  test('units with one name are shown with their spaces', async () => {
    const { spaces } = await api<{ spaces: { id: string; name: string }[] }>('GET', '/spaces?limit=2')
    const facts = { name: 'Same Name', max_guests: 2, base_price_cents: 9_000 }
    for (const { id } of spaces) await api('POST', '/units', { space_id: id, ...facts })
    await addRoom('S-1', { ...(units[0] as Unit), name: 'Same Name' })
    await page.goto(`${app.url}/channels/${targetId}/link?step=match`)
    const unit = page.getByRole('combobox', { name: 'Unit for Same Name' })
    await unit.focus()
    for (const { name } of spaces)
      await expect(unit.locator('option', { hasText: `Same Name · ${name}` })).toHaveCount(1)
  })

  test('the progress of linking counts all rooms, also those that are linked already', async () => {
    const house = 'progress-house'
    const target = { channel_type: 'pms', name: 'Progress PMS', config: { property_ref: house } }
    const made = await api<{ channel_target: { id: string } }>('POST', '/channel-targets', target)
    for (const at of [0, 1]) await addRoom(`P-${at}`, units[at] as Unit, house)
    const { page: other } = await app.openAs('owner', `/channels/${made.channel_target.id}/link`)
    const held = Promise.withResolvers<void>()
    let times = 0
    await other.route('**/api/v1/channel-listings', async (route) => {
      if (times++ > 0) await held.promise
      await route.continue()
    })
    await other.getByRole('button', { name: 'Check 2 units' }).click()
    // The stream says that one is linked.
    await other.getByText(/^2 rooms at the PMS, 1 linked already$/).waitFor()
    await other.getByText('Preparing 1 of 2').waitFor()
    held.resolve()
    await other.getByRole('button', { name: 'Go live with 2 units' }).waitFor()
  })

  test('an organization without units is led to adding or importing them', async () => {
    addOrganization(app.product, 'Empty Stays', 'Ella Empty')
    const target = { channel_type: 'pms', name: 'Empty PMS', config: { property_ref: 'empty-house' } }
    await addRoom('E-1', units[0] as Unit, 'empty-house')
    const made = await app.apiAs('Ella Empty')<{ channel_target: { id: string } }>(
      'POST',
      '/channel-targets',
      target,
    )
    const opened = await app.openAs('Ella Empty', `/channels/${made.channel_target.id}/link`)
    await expect(opened.page.locator('#content').getByRole('link', { name: 'Add a unit' })).toBeVisible()
    await expect(opened.page.getByRole('button', { name: /^Check/ })).toHaveCount(0)
  })

  test('a PMS that does not respond is shown with a next step', async () => {
    await setPmsFaults(app.product, { property, mode: 'refuse', status: 503 })
    await page.goto(`${app.url}/channels/${targetId}/link`)
    await page.getByText('The rooms of the PMS could not be read').waitFor()
    await setPmsFaults(app.product)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('combobox', { name: 'Unit for Harbour View' }).waitFor()
  })

  test('is accessible in every look', async () => {
    await page.goto(`${app.url}/channels/${targetId}/link?step=match`)
    await page.getByRole('combobox', { name: 'Unit for Harbour View' }).waitFor()
    await assertEveryLook(page, 'match')
  })

  const addUnit = async (name: string): Promise<Unit> => {
    const { space_id, ...unit } = units[0] as Unit & { space_id: string }
    const { type, bedrooms, bathrooms, max_guests, quantity, base_price_cents, currency } = unit
    const facts = { name, type, bedrooms, bathrooms, max_guests, quantity, base_price_cents, currency }
    return (await api<{ unit: Unit }>('POST', '/units', { space_id, ...facts })).unit
  }
})
