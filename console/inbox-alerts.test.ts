import { suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { expect, noBrowser } from './test/browser.ts'
import { useConsole } from './test/use-console.ts'

suite('alerts in the inbox', { skip: noBrowser }, () => {
  const app = useConsole()

  const alertOf = (id: number, more: object = {}) => ({
    ...{
      id: `0190a000-0000-7000-8000-${String(id).padStart(12, '0')}`,
      kind: 'target.error',
      status: 'open',
    },
    ...{ message: `Alert ${id}`, first_at: new Date().toISOString(), details: {}, ...more },
  })
  const answer = (page: Page, pages: object[][]) =>
    page.route('**/api/v1/alerts?*', (route) => {
      const isFirst = !route.request().url().includes('cursor=')
      const isMore = isFirst && pages.length > 1
      return route.fulfill({
        json: { alerts: pages[isFirst ? 0 : 1], next_cursor: isMore ? 'next' : null, has_more: isMore },
      })
    })

  test('the part that is shown is in sight on a phone', async () => {
    const { page } = await app.openAs('owner', '/inbox?show=alerts', { width: 320, locale: 'de-DE' })
    await expect(page.getByRole('link', { name: 'Hinweise' })).toBeInViewport({ ratio: 1 })
  })

  test('those beyond the first hundred can be shown', async () => {
    const { page } = await app.openAs('owner', '/settings/limits')
    await answer(page, [Array.from({ length: 100 }, (_, id) => alertOf(id)), [alertOf(100)]])
    await page.goto(`${app.url}/inbox?show=alerts`)
    await page.getByRole('button', { name: 'Alerts: Show more' }).click()
    await expect(page.locator('[data-item]')).toHaveCount(101)
  })

  test('the next ones are shown although a change was read while they were', async () => {
    const { page } = await app.openAs('owner', '/settings/limits')
    const asked = Promise.withResolvers<void>()
    await page.route('**/api/v1/events/stream*', async (route) => {
      await asked.promise
      const body = `event: changes\ndata: ${JSON.stringify({ alert: null })}\n\n`
      await route.fulfill({ contentType: 'text/event-stream', body })
    })
    let times = 0
    await page.route('**/api/v1/alerts?*', (route) => {
      const isNext = route.request().url().includes('cursor=')
      // The first request for the next page is not answered before the change is read.
      if (isNext && times++ === 0) return asked.resolve()
      const json = {
        alerts: [alertOf(isNext ? 1 : 0)],
        next_cursor: isNext ? null : 'next',
        has_more: !isNext,
      }
      return route.fulfill({ json })
    })
    await page.goto(`${app.url}/inbox?show=alerts`)
    await page.getByRole('button', { name: 'Alerts: Show more' }).click()
    await expect(page.locator('[data-item]')).toHaveCount(2)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('the filter has the channels beyond the first page', async () => {
    const { page } = await app.openAs('owner', '/settings/limits')
    const targetOf = (id: number) => ({ id: alertOf(id).id, name: `Channel ${id}`, config: {} })
    await page.route('**/api/v1/channel-targets?*', (route) => {
      const isFirst = !route.request().url().includes('cursor=')
      const targets = isFirst ? [targetOf(1), targetOf(2)] : [targetOf(3)]
      const next = { next_cursor: isFirst ? 'next' : null, has_more: isFirst }
      return route.fulfill({ json: { channel_targets: targets, ...next } })
    })
    await page.goto(`${app.url}/inbox`)
    await expect(page.locator('option', { hasText: 'Channel 3' })).toHaveCount(1)
  })

  test('one that today leads to is unfolded, also among others of its kind', async () => {
    const { page } = await app.openAs('owner', '/settings/limits')
    const stale = [1, 2].map((id) => alertOf(id, { kind: 'listing.stale', message: `Room ${id} is behind` }))
    await answer(page, [stale])
    await page.route('**/api/v1/today*', async (route) => {
      const response = await route.fetch()
      const { today } = (await response.json()) as { today: object }
      await route.fulfill({ response, json: { today: { ...today, alerts: { count: 2, alerts: stale } } } })
    })
    await page.goto(app.url)
    await page.locator('[data-part=alerts] li a').nth(1).click()
    await page.getByRole('listitem').getByText('Room 2 is behind').last().waitFor()
    await page.getByRole('button', { expanded: true }).click()
    await expect(page.getByText('Room 2 is behind')).toHaveCount(0)
  })

  test('which calendar a decision is about is named when several lost nights', async () => {
    const { page } = await app.openAs('owner', '/settings/limits')
    const feeds = ['Airbnb', 'Vrbo'].map((name, id) => ({ calendar_feed_id: alertOf(id).id, name }))
    await answer(page, [[alertOf(9, { kind: 'calendar_feed.held', details: { calendar_feeds: feeds } })]])
    await page.goto(`${app.url}/inbox?show=alerts&open=${alertOf(9).id}`)
    await page.getByText('Vrbo', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Free the nights: Vrbo' }).waitFor()
  })

  test('causes are retried also when one of them is gone meanwhile', async () => {
    const { page } = await app.openAs('owner', '/settings/limits')
    const causes = ['rate_limited', 'timeout'].map((error_code, id) => ({
      ...{
        id: alertOf(id).id,
        error_code,
        channel_target_id: alertOf(id).id,
        channel_target_name: 'Any PMS',
      },
      ...{ count: 3, failed: 3, retrying: 0, first_at: new Date().toISOString(), message: '', listings: [] },
    }))
    await page.route('**/api/v1/sync/failures', (route) => route.fulfill({ json: { sync_failures: causes } }))
    await page.route(`**/api/v1/sync/failures/${alertOf(1).id}/retry`, (route) =>
      route.fulfill({ status: 201, json: { retry: { queued: 3 } } }),
    )
    await page.goto(`${app.url}/inbox?show=failures`)
    for (const at of [0, 1]) await page.getByRole('checkbox').nth(at).click()
    await page.getByRole('button', { name: 'Retry 2' }).click()
    await page.getByRole('status').getByText('3 listings are sent again').waitFor()
  })

  test('the part that is shown is the current one', async () => {
    const { page } = await app.openAs('owner', '/inbox')
    const parts = page.getByRole('navigation', { name: 'Parts of the inbox' })
    const current = parts.locator('[aria-current]')
    await expect(current).toHaveText(['Everything'])
    await parts.getByRole('link', { name: 'Alerts' }).click()
    await expect(page).toHaveURL(/show=alerts/)
    await expect(current).toHaveText([/^Alerts/])
    await parts.getByRole('link', { name: 'Everything' }).click()
    await expect(current).toHaveText(['Everything'])
  })
})
