import { suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { useConsole } from './test/use-console.ts'

suite('members', { skip: noBrowser }, () => {
  const app = useConsole()

  test('are shown since the day that it was where the person is', async () => {
    const { page } = await app.openAs('owner', '/settings', { timezoneId: 'Asia/Tokyo' })
    const member = { id: crypto.randomUUID(), name: 'Mika Member', email: 'mika@example.com', role: 'staff' }
    const members = [{ ...member, created_at: '2026-03-01T23:30:00.000Z' }]
    await page.route('**/api/v1/members?*', (route) =>
      route.fulfill({ json: { members, next_cursor: null, has_more: false } }),
    )
    await page.goto(`${app.url}/settings/members`)
    await expect(page.getByRole('table', { name: 'Who may use the console' })).toContainText('Mar 2, 2026')
  })
})
