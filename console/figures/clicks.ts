import type { Locator, Page } from '@playwright/test'

import { callApi, tokenIn } from '../test/api.ts'
import type { Api } from '../test/api.ts'
import { addPmsRoom, setPmsFaults } from '../test/pms.ts'
import type { Product } from '../test/product.ts'
import type { Row } from './measure.ts'

/** Does what a person would do, and counts how often the mouse is pressed. */
export const countClicks = async (page: Page, product: Product): Promise<Row[]> => {
  const url = product.apiUrl
  const session = await page.evaluate<string>('JSON.stringify(sessionStorage)')
  const api = <Reply>(method: string, path: string, body?: object) =>
    callApi<Reply>(product, `Bearer ${tokenIn(session)}`, method, path, body)
  let clicks = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  const cells = page.locator('[data-row="unit"] [data-state="free"]')
  const save = page.getByRole('button', { name: 'Save', exact: true })

  await page.goto(`${url}/calendar?from=2027-05-03`)
  await click(cells.first())
  await click(page.locator('label', { hasText: /^Block$/ }))
  await click(save)
  await page.getByText('Changed 1 night').waitFor()
  const block = clicks

  // The headers of a Friday and a Saturday select these nights of all units that are shown.
  clicks = 0
  await page.goto(`${url}/calendar?from=2027-05-03`)
  await cells.first().waitFor()
  const header = (day: string) => page.locator('[role="columnheader"]', { hasText: day })
  await header('Fri 7').hover()
  await page.mouse.down()
  await header('Sat 8').hover()
  await page.mouse.up()
  clicks += 1
  await click(page.locator('label', { hasText: '± %' }))
  await page.getByRole('textbox', { name: 'Percent' }).fill('10')
  await click(save)
  await page.getByText(/Changed \d+ nights/).waitFor()
  const raise = clicks

  await failOneListing(api, product)
  clicks = 0
  await page.goto(url)
  await click(page.locator('[data-part="failures"]').getByText('refuses the values'))
  await page.getByText(/refused with 422/).waitFor()
  const explain = clicks
  await setPmsFaults(product)

  await addRoomsOfUnits(api, product)
  clicks = 0
  await page.goto(url)
  await click(page.getByRole('link', { name: 'Channels' }))
  await click(page.getByRole('link', { name: 'Connect a PMS' }))
  // The first field has the focus, and the keyboard leads to the others.
  await page.getByLabel('Name', { exact: true }).fill('Partner')
  await page.getByLabel('Address of the API').fill(product.pmsUrl)
  await page.getByLabel('Property at the PMS').fill(property)
  await click(page.getByRole('button', { name: 'Test the connection' }))
  await page.getByText(/It works\. /).waitFor()
  await click(page.getByRole('button', { name: 'Connect' }))
  await click(page.getByRole('button', { name: `Check ${roomCount} units` }))
  await click(page.getByRole('button', { name: `Go live with ${roomCount} units` }))
  await page.getByText(`${roomCount} units are live`, { exact: true }).waitFor()
  return [
    ['clicks: block one night', '3', String(block)],
    ['clicks: +10 % on a weekend for all units that are shown', '6', String(raise)],
    ['clicks: why did it fail', '2', String(explain)],
    [`clicks: connect and link ${roomCount} units`, '12', String(clicks)],
  ]
}

const roomCount = 20
const property = 'partner-house'

type Unit = Omit<Parameters<typeof addPmsRoom>[2], 'id'>

/** The PMS refuses the values of one room, and its price changes. */
const failOneListing = async (api: Api, product: Product) => {
  type Listings = { channel_listings: { external_id: string; unit_id: string }[] }
  const { channel_listings } = await api<Listings>('GET', '/channel-listings?limit=1')
  const { external_id, unit_id } = channel_listings[0]!
  await setPmsFaults(product, { mode: 'refuse', status: 422, external_id })
  await api('PATCH', `/units/${unit_id}`, { base_price_cents: 22_200 })
}

/** The PMS has a room for each of the first units, under the same name. */
const addRoomsOfUnits = async (api: Api, product: Product) => {
  const { units } = await api<{ units: Unit[] }>('GET', `/units?limit=${roomCount}`)
  for (const [at, unit] of units.entries()) {
    const { name, type, bedrooms, bathrooms, max_guests, quantity, base_price_cents, currency } = unit
    const room = { name, type, bedrooms, bathrooms, max_guests, quantity, base_price_cents, currency }
    await addPmsRoom(product, property, { id: `R-${at}`, ...room })
  }
}
