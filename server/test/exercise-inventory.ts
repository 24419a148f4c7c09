import type { Reply, TestCaller } from './caller.ts'
import { addAlert, holdRemoval, unknownId } from './records.ts'
import { addPmsFault, addLinkedUnit } from './linked-units.ts'
import { addDelivery } from './webhook-receiver.ts'
import type { World } from './world.ts'

/** Asks an operation, and has the answer held against the contract. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Reply>

export const odd = 'Zoë “quoted” \\ back / \u2028 👩‍🚀 \t "x"'

/** Everything that is sold and where, from its making until it is pushed. `end` removes what can be removed. */
export async function exerciseInventory({
  world,
  owner,
  ask,
}: {
  world: World
  owner: TestCaller
  ask: Ask
}) {
  const { spaceId, unitId, targetId, listingId, ...rest } = await addLinkedUnit(owner, {
    credentials: { api_key: 'secret' },
    rate_limit: { requests: 100, window_seconds: 1 },
  })
  const linked = { spaceId, unitId, targetId, listingId, ...rest }
  await world.settled()
  await addPmsFault(world, linked, { mode: 'refuse', status: 422 })
  const key = { 'idempotency-key': 'once' }
  await ask('POST', '/api/v1/spaces', { name: odd, description: odd, amenities: ['wifi'] }, key)
  await ask('POST', '/api/v1/spaces', { name: odd, description: odd, amenities: ['wifi'] }, key)
  await ask('POST', '/api/v1/spaces', { name: 'Other words' }, key)
  for (const body of [undefined, {}, { name: 7 }, { name: 'A', account_id: unknownId }])
    await ask('POST', '/api/v1/spaces', body)
  await ask('PUT', `/api/v1/spaces/${spaceId}`, { name: odd, country: 'PT', city: null })
  await ask('PATCH', `/api/v1/spaces/${spaceId}`, { state: odd })
  await ask('PATCH', `/api/v1/spaces/${spaceId}`, { state: 'x' }, { 'if-match': '"0.x"' })
  await ask('DELETE', `/api/v1/spaces/${spaceId}`)
  const unit = { space_id: spaceId, name: odd, bathrooms: 2.5, base_price_cents: 2_147_483_647 }
  const made = await ask('POST', '/api/v1/units', unit)
  await ask('POST', '/api/v1/units', { ...unit, bathrooms: 0.25 })
  await ask('PUT', `/api/v1/units/${unitId}`, unit)
  await ask('PATCH', `/api/v1/units/${unitId}`, { bathrooms: -0 })
  await ask('PATCH', '/api/v1/units', { unit_ids: [unitId, unknownId], changes: { bathrooms: 1 } })
  const plan = { unit_id: unitId, name: odd, meal_plan: 'breakfast' }
  const flexible = (await ask('POST', '/api/v1/rate-plans', plan)).body.rate_plan.id as string
  await ask('POST', '/api/v1/rate-plans', plan)
  await ask('PUT', `/api/v1/rate-plans/${flexible}`, { ...plan, status: 'inactive' })
  await ask('PATCH', `/api/v1/rate-plans/${flexible}`, { status: 'active' })
  const charge = { unit_id: unitId, name: odd, kind: 'tax', basis: 'percent', percent: 0.0001 }
  const tax = (await ask('POST', '/api/v1/charges', charge)).body.charge.id as string
  await ask('POST', '/api/v1/charges', { ...charge, percent: 0.00001 })
  await ask('PUT', `/api/v1/charges/${tax}`, { ...charge, percent: 7, applies_to: 'base_and_fees' })
  await ask('PATCH', `/api/v1/charges/${tax}`, { included: true, max_nights: 3 })
  const asked = { unit_id: unitId, check_in: '2030-07-01', check_out: '2030-07-04', guests: 1 }
  const quote = (await ask('POST', '/api/v1/quotes', asked)).body.quote.id as string
  await ask('GET', `/api/v1/quotes/${quote}`)
  await ask('GET', `/api/v1/quotes?unit_id=${unitId}`)
  await ask('POST', '/api/v1/quotes', { ...asked, guests: 10_000 })
  await ask('POST', '/api/v1/quotes', { ...asked, unit_id: unknownId })
  await ask('GET', `/api/v1/charges/${tax}`)
  await ask('DELETE', `/api/v1/charges/${tax}`)
  const nights = { unit_id: unitId, date_from: '2030-07-01', date_to: '2030-07-05' }
  const terms = { price_cents: 1, max_stay: 9, stop_sell: null, closed_to_arrival: true }
  const values = [
    { ...nights, rate_plan_id: flexible, weekdays: ['mon', 'tue'], ...terms },
    { ...nights, blocked: 1, reason: odd },
  ]
  const change = await ask('POST', '/api/v1/calendar', { values }, key)
  const { id: changeId } = change.body.calendar_change as { id: string }
  await ask('GET', `/api/v1/calendar-changes?unit_id=${unitId}&from=2030-07-01&to=2030-07-05`)
  await ask('GET', `/api/v1/calendar-changes/${changeId}`)
  for (const id of [changeId, changeId, unknownId]) await ask('POST', `/api/v1/calendar-changes/${id}/revert`)
  await ask('POST', '/api/v1/calendar', { values: [nights] })
  const { unit_id, ...range } = nights
  const copy = { ...range, unit_ids: [unit_id], years: 1 }
  for (const body of [copy, { ...copy, dry_run: true }, { ...copy, years: 0 }])
    await ask('POST', '/api/v1/calendar/copy', body)
  await ask('POST', '/api/v1/calendar', { values: [{ ...nights, price_percent: -99 }], dry_run: true })
  for (const ids of [`unit_id=${unitId}`, `space_id=${spaceId}`, `unit_id=${unknownId}`])
    await ask('GET', `/api/v1/calendar?${ids}&from=2030-07-01&to=2030-07-31`)
  await ask('GET', `/api/v1/calendar?unit_id=${unitId}&from=2030-07-02&to=2030-07-01`)
  await ask('POST', '/api/v1/calendar/search', { unit_id: [unitId], from: '2030-07-01', to: '2030-07-31' })
  const season = {
    name: odd,
    values: [{ date_from: '2030-07-01', date_to: '2030-07-09', price_percent: 20 }],
  }
  const seasonId = (await ask('POST', '/api/v1/seasons', season)).body.season.id as string
  await ask('PUT', `/api/v1/seasons/${seasonId}`, { ...season, name: 'July' })
  for (const path of ['/api/v1/seasons', `/api/v1/seasons/${seasonId}`]) await ask('GET', path)
  for (const dry_run of [true, false])
    await ask('POST', `/api/v1/seasons/${seasonId}/apply`, { space_ids: [spaceId], dry_run })
  await ask('POST', `/api/v1/seasons/${seasonId}/apply`, { unit_ids: [unknownId] })
  await ask('DELETE', `/api/v1/seasons/${seasonId}`)
  const stop = (await ask('POST', '/api/v1/sales-stops', { reason: odd })).body.sales_stop.id as string
  for (const path of ['preview', `${stop}/reach`]) await ask('GET', `/api/v1/sales-stops/${path}`)
  await ask('DELETE', `/api/v1/sales-stops/${stop}`)
  await ask('DELETE', `/api/v1/rate-plans/${flexible}`)
  const feed = { unit_id: unitId, direction: 'export', name: odd }
  const { url } = (await ask('POST', '/api/v1/calendar-feeds', feed)).body.calendar_feed as { url: string }
  const spare = (await ask('POST', '/api/v1/calendar-feeds', feed)).body.calendar_feed.id as string
  await ask('POST', '/api/v1/calendar-feeds', { ...feed, direction: 'import' })
  await ask('PATCH', `/api/v1/calendar-feeds/${spare}`, { name: 'Spare', status: 'inactive' })
  await ask('POST', `/api/v1/calendar-feeds/${spare}/decision`, { decision: 'accept' })
  await ask('POST', `/api/v1/calendar-feeds/${spare}/fetch`)
  await ask('DELETE', `/api/v1/calendar-feeds/${spare}`)
  await ask('GET', new URL(url).pathname)
  await addAlert(world, world.home, linked, { message: odd })
  const delivery = await addDelivery(world, world.home)
  const hook = { url: 'https://partner.example/x', event_types: ['target.error'], description: odd }
  const mute = (await ask('POST', '/api/v1/webhook-endpoints', hook, key)).body.webhook_endpoint.id as string
  await ask('POST', '/api/v1/webhook-endpoints', { ...hook, url: 'https://a:b@partner.example' })
  await ask('PUT', `/api/v1/webhook-endpoints/${mute}`, hook)
  await ask('POST', `/api/v1/webhook-endpoints/${mute}/secret`)
  await ask('POST', `/api/v1/webhook-endpoints/${mute}/test`)
  await ask('PATCH', `/api/v1/webhook-endpoints/${mute}`, { status: 'disabled' })
  await ask('POST', `/api/v1/webhook-endpoints/${mute}/test`)
  await ask('DELETE', `/api/v1/webhook-endpoints/${mute}`)
  await ask('GET', `/api/v1/webhook-endpoints/${delivery.webhook_endpoint_id}/deliveries?limit=1`)
  await ask('POST', `/api/v1/webhook-deliveries/${delivery.webhook_delivery_id}/replay`)
  const period = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }
  await ask('POST', `/api/v1/webhook-endpoints/${delivery.webhook_endpoint_id}/replay`, period)
  const target = { channel_type: 'pms', name: odd }
  const other = (await ask('POST', '/api/v1/channel-targets', target)).body.channel_target.id as string
  await ask('PUT', `/api/v1/channel-targets/${other}`, { ...target, config: { timeout_ms: 5_000 } })
  const listing = { unit_id: made.body.unit.id as string, channel_target_id: targetId, external_id: 'ÖÄ 7' }
  const second = (await ask('POST', '/api/v1/channel-listings', listing)).body.channel_listing.id as string
  await ask('POST', '/api/v1/channel-listings', listing)
  await ask('PUT', `/api/v1/channel-listings/${second}`, { ...listing, external_id: 'ÖÄ 8' })
  await ask('POST', '/api/v1/channel-targets/checks', { config: { property_ref: 'check' } })
  await ask('POST', '/api/v1/channel-targets/checks', { config: { provider: 'channex' } })
  await ask('GET', `/api/v1/channel-targets/${other}/offers`)
  for (const path of [`/api/v1/channel-listings/${second}`, `/api/v1/channel-targets/${other}`]) {
    await ask('GET', `${path}/preflight`)
    await ask('POST', `${path}/pause`)
    await ask('DELETE', `${path}/pause`)
  }
  await ask('POST', '/api/v1/sync/trigger', { channel_listing_id: listingId, mode: 'full' })
  await ask('POST', '/api/v1/sync/trigger', { channel_listing_id: unknownId })
  await ask('POST', '/api/v1/sync/retries', {})
  for (const replayed of [{ channel_listing_id: listingId }, { channel_listing_id: unknownId }, {}])
    await ask('POST', '/api/v1/sync/replays', replayed)
  for (const property_id of [spaceId, unknownId])
    await ask('POST', '/api/v1/connectors/pms/sync', { property_id })
  for (const id of [targetId, unknownId]) await ask('GET', `/api/v1/sync/targets/${id}`)
  for (const id of [listingId, unknownId])
    for (const path of ['preview', 'proof']) await ask('GET', `/api/v1/sync/${path}/${id}`)
  const end = async () => {
    const imported = { ...feed, direction: 'import', url: 'https://calendars.example/all.ics' }
    const held = (await ask('POST', '/api/v1/calendar-feeds', imported)).body.calendar_feed.id as string
    await holdRemoval(world, world.home, held)
    await ask('GET', `/api/v1/calendar-feeds/${held}`)
    await ask('POST', `/api/v1/calendar-feeds/${held}/fetch`)
    await ask('GET', `/api/v1/alerts?unit_id=${unitId}&kind=calendar_feed.held`)
    for (const decision of ['keep', 'keep', 'accept'])
      await ask('POST', `/api/v1/calendar-feeds/${held}/decision`, { decision })
    await ask('DELETE', `/api/v1/channel-listings/${second}`)
    await ask('DELETE', `/api/v1/units/${listing.unit_id}`)
    await ask('DELETE', `/api/v1/channel-targets/${other}`)
    const empty = (await ask('POST', '/api/v1/spaces', { name: 'Empty' })).body.space.id as string
    await ask('DELETE', `/api/v1/spaces/${empty}`)
  }
  return { linked, end }
}
