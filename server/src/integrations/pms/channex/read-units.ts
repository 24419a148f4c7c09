import type { PmsResponse } from '../send-request.ts'
import type { CallContext } from '../pms-call.ts'
import type { NightTerms, NightRange, AvailabilityRange, RemoteUnit, UnitLink } from '../pms.ts'
import { fromDecimal } from '../pms-amounts.ts'
import { mergeNights, splitRange } from '../night-ranges.ts'
import { dateOf, dayIn, isTimeZone, nightOf } from '#schema/nights.ts'
import { dataOf, type ChannexApi, type Resource } from './channex-api.ts'
import { parseContent } from './content.ts'
import { unexpectedResponse } from './failures.ts'

const restrictions =
  'rate,min_stay_arrival,min_stay_through,max_stay,closed_to_arrival,closed_to_departure,stop_sell'

/** One night of a plan takes about 200 bytes of a response, which should stay below 8 MB. */
const maxPlanNightsPerResponse = 40_000

/** Reads units of the property. Each call covers all units, so many units need no more calls than one. */
export async function readUnits(
  api: ChannexApi,
  units: readonly UnitLink[],
  nights: NightRange,
  call: CallContext,
): Promise<ReadonlyMap<string, RemoteUnit | null>> {
  const property = await api.find('properties', api.property, call)
  const rooms = new Map((await api.list('room_types', call)).map((room) => [room.id, room]))
  const plans = new Map((await api.list('rate_plans', call)).map((plan) => [plan.id, plan]))
  const existing = units.filter(({ externalId }) => rooms.has(externalId))
  const limit = lastNightOf(property)
  const calendar = await readCalendar(api, existing, nights, [...plans.values()], call)

  return new Map(
    units.map(({ externalId, plans: links }) => {
      const room = rooms.get(externalId)
      if (!room) return [externalId, null]
      let planCurrency: string | undefined
      const content = parseContent(room, property)
      const rates = links.flatMap(({ plan, externalId: planId }) => {
        const ratePlan = planId === null ? undefined : plans.get(planId)
        if (!ratePlan) return []
        const currency = String(ratePlan.attributes['currency'] ?? property.attributes['currency'])
        // Prices are in the currency of the plan, whatever that of the property is.
        if (currency.toLowerCase() !== content.currency) planCurrency = currency.toLowerCase()
        const terms = [...(calendar.get(ratePlan.id) ?? [])].map(
          ([date, night]) => [date, parseTerms(night, currency)] as const,
        )
        return mergeNights(terms).map((range) => ({ plan, ...range }))
      })
      return [
        externalId,
        {
          content: { ...content, ...(planCurrency && { currency: planCurrency }) },
          rooms: parseAvailability(calendar.get(externalId)),
          rates,
          ...limit,
        },
      ]
    }),
  )
}

/** A property keeps a calendar of 100 to 730 nights, as it is set at Channex, and drops what is sent for later ones. */
function lastNightOf({ attributes: { settings, timezone } }: Resource): { lastNight?: string } {
  const { state_length: length } = Object(settings) as { state_length?: unknown }
  if (typeof length !== 'number') return {}
  const today = dayIn(typeof timezone === 'string' && isTimeZone(timezone) ? timezone : 'UTC')
  return { lastNight: dateOf(nightOf(today) + length - 1) }
}

/** By the id of a room type or rate plan: its nights by date. */
type Calendar = Map<string, Map<string, unknown>>

async function readCalendar(
  api: ChannexApi,
  units: readonly UnitLink[],
  nights: NightRange,
  plans: readonly Resource[],
  call: CallContext,
): Promise<Calendar> {
  const calendar: Calendar = new Map()
  for (const { externalId, plans } of units)
    for (const id of [externalId, ...plans.map((plan) => plan.externalId)])
      if (id !== null) calendar.set(id, new Map())
  if (units.length === 0) return calendar
  const rateCount = plans.reduce((sum, plan) => sum + rateCountOf(plan), 0)
  const maxNights = Math.max(1, Math.floor(maxPlanNightsPerResponse / Math.max(1, rateCount)))
  for (const range of splitRange(nights, maxNights)) {
    const query = {
      'filter[property_id]': api.property,
      'filter[date][gte]': range.date_from,
      'filter[date][lte]': range.date_to,
    }
    const read = (path: string, query: Record<string, string>) =>
      api.sendOrThrow({ kind: 'content', method: 'GET', path, query }, 'the property', call)
    addNights(await read('/availability', query), calendar)
    if (plans.length > 0)
      addNights(await read('/restrictions', { ...query, 'filter[restrictions]': restrictions }), calendar)
  }
  return calendar
}

/** Adds the nights of `{id: {date: night}}`, and skips ids that were not requested. */
function addNights(response: PmsResponse, calendar: Calendar): void {
  const data = dataOf(response)
  if (typeof data !== 'object' || data === null) throw unexpectedResponse(response)
  for (const [id, nights] of Object.entries(data as Record<string, unknown>)) {
    const known = calendar.get(id)
    if (!known) continue
    if (typeof nights !== 'object' || nights === null) throw unexpectedResponse(response)
    for (const [date, night] of Object.entries(nights as Record<string, unknown>)) known.set(date, night)
  }
}

/** A rate plan with prices per guest appears once per price, each under an id of its own. */
const rateCountOf = ({ attributes: { options } }: Resource) => (Array.isArray(options) ? options.length : 1)

const parseAvailability = (nights: ReadonlyMap<string, unknown> = new Map()): AvailabilityRange[] =>
  mergeNights(
    [...nights].flatMap(([date, available]) =>
      typeof available === 'number' ? [[date, { available }] as const] : [],
    ),
  )

/** The terms of one night; a term that Channex does not show is left out. */
function parseTerms(night: unknown, currency: string): Partial<NightTerms> {
  const fields = Object(night) as Record<string, unknown>
  const count = (name: 'min_stay_arrival' | 'min_stay_through') =>
    typeof fields[name] === 'number' && { [name]: fields[name] }
  const flag = (name: 'closed_to_arrival' | 'closed_to_departure' | 'stop_sell') =>
    [true, false, 0, 1].some((value) => value === fields[name]) && { [name]: Boolean(fields[name]) }
  const price = fromDecimal(fields['rate'], currency)
  const maxStay = fields['max_stay']
  return {
    ...(price !== null && { price_cents: price }),
    ...count('min_stay_arrival'),
    ...count('min_stay_through'),
    ...((typeof maxStay === 'number' || maxStay === null) && { max_stay: maxStay || null }),
    ...flag('closed_to_arrival'),
    ...flag('closed_to_departure'),
    ...flag('stop_sell'),
  }
}
