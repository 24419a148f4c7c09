import type { Api } from './api.ts'

export interface Unit {
  id: string
  name: string
  space_id: string
}

const spaceInput = { name: 'Zambujeira House', timezone: 'Europe/Lisbon', country: 'PT' }

/** A unit that no other test uses, in a space of its own, which is the last one of every list. */
export const addUnit = async (api: Api, name: string, currency = 'eur'): Promise<Unit> => {
  const { space } = await api<{ space: { id: string } }>('POST', '/spaces', {
    ...spaceInput,
    currency,
  })
  const input = { space_id: space.id, name, type: 'studio', max_guests: 2, base_price_cents: 9_000 }
  return (await api<{ unit: Unit }>('POST', '/units', { ...input, currency })).unit
}

/** A second rate plan of a unit, with its price for some nights. */
export async function addPlan(api: Api, unitName: string, nights: object): Promise<void> {
  const { units } = await api<{ units: Unit[] }>('GET', `/units?q=${encodeURIComponent(unitName)}`)
  const unit_id = units[0]?.id
  const { rate_plan } = await api<{ rate_plan: { id: string } }>('POST', '/rate-plans', {
    unit_id,
    name: 'Early',
  })
  await api('POST', '/calendar', { values: [{ unit_id, rate_plan_id: rate_plan.id, ...nights }] })
}
