import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'

import type { Browser, Page } from '@playwright/test'
import { callApi } from './test/api.ts'
import { assertAccessible, expect, noBrowser, openBrowser, openPage, signIn } from './test/browser.ts'
import type { Look } from './test/browser.ts'
import { startProduct } from './test/product.ts'
import type { Product } from './test/product.ts'

const looks: Look[] = [
  { width: 1440, scheme: 'light' },
  { width: 390, scheme: 'dark' },
  { width: 320, scheme: 'light' },
]
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
  let product: Product
  let browser: Browser
  let page: Page
  let units: Unit[]
  let targetId: string
  const property = 'partner-house'

  before(async () => {
    browser = await openBrowser()
    product = await startProduct()
    page = (await openPage(browser, product.apiUrl)).page
    await signIn(page, product.apiUrl, 'owner')
    units = (await call<{ units: Unit[] }>('GET', `/units?limit=${unitCount}`)).units
    const target = { channel_type: 'pms', name: 'Partner PMS', config: { property_ref: property } }
    const made = await call<{ channel_target: { id: string } }>('POST', '/channel-targets', target)
    targetId = made.channel_target.id
    for (const [at, unit] of units.entries()) await addRoom(`R-${at}`, unit)
    // Somebody closed these nights at the PMS; here they are open.
    await setValues([{ external_id: 'R-0', ...closed, available: 0 }])
  })
  after(async () => {
    await browser?.close()
    await product?.[Symbol.asyncDispose]()
  })

  const closed = { date_from: night(300), date_to: night(304) }

  const call = <Reply>(method: string, path: string, body?: object): Promise<Reply> =>
    callApi(page, method, path, body)

  const addRoom = async (id: string, unit: Unit) => {
    const { name, type, bedrooms, bathrooms, max_guests, quantity, base_price_cents, currency } = unit
    const room = { name, type, bedrooms, bathrooms, max_guests, quantity, base_price_cents, currency }
    const answer = await fetch(`${product.pmsUrl}/properties/${property}/units/${id}`, {
      method: 'PUT',
      headers: { authorization: 'Bearer room', 'content-type': 'application/json' },
      body: JSON.stringify({ ...room, open: true, space }),
    })
    assert.ok(answer.ok, await answer.text())
  }

  const setValues = async (rooms: object[]) => {
    const answer = await fetch(`${product.pmsUrl}/_control/values`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ property, rooms }),
    })
    assert.ok(answer.ok, await answer.text())
  }

  const atPms = async (id: string, from: string, to: string) => {
    const query = `external_id=${id}&from=${from}&to=${to}`
    const answer = await fetch(`${product.pmsUrl}/properties/${property}/calendar?${query}`, {
      headers: { authorization: 'Bearer room' },
    })
    return (await answer.json()) as {
      units: { rooms: { available: number }[]; rates: { stop_sell?: boolean }[] }[]
    }
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
    const sent = await call<{ channel_listings: { status: string }[] }>(
      'GET',
      `/channel-listings?channel_target_id=${targetId}`,
    )
    assert.ok(sent.channel_listings.every(({ status }) => status === 'paused'))
    await assertAccessible(page, 'check')

    // One unit is refused by the PMS: the others go live, and its line says why.
    await control({
      mode: 'refuse_values',
      external_id: 'R-3',
      code: 'invalid',
      message: 'Room in renovation',
    })
    await click(`Go live with ${unitCount} units`)
    await page.getByText(`${unitCount - 1} units are live, 1 unit failed`).waitFor()
    await page.getByText(/Room in renovation/).waitFor()
    await assertAccessible(page, 'live')
    await control(null)
    await click('Try again')
    await page.getByText(`${unitCount} units are live`, { exact: true }).waitFor()
    assert.ok(clicks <= maxClicks + 1, `${clicks} clicks`)

    const [shown] = (await atPms('R-0', closed.date_from, closed.date_to)).units
    assert.ok(shown?.rates.every(({ stop_sell }) => stop_sell === true))
    const [sold] = (await atPms('R-1', closed.date_from, closed.date_to)).units
    assert.ok(sold?.rooms.every(({ available }) => available > 0))
  })

  test('a wrong suggestion is corrected with one click, and a room without a unit is not linked', async () => {
    const [first, second] = await Promise.all(
      ['Harbour View One', 'Harbour View Two'].map((name) => addUnit(name)),
    )
    await addRoom('H-1', { ...(first as Unit), name: 'Harbour View' })
    await addRoom('H-2', { ...(second as Unit), name: 'Boiler room' })
    await page.goto(`${product.apiUrl}/channels/${targetId}/link?step=match`)
    const unit = page.getByRole('combobox', { name: 'Unit for Harbour View' })
    await unit.waitFor()
    const before = await unit.locator('option:checked').innerText()
    const other = before === 'Harbour View One' ? 'Harbour View Two' : 'Harbour View One'
    await page.getByRole('button', { name: `or ${other}` }).click()
    await expect(unit.locator('option:checked')).toHaveText(other)
    await expect(page.getByRole('checkbox', { name: 'Link Boiler room' })).toBeDisabled()

    await page.getByRole('button', { name: 'Check 1 unit' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: other }).waitFor()
    await page.getByRole('button', { name: `Unlink again: ${other}` }).click()
    await page.getByText('Choose at least one unit').waitFor()
  })

  test('a PMS that does not answer is said with a way on', async () => {
    await control({ mode: 'refuse', status: 503 })
    await page.goto(`${product.apiUrl}/channels/${targetId}/link`)
    await page.getByText('The rooms of the PMS could not be read').waitFor()
    await control(null)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('combobox', { name: 'Unit for Harbour View' }).waitFor()
  })

  for (const look of looks)
    test(`accessible at ${look.width} in ${look.scheme}`, async () => {
      const { page: other } = await openPage(browser, product.apiUrl, look)
      await signIn(other, product.apiUrl, 'owner')
      await other.goto(`${product.apiUrl}/channels/${targetId}/link?step=match`)
      await other.getByRole('combobox', { name: 'Unit for Harbour View' }).waitFor()
      await assertAccessible(other, 'match')
      assert.equal(await other.evaluate('document.documentElement.scrollWidth'), look.width)
    })

  const addUnit = async (name: string): Promise<Unit> => {
    const { space_id, ...unit } = units[0] as Unit & { space_id: string }
    const { type, bedrooms, bathrooms, max_guests, quantity, base_price_cents, currency } = unit
    const body = {
      space_id,
      name,
      type,
      bedrooms,
      bathrooms,
      max_guests,
      quantity,
      base_price_cents,
      currency,
    }
    return (await call<{ unit: Unit }>('POST', '/units', body)).unit
  }

  const control = async (fault: object | null) => {
    assert.ok((await fetch(`${product.pmsUrl}/_control/faults`, { method: 'DELETE' })).ok)
    if (!fault) return
    const answer = await fetch(`${product.pmsUrl}/_control/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ property, ...fault }),
    })
    assert.ok(answer.ok, await answer.text())
  }
})

const space = {
  name: 'Partner House',
  address: 'Rua do Mar 1',
  city: 'Lisboa',
  state: null,
  zip: '1000',
  country: 'PT',
  timezone: 'Europe/Lisbon',
  description: null,
  amenities: [],
}

function night(daysAhead: number): string {
  return new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10)
}
