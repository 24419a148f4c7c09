import type { Locator, Page } from '@playwright/test'

type Row = [what: string, goal: string, measured: string]

/** Does what a person would do, and counts how often the mouse is pressed. */
export const countClicks = async (page: Page, url: string): Promise<Row[]> => {
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
  await header('Fri7').hover()
  await page.mouse.down()
  await header('Sat8').hover()
  await page.mouse.up()
  clicks += 1
  await click(page.locator('label', { hasText: '± %' }))
  await page.getByRole('textbox', { name: 'Percent' }).fill('10')
  await click(save)
  await page.getByText(/Changed \d+ nights/).waitFor()
  return [
    ['clicks: block one night', '3', String(block)],
    ['clicks: +10 % on a weekend for all units that are shown', '6', String(clicks)],
  ]
}
