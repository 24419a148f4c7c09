import type { Call } from '../pms-call.ts'
import type { Draft, PlanLink, UnitLink } from '../pms.ts'
import type { ChannexApi, Resource } from './channex-api.ts'
import { isIn, roomAttributes, titleOf } from './content.ts'

const longestTitle = 255

/**
 * Makes a room type and its rate plans, or finds what an earlier attempt made of them, by their titles. A plan's
 * title is the only one in its property, so it begins with the unit's name, and is numbered if even that is taken.
 * A new room type has no rooms to sell until the calendar is sent.
 */
export async function createUnit(api: ChannexApi, draft: Draft, call: Call): Promise<UnitLink> {
  const { content } = draft
  const taken = new Set(draft.taken)
  const isFree = ({ id }: Resource) => !taken.has(id)
  const rooms = await api.list('room_types', call)
  const room =
    rooms.filter(isFree).find((one) => titleOf(one) === content.name.trim()) ??
    (await api.add('room_types', { property_id: api.property, ...roomAttributes(content) }, call))

  const plans = await api.list('rate_plans', call)
  const titles = new Set(plans.map(titleOf))
  const ours = plans.filter((plan) => isIn(plan, room)).filter(isFree)
  const links: PlanLink[] = []
  for (const { plan, name } of draft.plans) {
    const title = `${content.name.trim()} – ${name.trim()}`.slice(0, longestTitle - 10)
    const found = ours.findIndex((one) => isNumbered(titleOf(one), title))
    const made = ours.splice(found, found < 0 ? 0 : 1)[0] ?? (await addPlan(freeTitle(title, titles)))
    links.push({ plan, externalId: made.id })
  }
  return { externalId: room.id, plans: links }

  function addPlan(title: string) {
    titles.add(title)
    const most = Number(room.attributes['occ_adults'] ?? content.max_guests)
    const occupancy = Math.min(content.max_guests, most)
    return api.add(
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

function freeTitle(title: string, titles: ReadonlySet<string>): string {
  let free = title
  for (let n = 2; titles.has(free); n += 1) free = numbered(title, n)
  return free
}

const numbered = (title: string, n: number) => `${title} (${n})`

const isNumbered = (given: string, title: string) =>
  given === title || (given.startsWith(`${title} (`) && /^\(\d+\)$/.test(given.slice(title.length + 1)))
