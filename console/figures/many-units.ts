import { gzipSync } from 'node:zlib'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Page } from '@playwright/test'

interface Unit {
  unit_id: string
  name: string
  space_id: string
  space_name: string
}

interface Network {
  latencyMs: number
  bytesPerMs: number
}

const dayMs = 86_400_000
export const unitsPerSpace = 10

/**
 * Answers the calendar of a page with `count` units, made from a reply that the product really gave for its own: their
 * nights, bookings and listings repeat. Only the reply is made up; the page asks for it as it always does.
 */
export const multiplyUnits = async (page: Page, count: number, network?: Network) => {
  let original: { units: Unit[]; from: string } | undefined
  await page.route('**/api/v1/calendar?*', async (route) => {
    const query = new URL(route.request().url()).searchParams
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
    if (!original && from !== to) {
      const reply = await route.fetch()
      original = { units: ((await reply.json()) as { calendar: Unit[] }).calendar, from }
    }
    // The list of units is asked for at the same time as the first nights.
    while (!original) await sleep(5)
    const limit = Number(query.get('limit'))
    const start = Number(query.get('cursor') ?? 0)
    const wanted = query.getAll('unit_id')
    const numbers =
      wanted.length > 0
        ? wanted.map((id) => Number.parseInt(id.slice(-12), 16))
        : Array.from({ length: Math.min(limit, count - start) }, (_, at) => start + at)
    const days = Math.round((Date.parse(from) - Date.parse(original.from)) / dayMs)
    const { units } = original
    const calendar = numbers.map((number) =>
      copyOf(units[number % units.length] as Unit, number, days, from === to),
    )
    const next = start + limit < count && wanted.length === 0 ? String(start + limit) : null
    const body = JSON.stringify({ calendar, next_cursor: next, has_more: next !== null })
    if (network) await sleep(network.latencyMs + gzipSync(body).length / network.bytesPerMs)
    await route.fulfill({ contentType: 'application/json', headers: { etag: '"1"' }, body })
  })
}

const copyOf = (unit: Unit, number: number, days: number, isNight: boolean): object => {
  const id = (kind: string, value: number) =>
    `00000000-0000-7000-${kind}-${value.toString(16).padStart(12, '0')}`
  const text = JSON.stringify(
    isNight ? { ...unit, availability: [], plans: [], bookings: [], holds: [], conflicts: [] } : unit,
  )
  const shifted = text.replaceAll(/\d{4}-\d{2}-\d{2}(?=")/g, (date) =>
    new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10),
  )
  const space = Math.floor(number / unitsPerSpace)
  let bookings = 0
  return {
    ...(JSON.parse(shifted, (key, value: unknown) =>
      key === 'id' ? id('9000', number * 1000 + days * 20 + (bookings += 1)) : value,
    ) as Unit),
    unit_id: id('8000', number),
    name: `Unit ${String(number + 1).padStart(4, '0')}`,
    space_id: id('a000', space),
    space_name: `House ${String(space + 1).padStart(3, '0')}`,
  }
}
