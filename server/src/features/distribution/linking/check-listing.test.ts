import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { openEgress } from '#egress/egress.ts'
import { channexProvider } from '#integrations/pms/channex/channex-provider.ts'
import { hostawayProvider } from '#integrations/pms/hostaway/hostaway-provider.ts'
import type { Offer } from '#integrations/pms/pms.ts'
import { genericProvider } from '#integrations/pms/generic/generic-provider.ts'
import { checkListing } from './check-listing.ts'
import { buildPreflightContext } from './preflight-context.ts'
import type { LinkedListing, ListingMapping } from './queries.ts'

const egress = openEgress({ allowsPrivate: true, allowsHttp: true })
const channex = channexProvider(egress)
const hostaway = hostawayProvider(egress)
const generic = genericProvider(egress, null)

const standard = { id: 'standard', name: 'Standard', is_default: true }
const breakfast = { id: 'breakfast', name: 'Breakfast', is_default: false }
const map = (plan: { id: string }, external_id: string) => ({ rate_plan_id: plan.id, external_id })
const unit: LinkedListing['unit'] = {
  name: 'Room 0',
  max_guests: 2,
  quantity: 5,
  currency: 'eur',
  status: 'active',
  base_price_cents: 9_000,
}
const listing: LinkedListing = {
  id: 'listing',
  external_id: 'room-0',
  rate_plans: [map(standard, 'plan-0.0')],
  status: 'active',
  unit,
  space: { id: 'space', name: 'Harbour House', status: 'active' },
  plans: [standard],
}
const room = (number: number): Offer => ({
  external_id: `room-${number}`,
  name: `Room ${number}`,
  max_guests: 2,
  quantity: 5,
  currency: 'eur',
  active: true,
  rate_plans: [0, 1].map((plan) => ({
    external_id: `plan-${number}.${plan}`,
    name: `Plan ${number}.${plan}`,
    currency: 'eur',
  })),
})

interface Situation {
  fields?: Partial<LinkedListing>
  provider?: typeof channex
  offers?: Offer[] | null
  others?: ListingMapping[]
}

const check = ({ fields, provider = channex, offers = [room(0), room(1)], others = [] }: Situation) => {
  const checked = { ...listing, ...fields }
  return checkListing(checked, buildPreflightContext(provider, offers, [checked, ...others]))
}

const cases: Record<string, Situation & { problems: string[] }> = {
  'a listing that matches its room': { problems: [] },
  'a room and a rate plan that the PMS does not have': {
    fields: { external_id: 'room-9', rate_plans: [map(standard, 'plan-9.9')] },
    problems: ['error external_id_unknown external_id', 'error plan_unknown rate_plans.0.external_id'],
  },
  'a room that the first push creates under our id': {
    provider: generic,
    fields: { rate_plans: [] },
    offers: [],
    problems: ['warning external_id_unknown external_id'],
  },
  'a room that is not created yet': {
    fields: { external_id: null, rate_plans: [] },
    problems: [],
  },
  'a rate plan of another room': {
    fields: { rate_plans: [map(standard, 'plan-1.0')] },
    problems: ['error plan_of_another_room rate_plans.0.external_id'],
  },
  'a rate plan with a price for each number of guests': {
    offers: [
      { ...room(0), rate_plans: room(0).rate_plans.map((plan) => ({ ...plan, hasPricesByGuests: true })) },
    ],
    problems: ['warning prices_by_guests rate_plans.0.external_id'],
  },
  'no mapped rate plan': {
    fields: { rate_plans: [] },
    problems: ['error default_plan_unmapped rate_plans'],
  },
  'only a rate plan other than the default one': {
    fields: { plans: [standard, breakfast], rate_plans: [map(breakfast, 'plan-0.1')] },
    problems: ['warning default_plan_unmapped rate_plans'],
  },
  'a rate plan that is not mapped': {
    fields: { plans: [standard, breakfast] },
    problems: ['warning plan_not_linked rate_plans'],
  },
  'a room and a rate plan that another listing maps': {
    others: [{ ...listing, id: 'other' }],
    problems: ['error external_id_used_twice external_id', 'error plan_used_twice rate_plans.0.external_id'],
  },
  'different guests, rooms and currency, and an inactive room': {
    fields: { unit: { ...unit, max_guests: 4, quantity: 2, currency: 'usd' } },
    offers: [{ ...room(0), active: false }],
    problems: [
      'error room_not_active external_id',
      'warning max_guests_differs unit.max_guests',
      'warning quantity_differs unit.quantity',
      'error currency_differs unit.currency',
      'error currency_differs rate_plans.0.external_id',
    ],
  },
  'rate plans for a PMS without rate plans, and an archived room that differs': {
    provider: hostaway,
    offers: [{ ...room(0), active: false, max_guests: 6, quantity: 1, currency: 'usd', rate_plans: [] }],
    problems: [
      'error room_not_active external_id',
      'warning max_guests_differs unit.max_guests',
      'warning quantity_differs unit.quantity',
      'error currency_differs unit.currency',
      'warning plans_not_known rate_plans',
    ],
  },
  'a room that a PMS with ids of its own does not have': {
    provider: hostaway,
    fields: { rate_plans: [] },
    offers: [],
    problems: ['error external_id_unknown external_id'],
  },
  'a paused listing of an inactive unit without a price': {
    fields: {
      status: 'paused',
      unit: { ...unit, status: 'maintenance', base_price_cents: 0 },
      space: { ...listing.space, status: 'inactive' },
    },
    problems: [
      'warning listing_paused status',
      'warning unit_not_active unit.status',
      'warning space_not_active unit.space.status',
      'error no_base_price unit.base_price_cents',
    ],
  },
  'only our own problems when the PMS could not be called': {
    fields: { unit: { ...unit, base_price_cents: 0 }, external_id: 'room-9' },
    offers: null,
    problems: ['error no_base_price unit.base_price_cents'],
  },
}

suite('problems of a listing', () => {
  for (const [situation, { problems, ...given }] of Object.entries(cases))
    test(`reports ${situation}`, () => {
      const found = check(given)
      assert.deepEqual(
        found.map(({ severity, code, field }) => `${severity} ${code} ${field}`),
        problems,
      )
      for (const { channel_listing_id, message, hint } of found) {
        assert.equal(channel_listing_id, listing.id)
        assert.ok(message && hint)
      }
    })
})
