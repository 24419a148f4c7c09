import type { Answer } from '../exchange.ts'
import type { Call } from '../pms-call.ts'
import type { NightTerms, Nights, RoomNights, Shown, UnitLink } from '../pms.ts'
import { dataOf, type ChannexApi, type Resource } from './channex-api.ts'
import { contentShown } from './content.ts'
import { toMinorUnits } from './money.ts'
import { nonsense } from './refusal.ts'
import { joined, pieces } from './runs.ts'

const restrictions =
  'rate,min_stay_arrival,min_stay_through,max_stay,closed_to_arrival,closed_to_departure,stop_sell'

/** A night of one plan takes some 200 bytes of an answer, and an answer is to stay below 8 MB. */
const planNightsInAnswer = 40_000

/** What the property shows of these units. Every call speaks of all its units, so many cost as few as one. */
export async function readBack(
  api: ChannexApi,
  units: readonly UnitLink[],
  nights: Nights,
  call: Call,
): Promise<ReadonlyMap<string, Shown | null>> {
  const property = await api.find('properties', api.property, call)
  const rooms = new Map((await api.list('room_types', call)).map((room) => [room.id, room]))
  const plans = new Map((await api.list('rate_plans', call)).map((plan) => [plan.id, plan]))
  const known = units.filter(({ externalId }) => rooms.has(externalId))
  const calendar = await readCalendar(api, known, nights, [...plans.values()], call)

  return new Map(
    units.map(({ externalId, plans: links }) => {
      const room = rooms.get(externalId)
      if (!room) return [externalId, null]
      const rates = links.flatMap(({ plan, externalId: id }) => {
        const shown = id === null ? undefined : plans.get(id)
        if (!shown) return []
        const currency = String(shown.attributes['currency'] ?? property.attributes['currency'])
        const terms = [...(calendar.get(shown.id) ?? [])].map(
          ([date, night]) => [date, termsOf(night, currency)] as const,
        )
        return joined(terms).map((run) => ({ plan, ...run }))
      })
      return [
        externalId,
        { content: contentShown(room, property), rooms: roomNights(calendar.get(externalId)), rates },
      ]
    }),
  )
}

/** Nights by date, by the id of their room type or plan. */
type Calendar = Map<string, Map<string, unknown>>

async function readCalendar(
  api: ChannexApi,
  units: readonly UnitLink[],
  nights: Nights,
  plans: readonly Resource[],
  call: Call,
): Promise<Calendar> {
  const calendar: Calendar = new Map()
  for (const { externalId, plans } of units)
    for (const id of [externalId, ...plans.map((plan) => plan.externalId)])
      if (id !== null) calendar.set(id, new Map())
  if (units.length === 0) return calendar
  const priced = plans.reduce((sum, plan) => sum + pricesOf(plan), 0)
  const nightsInAnswer = Math.max(1, Math.floor(planNightsInAnswer / Math.max(1, priced)))
  for (const piece of pieces(nights, nightsInAnswer)) {
    const query = {
      'filter[property_id]': api.property,
      'filter[date][gte]': piece.date_from,
      'filter[date][lte]': piece.date_to,
    }
    const read = (path: string, query: Record<string, string>) =>
      api.demand({ kind: 'content', method: 'GET', path, query }, 'the property', call)
    collect(await read('/availability', query), calendar)
    if (plans.length > 0)
      collect(await read('/restrictions', { ...query, 'filter[restrictions]': restrictions }), calendar)
  }
  return calendar
}

/** `{id: {date: night}}`, of which only what was asked for is kept. */
function collect(answer: Answer, calendar: Calendar): void {
  const data = dataOf(answer)
  if (typeof data !== 'object' || data === null) throw nonsense(answer)
  for (const [id, nights] of Object.entries(data as Record<string, unknown>)) {
    const ours = calendar.get(id)
    if (!ours) continue
    if (typeof nights !== 'object' || nights === null) throw nonsense(answer)
    for (const [date, night] of Object.entries(nights as Record<string, unknown>)) ours.set(date, night)
  }
}

/** A plan that asks by the guest shows each of its prices under an id of its own. */
const pricesOf = ({ attributes: { options } }: Resource) => (Array.isArray(options) ? options.length : 1)

const roomNights = (nights: ReadonlyMap<string, unknown> = new Map()): RoomNights[] =>
  joined(
    [...nights].flatMap(([date, available]) =>
      typeof available === 'number' ? [[date, { available }] as const] : [],
    ),
  )

/** What a night says in our words; what it does not say is left out. */
function termsOf(night: unknown, currency: string): Partial<NightTerms> {
  const said = Object(night) as Record<string, unknown>
  const count = (name: 'min_stay_arrival' | 'min_stay_through') =>
    typeof said[name] === 'number' && { [name]: said[name] }
  const flag = (name: 'closed_to_arrival' | 'closed_to_departure' | 'stop_sell') =>
    [true, false, 0, 1].some((one) => one === said[name]) && { [name]: Boolean(said[name]) }
  const price = toMinorUnits(said['rate'], currency)
  const longest = said['max_stay']
  return {
    ...(price !== null && { price_cents: price }),
    ...count('min_stay_arrival'),
    ...count('min_stay_through'),
    ...((typeof longest === 'number' || longest === null) && { max_stay: longest || null }),
    ...flag('closed_to_arrival'),
    ...flag('closed_to_departure'),
    ...flag('stop_sell'),
  }
}
