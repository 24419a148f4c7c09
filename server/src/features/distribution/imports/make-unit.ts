import type { Transaction } from '#db/scope.ts'
import { isCountry } from '#schema/fields.ts'
import { isTimeZone, nightOf } from '#schema/nights.ts'
import type { PortfolioPlan } from '#integrations/pms/pms-portfolio.ts'
import type { RemoteUnit } from '#integrations/pms/pms.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import type { PmsAccess } from '#features/distribution/pms-access/connect.ts'
import { createListing } from '#features/distribution/channel-listings/save-listing.ts'
import { mergeShown, toUnitContent } from '#features/distribution/sync/diff/content.ts'
import { listDesiredUnits } from '#features/distribution/sync/diff/desired-calendar.ts'
import { changeCalendar } from '#features/inventory/calendar/change-calendar.ts'
import { readUnits, type CalendarUnit } from '#features/inventory/calendar/queries.ts'
import { createRatePlan, updateRatePlan } from '#features/inventory/rate-plans/queries.ts'
import { createSpace } from '#features/inventory/spaces/queries.ts'
import { createUnit } from '#features/inventory/units/save-unit.ts'
import { commonPrice, toCalendarValues } from './calendar-values.ts'
import { isUnitType } from './import.ts'
import {
  completeItems,
  lockSpaceItem,
  saveContent,
  type DoneItem,
  type Item,
  type UnitContent,
} from './item-queries.ts'
import { listUnitPlans } from './known-records.ts'
import { skipUnit } from './skip-items.ts'

/** A unit of an import, with what the PMS shows of it. */
export interface ImportedUnit {
  readonly importId: string
  readonly target: TargetConnection
  readonly access: PmsAccess
  readonly unit: Item<UnitContent>
  readonly plans: readonly Item<PortfolioPlan>[]
}

/** Makes a unit from what the PMS shows, and links it, paused. It is not sold before its blocks are made. */
export async function makeUnit(
  transaction: Transaction,
  work: ImportedUnit,
  remote: RemoteUnit,
): Promise<void> {
  const { importId, unit, plans } = work
  const { content } = unit
  const basePrice = content.base_price_cents || commonPrice(mainRates(remote, plans))
  if (!basePrice) return void (await skipUnit(transaction, importId, unit.external_id, 'no_price'))
  const spaceId = await ensureSpace(transaction, work)
  const { id: unitId } = await createUnit(transaction, {
    space_id: spaceId,
    name: content.name,
    type: isUnitType(content.type) ? content.type : 'apartment',
    bedrooms: within(Math.round(content.bedrooms ?? 1), 0, 1_000),
    bathrooms: within(Math.round((content.bathrooms ?? 1) * 2) / 2, 0, 1_000),
    max_guests: within(content.max_guests ?? 2, 1, 10_000),
    quantity: within(content.quantity ?? 1, 1, 10_000),
    base_price_cents: basePrice,
    currency: content.currency!,
    status: 'inactive',
  })
  const made = (await readUnits(transaction, [unitId])).get(unitId)!
  const mapped = await makePlans(transaction, made, plans)
  await makeCalendar(transaction, made, mapped, remote)
  await link(transaction, work, unitId, mapped, remote)
  await saveContent(transaction, unit.id, { ...content, rooms: remote.rooms })
  await completeItems(transaction, [
    { id: unit.id, record_id: unitId },
    ...mapped.flatMap(({ item, planId }) => (item ? [{ id: item.id, record_id: planId }] : [])),
  ])
}

/** Links a unit that existed before as it is; its plans are matched by name. */
export async function linkUnit(transaction: Transaction, work: ImportedUnit, unitId: string): Promise<void> {
  const { unit, plans } = work
  const existing = await listUnitPlans(transaction, unitId)
  const matched = plans.map((item) => ({
    item,
    planId: existing.find(
      ({ name, is_default }) => isSameName(name, item.name) || (is_default && plans.length === 1),
    )?.id,
  }))
  const mapped = matched.flatMap(({ item, planId }) => (planId ? [{ item, planId }] : []))
  await link(transaction, work, unitId, mapped, null)
  await completeItems(transaction, [
    { id: unit.id, record_id: unitId },
    ...matched.map(({ item, planId }): DoneItem =>
      planId
        ? { id: item.id, record_id: planId, action: 'match', reason: 'same_name' }
        : { id: item.id, record_id: null, action: 'skip', reason: 'not_possible' },
    ),
  ])
  await saveContent(transaction, unit.id, null)
}

/** Continues with a unit that this import, or one which ended early, has made: with the rooms that the PMS sells now. */
export async function readRooms(
  transaction: Transaction,
  { id, record_id, content }: Item<UnitContent>,
  { rooms }: RemoteUnit,
): Promise<void> {
  await saveContent(transaction, id, { ...content, rooms })
  await completeItems(transaction, [{ id, record_id }])
}

interface MappedPlan {
  readonly planId: string
  /** Null for the terms of the room itself. */
  readonly item: Item<PortfolioPlan> | null
}

async function link(
  transaction: Transaction,
  { target, access, unit }: ImportedUnit,
  unitId: string,
  mapped: readonly MappedPlan[],
  remote: RemoteUnit | null,
): Promise<void> {
  const [desired] = await listDesiredUnits(transaction, target.id, [unitId])
  const content = { ...toUnitContent(desired!, access.provider.photoBaseUrl), open: true }
  await createListing(
    transaction,
    {
      unit_id: unitId,
      channel_target_id: target.id,
      external_id: unit.external_id,
      status: 'paused',
      rate_plans: mapped.flatMap(({ item, planId }) =>
        item ? [{ rate_plan_id: planId, external_id: item.external_id }] : [],
      ),
    },
    remote && mergeShown(content, remote.content),
  )
}

/** The space of the unit: that of the property or address, made with its first unit. */
async function ensureSpace(
  transaction: Transaction,
  { importId, target, unit }: ImportedUnit,
): Promise<string> {
  const item = (await lockSpaceItem(transaction, importId, unit.parent_id!))!
  if (item.record_id) return item.record_id
  const { name, address, country, timezone, photos: _, external_id: __, ...place } = item.content
  const shared = item.units > 1 && address ? [address, place.city].filter(Boolean).join(', ') : unit.name
  const { id } = await createSpace(transaction, {
    ...place,
    name: (name ?? shared).slice(0, 255),
    address,
    country: country && isCountry(country) ? country : null,
    ...(timezone && isTimeZone(timezone) && { timezone }),
    currency: unit.content.currency!,
    account_id: target.account_id,
  })
  await completeItems(transaction, [{ id: item.id, record_id: id }])
  return id
}

/** The first plan becomes the default one of the unit. */
async function makePlans(
  transaction: Transaction,
  unit: CalendarUnit,
  plans: readonly Item<PortfolioPlan>[],
): Promise<MappedPlan[]> {
  const [main, ...others] = plans
  const mapped: MappedPlan[] = [{ planId: unit.default_plan_id, item: main ?? null }]
  if (main)
    await updateRatePlan(transaction, unit.default_plan_id, undefined, (plan) => ({
      ...plan,
      name: main.name,
    }))
  const names = [main?.name ?? '']
  for (const item of others) {
    const name = uniqueName(item.name, names)
    names.push(name)
    const { id } = await createRatePlan(transaction, { unit_id: unit.id, name })
    mapped.push({ planId: id, item })
  }
  return mapped
}

async function makeCalendar(
  transaction: Transaction,
  { id, base_price_cents, today }: CalendarUnit,
  mapped: readonly MappedPlan[],
  remote: RemoteUnit,
): Promise<void> {
  const values = mapped
    .flatMap(({ planId, item }) =>
      toCalendarValues(ratesOf(remote, item), { unit_id: id, basePrice: base_price_cents }, planId),
    )
    .filter(({ date_to }) => nightOf(date_to) >= today)
  if (values.length > 0) await changeCalendar(transaction, values, importOrigin)
}

/** The nights are in the calendar change; the history says where they came from. */
export const importOrigin = {
  skipsPast: true,
  changes: [{ field: 'calendar', before: null, after: 'imported from the PMS' }],
}

const ratesOf = ({ rates }: RemoteUnit, item: Item<PortfolioPlan> | null) =>
  rates.filter(({ plan }) => plan === (item?.external_id ?? ''))

const mainRates = (remote: RemoteUnit, [main]: readonly Item<PortfolioPlan>[]) =>
  ratesOf(remote, main ?? null)

const within = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max)

const isSameName = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase()

function uniqueName(name: string, taken: readonly string[]): string {
  let candidate = name
  for (let number = 2; taken.some((other) => isSameName(other, candidate)); number += 1)
    candidate = `${name.slice(0, 245)} (${number})`
  return candidate
}
