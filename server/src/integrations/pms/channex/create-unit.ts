import type { CallContext } from '../pms-call.ts'
import type { NewUnit, PlanLink, UnitLink } from '../pms.ts'
import type { ChannexApi, Resource } from './channex-api.ts'
import { belongsToRoom, roomAttributes, titleOf } from './content.ts'

const maxTitleLength = 255

/**
 * Creates a room type with its rate plans, or finds by title what an earlier attempt created. Titles of rate plans are
 * unique within a property, so a title begins with the name of the unit and gets a number if it still exists. A new
 * room type has nothing to sell until its calendar is sent.
 */
export async function createUnit(api: ChannexApi, unit: NewUnit, call: CallContext): Promise<UnitLink> {
  const { content } = unit
  const linkedIds = new Set(unit.linkedIds)
  const isUnlinked = ({ id }: Resource) => !linkedIds.has(id)
  const rooms = await api.list('room_types', call)
  const room =
    rooms.filter(isUnlinked).find((candidate) => titleOf(candidate) === content.name.trim()) ??
    (await api.create('room_types', { property_id: api.property, ...roomAttributes(content) }, call))

  const plans = await api.list('rate_plans', call)
  const titles = new Set(plans.map(titleOf))
  const unlinkedPlans = plans.filter((plan) => belongsToRoom(plan, room)).filter(isUnlinked)
  const links: PlanLink[] = []
  for (const { plan, name } of unit.plans) {
    const title = `${content.name.trim()} – ${name.trim()}`.slice(0, maxTitleLength - 10)
    const index = unlinkedPlans.findIndex((candidate) => isSameTitle(titleOf(candidate), title))
    const [existing] = index < 0 ? [] : unlinkedPlans.splice(index, 1)
    const { id } = existing ?? (await createPlan(uniqueTitle(title, titles)))
    links.push({ plan, externalId: id })
  }
  return { externalId: room.id, plans: links }

  function createPlan(title: string) {
    titles.add(title)
    const maxOccupancy = Number(room.attributes['occ_adults'] ?? content.max_guests)
    const occupancy = Math.min(content.max_guests, maxOccupancy)
    return api.create(
      'rate_plans',
      {
        property_id: api.property,
        room_type_id: room.id,
        title,
        currency: content.currency.toUpperCase(),
        sell_mode: 'per_room',
        rate_mode: 'manual',
        options: [{ occupancy, is_primary: true, rate: content.base_price_cents }],
      },
      call,
    )
  }
}

function uniqueTitle(title: string, titles: ReadonlySet<string>): string {
  let candidate = title
  for (let number = 2; titles.has(candidate); number += 1) candidate = `${title} (${number})`
  return candidate
}

/** Whether the title is the expected one, with or without a number such as ` (2)`. */
const isSameTitle = (title: string, expected: string) =>
  title === expected ||
  (title.startsWith(`${expected} (`) && /^\(\d+\)$/.test(title.slice(expected.length + 1)))
