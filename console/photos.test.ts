import { suite, test } from 'node:test'

import { assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { holdChange, refusal } from './test/hold-change.ts'
import { untilOver, untilPainted } from './test/live.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('photos of a unit', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  test('what could not be uploaded stays named, and moving a photo keeps the focus', async () => {
    const unit = await addUnit(api, 'Picture Loft')
    const { page } = await app.openAs('owner', `/units/${unit.id}`)
    const photos = page.getByRole('region', { name: 'Photos' })
    const picture = async (name: string, width: number) => {
      const buffer = await page.screenshot({ clip: { x: 0, y: 0, width, height: 300 } })
      return { name, mimeType: 'image/png', buffer }
    }
    const longName = 'IMG_2231_as_the_camera_of_a_phone_names_it_when_it_is_edited.png'
    const notes = { name: longName, mimeType: 'image/png', buffer: Buffer.from('no picture') }
    const pictures = await Promise.all([picture('a.png', 400), picture('b.png', 500), picture('c.png', 600)])
    await photos.locator('input[type=file]').setInputFiles([notes, ...pictures])
    await expect(photos.getByRole('listitem')).toHaveCount(3)
    await expect(photos.getByRole('alert')).toContainText(`${longName} could not be uploaded`)
    await assertEveryLook(page, 'failed uploads', [320])
    await photos.getByRole('button', { name: 'Dismiss' }).click()
    await expect(photos.getByRole('alert')).toHaveCount(0)

    await photos.getByLabel('What photo 3 shows').fill('The terrace')
    await page.keyboard.press('Enter')
    const moved = (name: string) => photos.getByRole('button', { name, exact: true })
    for (const [before, after] of [
      [3, 2],
      [2, 1],
    ] as const) {
      await moved(`Move photo ${before} forward`).press('Enter')
      await expect(moved(`Move photo ${after} forward`)).toBeFocused()
    }
    await expect(photos.getByLabel('What photo 1 shows')).toHaveValue('The terrace')
    await moved('Make photo 3 the title picture').press('Enter')
    await expect(photos.getByLabel('What photo 2 shows')).toHaveValue('The terrace')
    await expect(moved('Make photo 1 the title picture')).toBeFocused()
  })

  test('photos stay in their new order while the order before is read', async () => {
    const unit = await addUnit(api, 'Ordered Loft')
    const { page } = await app.openAs('owner', '/settings/limits')
    const media = ['One', 'Two', 'Three'].map((description) => ({
      ...{ id: crypto.randomUUID(), unit_id: unit.id, description, content_type: 'image/png', url: '/' },
      renditions: [],
    }))
    const [reading, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let reads = 0
    await page.route('**/api/v1/media?*', async (route) => {
      reads += 1
      // What is read once both are moved has them where they are.
      if (reads > 2) return
      if (reads === 2) {
        reading.resolve()
        await read.promise
      }
      await route.fulfill({ json: { media, next_cursor: null, has_more: false } })
    })
    await page.route('**/api/v1/media/*', (route) => route.fulfill({ json: { media: media[0] } }))
    await page.goto(`${app.url}/units/${unit.id}`)
    await page.getByRole('button', { name: 'Move photo 3 forward' }).click()
    await reading.promise
    const over = untilOver(page, (request) => request.url().includes('/api/v1/media?'))
    await page.getByRole('button', { name: 'Move photo 2 forward' }).click()
    await expect(page.getByLabel('What photo 1 shows')).toHaveValue('Three')
    read.resolve()
    await over
    await untilPainted(page)
    await expect(page.getByLabel('What photo 1 shows')).toHaveValue('Three')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('a description that could not be saved is not left without a question', async () => {
    const unit = await addUnit(api, 'Described Loft')
    const { page } = await app.openAs('owner', '/settings/limits')
    const photo = { id: crypto.randomUUID(), unit_id: unit.id, description: null, content_type: 'image/png' }
    const media = [{ ...photo, url: '/', renditions: [] }]
    await page.route('**/api/v1/media?*', (route) =>
      route.fulfill({ json: { media, next_cursor: null, has_more: false } }),
    )
    const change = await holdChange(page, '**/api/v1/media/*')
    await page.goto(`${app.url}/units/${unit.id}`)
    const description = page.getByLabel('What photo 1 shows')
    await description.fill('The terrace')
    await description.press('Enter')
    change.reject()
    await page.getByRole('status').getByText(refusal).waitFor()
    await page.getByRole('link', { name: 'Bookings', exact: true }).click()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    await expect(description).toHaveValue('The terrace')
  })
})
