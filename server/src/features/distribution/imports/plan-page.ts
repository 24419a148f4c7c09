import { atomically, type Scope } from '#db/scope.ts'
import { toStorableText } from '#schema/fields.ts'
import type { PortfolioPhoto, PortfolioUnit } from '#integrations/pms/pms-portfolio.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import type { PmsAccess } from '#features/distribution/pms-access/connect.ts'
import { loadKnownRecords, obstacleOf, type KnownRecords } from './known-records.ts'
import { insertItems, removeUnitsToCreate, type NewItem } from './plan-queries.ts'
import { lockImport, updateImport, type ImportState } from './queries.ts'
import { portfolioOf } from './portfolio-of.ts'

/**
 * Plans one page of the PMS: what is created, matched with a record here, or skipped. A run does so again for the units
 * that it is to create, because the PMS may have changed since: it creates them as they are now. @throws PmsFailure
 */
export async function planPage(
  scope: Scope,
  target: TargetConnection,
  { pms, provider, call }: PmsAccess,
  { id, status, cursor, include }: ImportState,
): Promise<void> {
  const { items: units, next } = await portfolioOf(pms).readUnits(cursor, call)
  const known = await loadKnownRecords(scope, target, id)
  const withPhotos = include.includes('photos')
  await atomically(scope, async (transaction) => {
    const current = await lockImport(transaction, id)
    // Cancelled, or another run has planned this page.
    if (current?.status !== status || current.stage !== 'plan' || current.cursor !== cursor) return
    const isRunning = status === 'running'
    const planned = isRunning && (await removeUnitsToCreate(transaction, id, idsOf(units)))
    const wanted = planned ? units.filter(({ external_id }) => planned.has(external_id)) : units
    const items = wanted.flatMap((unit) => itemsOf(toStorable(unit), known, provider, withPhotos))
    // Units share a space.
    const bySubject = Map.groupBy(items, ({ kind, external_id }) => `${kind} ${external_id}`)
    await insertItems(
      transaction,
      id,
      [...bySubject.values()].map(([item]) => item!),
    )
    const end = isRunning ? ({ stage: 'units' } as const) : ({ status: 'planned' } as const)
    await updateImport(transaction, id, { cursor: next, ...(next === null && end) })
  })
}

const idsOf = (units: readonly PortfolioUnit[]) => units.map(({ external_id }) => external_id)

function itemsOf(
  unit: PortfolioUnit,
  known: KnownRecords,
  provider: PmsAccess['provider'],
  withPhotos: boolean,
): NewItem[] {
  const { space, photos, rate_plans, ...content } = unit
  const item: NewItem = {
    kind: 'unit',
    external_id: unit.external_id,
    parent_id: space.external_id,
    name: unit.name,
    action: 'create',
    reason: null,
    record_id: null,
    content,
  }
  const linked = known.linkedUnit(unit.external_id)
  if (linked !== undefined)
    return [
      {
        ...{ ...item, action: 'match', reason: 'already_linked', record_id: linked },
        content: known.waitsForBlocks(unit.external_id) ? content : null,
      },
    ]
  const obstacle = obstacleOf(unit, provider)
  if (obstacle) return [{ ...item, action: 'skip', reason: obstacle, content: null }]
  const plans = provider.hasPlans ? planItems(unit) : []
  const named = known.takeUnitNamed(unit.name)
  if (named) return [{ ...item, action: 'match', reason: 'same_name', record_id: named }, ...plans]

  const { photos: spacePhotos, ...place } = space
  const existing = known.spaceOf(space)
  const property = { kind: 'space', external_id: space.external_id, parent_id: null } as const
  const name = space.name ?? unit.name
  const spaceItem: NewItem = existing
    ? { ...property, name, action: 'match', reason: 'same_property', record_id: existing, content: null }
    : { ...property, name, action: 'create', reason: null, record_id: null, content: place }
  return [
    spaceItem,
    item,
    ...plans,
    ...(withPhotos ? photoItems(unit.external_id, 'unit', photos) : []),
    ...(withPhotos && !existing ? photoItems(space.external_id, 'space', spacePhotos) : []),
  ]
}

const planItems = ({ external_id: parent_id, currency, rate_plans }: PortfolioUnit): NewItem[] =>
  rate_plans.map((plan): NewItem => {
    const item = { kind: 'rate_plan', external_id: plan.external_id, parent_id, name: plan.name } as const
    return plan.currency === currency
      ? { ...item, action: 'create', reason: null, record_id: null, content: plan }
      : { ...item, action: 'skip', reason: 'other_currency', record_id: null, content: null }
  })

const photoItems = (owner: string, place: 'unit' | 'space', photos: readonly PortfolioPhoto[]): NewItem[] =>
  photos.slice(0, maxPhotos).map((photo, at) => ({
    kind: 'photo',
    external_id: `${place} ${owner} ${at + 1}`,
    parent_id: owner,
    name: photo.description?.slice(0, 255) ?? '',
    action: 'create',
    reason: null,
    record_id: null,
    content: { ...photo, place },
  }))

const maxPhotos = 100

/** The texts as they can be stored here. */
function toStorable(unit: PortfolioUnit): PortfolioUnit {
  const { space } = unit
  const cut = (text: string | null, length: number) => text && toStorableText(text, length)
  return {
    ...unit,
    name: nameOf(unit.name, unit.external_id),
    rate_plans: unit.rate_plans.map((plan) => ({ ...plan, name: nameOf(plan.name, plan.external_id) })),
    photos: unit.photos.map(storablePhoto),
    ...(unit.shown && { shown: storableTexts(unit.shown) }),
    space: {
      ...space,
      name: space.name && nameOf(space.name, space.external_id),
      address: cut(space.address, 500),
      city: cut(space.city, 255),
      state: cut(space.state, 255),
      zip: cut(space.zip, 32),
      description: cut(space.description, 10_000),
      photos: space.photos.map(storablePhoto),
    },
  }
}

const storableTexts = <Value extends object>(value: Value): Value =>
  JSON.parse(
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'string' ? toStorableText(member, 10_000) : member,
    ),
  ) as Value

const storablePhoto = ({ url, description }: PortfolioPhoto): PortfolioPhoto => ({
  url: toStorableText(url, 2_048),
  description: description && toStorableText(description, 1_000),
})

function nameOf(name: string, externalId: string): string {
  const storable = toStorableText(name, 255).trim()
  return storable === '' ? externalId.slice(0, 255) : storable
}
