import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { assertAccessible, expect, noBrowser, signIn } from './test/browser.ts'
import { addOwnerOfTwo, addStranger } from './test/product.ts'
import { useConsole } from './test/use-console.ts'

const maxNodes = 1200
const maxIdleRequestsPerMinute = 6

suite('what surrounds every screen', { skip: noBrowser }, () => {
  const app = useConsole()

  const openUnits = async () => {
    const { page } = await app.openAs('owner', '/units')
    await page.locator('[data-unit]').first().waitFor()
    return page
  }

  test('an unknown path shows a page with the navigation to a person, and a problem to a program', async () => {
    const page = await openUnits()
    const answer = await page.goto(`${app.url}/no/such/page`)
    assert.equal(answer?.status(), 404)
    await page.getByText('There is no page at this address').waitFor()
    await assertAccessible(page, 'unknown path')
    await page.getByRole('navigation').getByRole('link', { name: 'Units' }).click()
    await page.locator('[data-unit]').first().waitFor()

    const problem = await fetch(`${app.url}/no/such/page`, { headers: { accept: '*/*' } })
    assert.match(problem.headers.get('content-type') ?? '', /problem\+json/)
    const api = await fetch(`${app.url}/api/v1/nothing`, { headers: { accept: 'text/html' } })
    assert.match(api.headers.get('content-type') ?? '', /problem\+json/)
  })

  test('the language is that of the browser, and another one that is chosen is kept', async () => {
    const { page } = await app.openSignedOut('/', { locale: 'pt-PT' })
    await signIn(page, `${app.url}/units`, 'owner', 'Iniciar sessão')
    await page.getByRole('heading', { name: 'Unidades' }).waitFor()
    await expect(page.locator('button[data-price]').first()).toHaveText(/^\d+,\d\d\s\D+$/)

    await page.getByRole('button', { name: /menu da conta/ }).click()
    await page.getByRole('menuitem', { name: 'Deutsch' }).click()
    await page.getByRole('searchbox', { name: 'Einheiten, Objekte und Inserate suchen' }).waitFor()
    await page.reload()
    await page.getByRole('navigation', { name: 'Seiten' }).waitFor()
    await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  })

  test('a person of an unknown organization reads why, and signs out', async () => {
    addStranger(app.product, 'Sam Stranger')
    const { page } = await app.openSignedOut()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('button[name="person"]', { hasText: 'Sam Stranger' }).click()
    await page.getByRole('heading', { name: 'Your account has no access' }).waitFor()
    await expect(page.getByRole('alert')).toContainText('The organization of the token is unknown')
    await assertAccessible(page, 'no access')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })

  test('an owner of two organizations switches between them in the account menu', async () => {
    const demonstration = addOwnerOfTwo(app.product, 'Duna Stays', 'Rita Duna')
    const { page } = await app.openAs('Rita Duna')
    const openMenu = () => page.getByRole('button', { name: /account menu/ }).click()
    const organization = (name: string) => page.getByRole('menuitem', { name })
    await openMenu()
    await organization('Duna Stays').click()
    await page.getByText('0 of 4 steps done').waitFor()

    await openMenu()
    await expect(organization('Duna Stays')).toHaveAttribute('aria-current', 'true')
    await expect(organization(demonstration)).toHaveAttribute('aria-current', 'false')
    await organization(demonstration).click()
    await page.locator('[data-part="arrivals"]').waitFor()

    // The choice holds for the other pages of this tab.
    await page.getByRole('navigation').getByRole('link', { name: 'Units' }).click()
    await page.locator('[data-unit]').first().waitFor()
    await page.reload()
    await page.locator('[data-unit]').first().waitFor()
    await openMenu()
    await expect(organization(demonstration)).toHaveAttribute('aria-current', 'true')
    await assertAccessible(page, 'account menu')
  })

  test('the palette finds a unit and goes to it by keyboard, and the shortcuts are listed', async () => {
    const page = await openUnits()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await assertAccessible(page, 'shortcuts')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search and go anywhere' })
    await field.fill('sé penthouse')
    const unit = page.getByRole('group', { name: 'Units' }).getByRole('option', { name: /Sé Penthouse/ })
    await unit.waitFor()
    await assertAccessible(page, 'palette')
    while ((await unit.getAttribute('aria-selected')) !== 'true') await field.press('ArrowDown')
    await field.press('Enter')
    await page.waitForURL(/penthouse|units/i)
    await page.getByText('Sé Penthouse').first().waitFor()

    await page.keyboard.press('Control+k')
    await field.fill('new booking')
    await page.getByRole('group', { name: 'Actions' }).getByRole('option', { name: 'New booking' }).waitFor()
    await field.press('Enter')
    await page.waitForURL('**/bookings/new')
  })

  test('a thousand units need few nodes, and the toolbar stays while they scroll', async () => {
    const page = await openUnits()
    await multiplyUnits(page, 1000)
    await page.reload()
    await page.getByText(/1,\d\d\d units/).waitFor()
    for (const depth of [0, 3000, 12_000, 30_000]) {
      await page.evaluate(`scrollTo(0, ${depth})`)
      await page.waitForTimeout(200)
      const nodes = () => page.evaluate<number>('document.querySelectorAll("*").length')
      await expect.poll(nodes, `nodes at ${depth} px`).toBeLessThanOrEqual(maxNodes)
    }
    const toolbar = await page.getByRole('searchbox').boundingBox()
    assert.ok(toolbar && toolbar.y > 0 && toolbar.y < 120, `toolbar at ${toolbar?.y}`)
    await expect(page.locator('[data-unit]').nth(11)).toBeAttached()
  })

  test('on a phone, screens without a place in the bar are in a list', async () => {
    const { page } = await app.openAs('owner', '/', { width: 390 })
    const navigation = page.getByRole('navigation')
    const payments = navigation.getByRole('link', { name: 'Payments' })
    await expect(payments).toBeHidden()
    await navigation.getByRole('button', { name: 'More' }).click()
    await assertAccessible(page, 'all screens')
    await payments.click()
    await page.waitForURL('**/payments')
    await expect(payments).toBeHidden()
    await page.setViewportSize({ width: 1440, height: 900 })
    await expect(payments).toBeVisible()
    await expect(navigation.getByRole('button', { name: 'More' })).toBeHidden()
  })

  test('the focus returns to the link that opened a listing', async () => {
    const page = await openUnits()
    const link = page.locator('[data-listing] a').nth(1)
    await link.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('History').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect(link).toBeFocused()
  })

  test('what somebody else changes is shown, also what was changed while the stream was away', async () => {
    const page = await openUnits()
    const api = app.apiAs('owner')
    const { spaces } = await api<{ spaces: [{ id: string; name: string }] }>('GET', '/spaces')
    const [space] = spaces
    const rename = (name: string) => api('PATCH', `/spaces/${space.id}`, { name })
    await page.getByText('Live', { exact: true }).waitFor()
    await rename('A name by another')
    await page.getByText('A name by another').first().waitFor()

    await page.context().setOffline(true)
    await page.getByText('Offline', { exact: true }).waitFor()
    await rename('A name in the gap')
    await page.context().setOffline(false)
    await page.getByText('A name in the gap').first().waitFor()
    await rename(space.name)
  })

  test('a screen that is opened offline says so, and is there when the connection is back', async () => {
    const page = await openUnits()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Payments' }).click()
    await page.getByText('You are offline. Try again when you are connected.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Units' }).click()
    await page.getByRole('heading', { name: 'Units', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Payments' }).click()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Payments', exact: true }).waitFor()
  })

  test('what is opened offline for the first time says so, the screen stays, and it opens later', async () => {
    const page = await openUnits()
    const account = page.getByRole('button', { name: /account menu/ })
    await page.context().setOffline(true)
    for (const open of [() => page.keyboard.press('ControlOrMeta+k'), () => account.click()]) {
      await open()
      await page.getByRole('status').getByText('You are offline.').waitFor()
      await page.getByRole('button', { name: 'Dismiss' }).click()
      await page.locator('[data-unit]').first().waitFor()
    }
    await page.context().setOffline(false)
    await expect(async () => {
      await account.click()
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor({ timeout: 2_000 })
    }).toPass()
  })

  test('while it is not known what the person may do, it says why, and tries again by itself', async () => {
    const page = await openUnits()
    await page.route('**/api/v1/auth/session', (route) => route.fulfill({ status: 503, body: '' }))
    await page.goto(`${app.url}/`)
    await page.getByRole('alert').filter({ hasText: 'Something went wrong on our side' }).waitFor()
    await page.unroute('**/api/v1/auth/session')
    await page.getByRole('link', { name: 'New booking' }).waitFor()
    await expect(page.getByRole('alert')).toHaveCount(0)
  })

  test('an idle tab without the event stream asks at most six times a minute', async () => {
    const { page, witness } = await app.openAs('owner', '/units')
    await page.clock.install()
    await page.route('**/api/v1/events/stream*', (route) => route.abort())
    await page.reload()
    await page.getByText('Delayed').waitFor()
    await passSeconds(page, 12)
    const before = witness.requested.length
    await passSeconds(page, 60)
    const asked = witness.requested.slice(before).filter((url) => url.includes('/api/'))
    assert.ok(asked.length <= maxIdleRequestsPerMinute, asked.join('\n'))
    assert.ok(asked.some((url) => url.includes('/sync/status')))
  })
})

/** Lets the clock of a page run ahead; what was asked within a second is answered before the next one. */
async function passSeconds(page: Page, seconds: number) {
  const asked: Promise<unknown>[] = []
  page.on('request', (request) => asked.push(request.response().catch(() => null)))
  for (let second = 0; second < seconds; second++) {
    await page.clock.runFor(1_000)
    await Promise.allSettled(asked.splice(0))
  }
}

/** Answers the list of units with so many copies of the first one. */
const multiplyUnits = (page: Page, count: number) =>
  page.route('**/api/v1/units?*', async (route) => {
    const answer = await route.fetch()
    const { units } = (await answer.json()) as { units: { id: string; name: string }[] }
    const copies = Array.from({ length: count }, (_, index) => ({
      ...units[0],
      id: crypto.randomUUID(),
      name: `Copy ${index}`,
    }))
    await route.fulfill({ response: answer, json: { units: [...units, ...copies], next_cursor: null } })
  })
