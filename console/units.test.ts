import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { assertEveryLook, delayFirstChange, expect, noBrowser } from './test/browser.ts'
import { useConsole } from './test/use-console.ts'

interface Unit {
  id: string
  name: string
  space_id: string
  max_guests: number
  base_price_cents: number
}

suite('units and spaces', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')
  let page: Page

  before(async () => {
    page = (await app.openAs('owner')).page
  })

  const unitNamed = async (name: string): Promise<Unit> => {
    const { units } = await api<{ units: Unit[] }>('GET', `/units?q=${encodeURIComponent(name)}`)
    const [unit] = units
    assert.ok(unit, name)
    return unit
  }
  const openUnit = async (name: string) => {
    const unit = await unitNamed(name)
    await page.goto(`${app.url}/units/${unit.id}`)
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    return unit
  }
  const save = async () => {
    await page.getByRole('button', { name: 'Save changes' }).click()
    await expect(page.getByRole('button', { name: 'Save changes' })).toHaveCount(0)
  }

  test('a unit is created together with its space; a missing value is shown at its field', async () => {
    await page.goto(`${app.url}/units`)
    await page.getByRole('link', { name: 'New unit' }).click()
    await page.getByLabel('Space', { exact: true }).selectOption('A new space')
    await page.getByLabel('Base price a night').fill('ninety')
    await page.getByRole('button', { name: 'Create the unit' }).click()
    const name = page.getByLabel('Name', { exact: true })
    await expect(name).toBeFocused()
    await expect(page.getByLabel('Base price a night')).toHaveAttribute('aria-invalid', 'true')
    await name.fill('Boathouse')
    await page.getByLabel('Name of the space').fill('Harbour Row')
    await page.getByLabel('Country').selectOption('Spain')
    await page.getByLabel('Base price a night').fill('95')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Boathouse', level: 1 }).waitFor()
    await page.getByText('not linked to any channel yet').waitFor()
    await page.getByRole('link', { name: 'Harbour Row' }).click()
    await expect(page.getByLabel('Country')).toHaveValue('ES')
    await expect(page.getByRole('link', { name: 'Boathouse' })).toHaveCount(1)
  })

  test('what somebody else changed meanwhile is shown, and only what was typed is saved', async () => {
    const { id } = await openUnit('Levada Villa')
    await page.getByLabel('Guests at most').fill('7')
    await api('PATCH', `/units/${id}`, { max_guests: 9, bedrooms: 5 })
    await page.getByText('Someone else set this to 9').waitFor()
    await expect(page.getByLabel('Bedrooms')).toHaveValue('5')
    await expect(page.getByLabel('Guests at most')).toHaveValue('7')
    await save()
    await expect(page.getByText('Someone else')).toHaveCount(0)
    const { unit } = await api<{ unit: Unit & { bedrooms: number } }>('GET', `/units/${id}`)
    assert.deepEqual([unit.max_guests, unit.bedrooms], [7, 5])
  })

  test('by keyboard: a price that falls by more than half is asked about, and the floor holds', async () => {
    await openUnit('Bay Studio')
    await page.getByLabel('Base price a night').focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('40')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Lower the price by more than half?' })
    await dialog.getByText('from €92.00 to €40.00').waitFor()
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(page.getByLabel('Base price a night')).toHaveValue('40')
    await page.getByLabel('Price floor').fill('50')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Change the price' }).click()
    await expect(page.locator('[aria-invalid=true]')).not.toHaveCount(0)
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect(page.getByLabel('Base price a night')).toHaveValue('92.00')
  })

  test('without a connection nothing typed is lost', async () => {
    await openUnit('Garden Flat')
    await page.getByLabel('Name', { exact: true }).fill('Garden Rooms')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('alert').waitFor()
    await page.context().setOffline(false)
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Garden Rooms')
    await save()
    await page.getByRole('heading', { name: 'Garden Rooms', level: 1 }).waitFor()
  })

  test('a dialog that cannot be loaded says why, and the screen keeps what was typed', async () => {
    const { page: fresh } = await app.openAs('owner', `/units/${(await unitNamed('Tejo Two')).id}`)
    const name = fresh.getByLabel('Name', { exact: true })
    const remove = fresh.getByRole('button', { name: 'Delete', exact: true })
    await name.fill('Tejo Three')
    await fresh.context().setOffline(true)
    await remove.click()
    await fresh.getByText(/^You are offline\. Try/).waitFor()
    await expect(name).toHaveValue('Tejo Three')
    await fresh.context().setOffline(false)
    await remove.click()
    await fresh.getByLabel('Type delete to confirm').waitFor()
  })

  test('photos are added, described, put in order by keyboard and deleted; a file that is none is refused', async () => {
    await openUnit('Ponte Loft')
    const photos = page.getByRole('region', { name: 'Photos' })
    const picture = async (name: string, width: number) => {
      const buffer = await page.screenshot({ clip: { x: 0, y: 0, width, height: 300 } })
      return { name, mimeType: 'image/png', buffer }
    }
    await photos
      .locator('input[type=file]')
      .setInputFiles([await picture('a.png', 400), await picture('b.png', 500)])
    await expect(photos.getByRole('listitem')).toHaveCount(2)
    await photos.getByLabel('What photo 2 shows').fill('The terrace')
    await page.keyboard.press('Enter')
    await photos.getByRole('img', { name: 'The terrace' }).waitFor()
    const changes = await delayFirstChange(page, '**/api/v1/media/*')
    await photos.getByRole('button', { name: 'Move photo 2 forward' }).focus()
    await page.keyboard.press('Enter')
    await expect(photos.getByLabel('What photo 1 shows')).toHaveValue('The terrace')
    await photos.getByRole('listitem').nth(1).dragTo(photos.getByRole('listitem').first())
    await expect(photos.getByLabel('What photo 2 shows')).toHaveValue('The terrace')
    await expect.poll(() => changes.saved).toBe(2)
    await page.reload()
    await expect(photos.getByLabel('What photo 2 shows')).toHaveValue('The terrace')

    const text = { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no picture') }
    await photos.locator('input[type=file]').setInputFiles(text)
    await page.getByText(/^notes\.png could not be uploaded/).waitFor()
    await photos.getByRole('button', { name: 'Delete photo 2' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect(photos.getByRole('listitem')).toHaveCount(1)
  })

  test('rate plans and charges are added, changed and deleted, each fault at its field', async () => {
    await openUnit('Ponte Loft')
    await page.getByRole('button', { name: 'Add a rate plan' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel('Name')).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(dialog.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
    await dialog.getByLabel('Name').fill('With breakfast')
    await dialog.getByLabel('Meals').selectOption('Breakfast')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Edit: With breakfast' }).click()
    await dialog.getByLabel('Meals').selectOption('Half board')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Rate plans' }).getByText('Half board').waitFor()
    await expect(dialog).toHaveCount(0)

    await page.getByRole('button', { name: 'Add a charge' }).click()
    await dialog.getByLabel('Name').fill('City tax')
    await dialog.getByLabel('Kind').selectOption('Tax')
    await dialog.getByLabel('Charged', { exact: true }).selectOption('each guest and night')
    await dialog.getByLabel('Amount').fill('two')
    await page.keyboard.press('Enter')
    await expect(dialog.getByLabel('Amount')).toHaveAttribute('aria-invalid', 'true')
    await dialog.getByLabel('Amount').fill('2')
    await page.keyboard.press('Enter')
    await page.getByText('Tax · €2.00 a guest and night').waitFor()
    await page.getByRole('button', { name: 'Delete: City tax' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('button', { name: 'Delete: City tax' })).toHaveCount(0)
  })

  test('a calendar is given away under an address; one that cannot be read is refused at its field', async () => {
    await openUnit('Ponte Loft')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add a calendar' }).click()
    await dialog.getByLabel('Name').fill('Holiday site')
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Address of Holiday site')).toHaveValue(/\/calendars\/.+/)

    await page.getByRole('button', { name: 'Add a calendar' }).click()
    await dialog.getByLabel('Name').fill('Their site')
    await dialog.getByLabel('Direction').selectOption('Read their dates')
    await dialog.getByLabel('Address of their calendar').fill('no address')
    await page.keyboard.press('Enter')
    await expect(dialog.getByLabel('Address of their calendar')).toHaveAttribute('aria-invalid', 'true')
    await page.keyboard.press('Escape')
  })

  test('a unit in use is not deleted but says by what; archived and restored it is, and an unused one goes', async () => {
    await openUnit('Fado Studio')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByLabel('Type delete to confirm').fill('delete')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('link', { name: 'Atlântica PMS' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Archive' }).click()
    await dialog.getByRole('button', { name: 'Archive' }).click()
    await expect(page.getByLabel('Name', { exact: true })).toBeDisabled()
    await page.getByRole('button', { name: 'Restore' }).click()
    await expect(page.getByLabel('Status')).toHaveValue('inactive')

    await openUnit('Boathouse')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByLabel('Type delete to confirm').fill('delete')
    await page.keyboard.press('Enter')
    await page.getByText('There is no unit in it yet.').waitFor()

    await page.goBack()
    await page.getByText('It may have been deleted').waitFor()
    await page.goForward()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByLabel('Type delete to confirm').fill('delete')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Units', level: 1 }).waitFor()
    await page.goBack()
    await page.getByText('It may have been deleted').waitFor()
  })

  test('who may only look sees the facts and why they cannot be changed', async () => {
    const { id } = await unitNamed('Azulejo Loft')
    const { page: viewer } = await app.openAs('viewer', `/units/${id}`)
    await expect(viewer.getByLabel('Name', { exact: true })).toBeDisabled()
    await expect(viewer.getByRole('button', { name: 'Archive' })).toHaveAttribute(
      'title',
      'Your role may look at units but not change them',
    )
  })

  test('is accessible in every look', async () => {
    const { id, space_id: spaceId } = await unitNamed('Azulejo Loft')
    for (const path of [`/units/${id}`, `/spaces/${spaceId}`, '/units/new', '/spaces/new']) {
      await page.goto(app.url + path)
      await page.getByLabel('Name', { exact: true }).waitFor()
      await assertEveryLook(page, path)
    }
  })
})
