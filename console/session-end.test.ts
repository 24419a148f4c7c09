import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import type { Page } from '@playwright/test'

import { assertAccessible, assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { addOneMember, addOwnerOfTwo } from './test/product.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('a session that ends by itself', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  /** Opens a unit with a new name that is not saved. */
  const openEdited = async (name: string, typed: string, person = 'owner') => {
    const unit = await addUnit(api, name)
    const { page } = await app.openAs(person, `/units/${unit.id}`)
    await page.getByLabel('Name', { exact: true }).fill(typed)
    return { unit, page, save: () => page.getByRole('button', { name: 'Save changes' }).click() }
  }
  const changeTokens = (page: Page, changed: object) =>
    page.evaluate(`for (const key of Object.keys(sessionStorage))
      if (key.startsWith('oidc.user:')) {
        const tokens = JSON.parse(sessionStorage.getItem(key))
        sessionStorage.setItem(key, JSON.stringify({ ...tokens, ...${JSON.stringify(changed)} }))
      }`)
  /** Has the API and the identity provider reject the tokens of a page. */
  const endSession = async (page: Page) => {
    await page.route('**/token', async (route) => {
      if (!route.request().postData()?.includes('grant_type=refresh_token')) return await route.continue()
      await route.fulfill({ status: 400, json: { error: 'invalid_grant' } })
    })
    await changeTokens(page, { access_token: 'x' })
  }
  /** Holds the time limits of requests from now on; returns how to end those that have begun. */
  const holdTimeLimits = async (page: Page) => {
    await page.evaluate(`{
      window.limits = []
      AbortSignal.timeout = () => {
        const limit = new AbortController()
        window.limits.push(limit)
        return limit.signal
      }
    }`)
    return () =>
      page.evaluate(
        `for (const limit of window.limits.splice(0)) limit.abort(new DOMException('', 'TimeoutError'))`,
      )
  }
  /** Signs in in the window that the page opens, which then closes itself. */
  const signInAgainAs = async (page: Page, role: string) => {
    const opened = page.context().waitForEvent('page')
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
    const signIn = await opened
    await signIn.locator('button[name="person"]', { hasText: role }).first().click()
    await expect.poll(() => signIn.isClosed()).toBe(true)
  }

  test('while the identity provider cannot answer, the session goes on and nothing typed is lost', async () => {
    // Another file may have used up the refresh token of the owner, by setting the clock of a page forward.
    addOneMember(app.product, 'Tina Token')
    const { page, save } = await openEdited('Token Studio', 'Token Loft', 'Tina Token')
    await page.route('**/token', (route) => route.abort())
    await changeTokens(page, { expires_at: 1 })
    await save()
    await page.getByRole('alert').waitFor()
    await page.route('**/token', (route) =>
      route.fulfill({ status: 503, json: { error: 'temporarily_unavailable' } }),
    )
    const answered = page.waitForResponse('**/token')
    await save()
    await answered
    await page.getByRole('alert').waitFor()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Token Loft')
    await page.unroute('**/token')
    await save()
    await page.getByRole('heading', { name: 'Token Loft', level: 1 }).waitFor()
  })

  test('after each sleep of the computer, the refresh token is sent once', async () => {
    addOneMember(app.product, 'Sofia Sleep')
    const unit = await addUnit(api, 'Sleeping Studio')
    const { page, witness } = await app.openAs('Sofia Sleep', '/settings/limits')
    await page.clock.install()
    await page.goto(`${app.url}/units/${unit.id}`)
    for (const slept of ['First', 'Second']) {
      await page.getByLabel('Name', { exact: true }).fill(`Slept ${slept}`)
      await page.clock.fastForward('20:00')
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByRole('heading', { name: `Slept ${slept}`, level: 1 }).waitFor()
    }
    assert.equal(witness.requested.filter((url) => url.endsWith('/token')).length, 2)
  })

  test('what is being saved when the session ends is saved after the person has signed in again', async () => {
    const { page, save } = await openEdited('Ended Studio', 'Ended Loft')
    await endSession(page)
    const endTimeLimits = await holdTimeLimits(page)
    await save()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await assertEveryLook(page, 'session has ended')
    await endTimeLimits()
    await signInAgainAs(page, 'owner')
    await page.getByRole('heading', { name: 'Ended Loft', level: 1 }).waitFor()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  test('another person who signs in does not save what was typed before', async () => {
    const { unit, page, save } = await openEdited('Left Studio', 'Left Loft')
    await endSession(page)
    await save()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await signInAgainAs(page, 'viewer')
    await page.locator('[data-part="arrivals"]').waitFor()
    assert.equal((await api<{ unit: { name: string } }>('GET', `/units/${unit.id}`)).unit.name, 'Left Studio')
  })

  test('where the browser opens no window, the person signs in on the page', async () => {
    const { page, save } = await openEdited('Blocked Studio', 'Blocked Loft')
    await endSession(page)
    await page.evaluate('window.open = () => null')
    await save()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Sign in here' }).click()
    await page.locator('button[name="person"]', { hasText: 'owner' }).first().click()
    await page.getByRole('heading', { name: 'Blocked Studio', level: 1 }).waitFor()
  })

  test('a window that cannot close itself says that the other one goes on', async () => {
    const { page, save } = await openEdited('Window Studio', 'Window Loft')
    await endSession(page)
    await page.evaluate(`window.open = () =>
      ({ closed: true, focus() {}, location: { replace: (url) => (window.signInUrl = url) } })`)
    await save()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
    const url = await page.waitForFunction<string>('window.signInUrl')
    const opened = await page.context().newPage()
    await opened.goto(String(await url.jsonValue()))
    await opened.locator('button[name="person"]', { hasText: 'owner' }).first().click()
    await opened.getByRole('heading', { name: 'You are signed in' }).waitFor()
    await assertAccessible(opened, 'signed in')
    await page.getByRole('heading', { name: 'Window Loft', level: 1 }).waitFor()
  })

  test('another organization, and signing out, is asked about while something is not saved', async () => {
    addOwnerOfTwo(app.product, 'Serra Stays', 'Sara Serra')
    const { page, save } = await openEdited('Asked Studio', 'Asked Loft', 'Sara Serra')
    for (const item of ['Serra Stays', 'Sign out']) {
      await page.getByRole('button', { name: /account menu/ }).click()
      await page.getByRole('menuitem', { name: item }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
      await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Asked Loft')
    }
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and go anywhere' }).fill('sign out')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
    await save()
    await page.getByRole('heading', { name: 'Asked Loft', level: 1 }).waitFor()
    await page.getByRole('button', { name: /account menu/ }).click()
    await page.getByRole('menuitem', { name: 'Serra Stays' }).click()
    await page.getByText('0 of 4 steps done').waitFor()
  })

  test('what was sent before another organization was chosen is not repeated for that one', async () => {
    addOwnerOfTwo(app.product, 'Tejo Stays', 'Teresa Tejo')
    const { page } = await app.openAs('Teresa Tejo', '/spaces/new')
    const organizations: (string | undefined)[] = []
    const repeated = Promise.withResolvers<void>()
    await page.route('**/api/v1/spaces', async (route) => {
      organizations.push(route.request().headers()['x-organization'])
      if (organizations.length > 1) repeated.resolve()
      await route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json: {} })
    })
    // The page is still there while the next one is loaded.
    await page.route(`${app.url}/`, (route) => repeated.promise.then(() => route.continue()))
    await page.getByLabel('Name', { exact: true }).fill('Sent Once')
    await page.getByRole('button', { name: 'Create' }).click()
    await expect.poll(() => organizations.length).toBe(1)
    await page.getByRole('button', { name: /account menu/ }).click()
    await page.getByRole('menuitem', { name: 'Tejo Stays' }).click()
    await page.getByText('0 of 4 steps done').waitFor()
    assert.equal(organizations[1], organizations[0])
  })

  test('what is typed for one organization is not saved in another that the person is moved to', async () => {
    const { moveTo } = addOneMember(app.product, 'Mara Moved')
    const { page } = await app.openAs('Mara Moved', '/spaces/new')
    await page.getByLabel('Name', { exact: true }).fill('Moved House')
    moveTo('Minho Stays')
    await changeTokens(page, { access_token: 'x' })
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('0 of 4 steps done').waitFor()
    await expect(page.getByRole('banner')).toContainText('Minho Stays')
  })

  test('a link to a record of another organization says so', async () => {
    addOwnerOfTwo(app.product, 'Lima Stays', 'Lia Lima')
    const { id } = await addUnit(api, 'Linked Elsewhere')
    const { page } = await app.openAs('Lia Lima')
    await page.getByRole('button', { name: /account menu/ }).click()
    await page.getByRole('menuitem', { name: 'Lima Stays' }).click()
    await page.getByText('0 of 4 steps done').waitFor()
    await page.goto(`${app.url}/units/${id}`)
    await page.getByText(/Lima Stays has no such record.* another of your organizations/).waitFor()
  })

  test('a page that the browser has kept shows nothing to somebody who has signed out since', async () => {
    const { page } = await app.openAs('owner', '/units')
    await page.locator('[data-unit]').first().waitFor()
    await page.evaluate(`{
      sessionStorage.clear()
      sessionStorage.setItem('restored', 'true')
      window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    }`)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await expect(page).toHaveURL(`${app.url}/units`)
  })
})
